#!/usr/bin/env python3
"""A provider that fails in every way, five protocols, and every count computed three times.

The counts in the log's header, those that `recompute.py` finds in the samples, and those that follow from what the
provider did to each command must be equal.

    bench/interop/faults.py --aegish BIN [--samples N]
"""

import argparse
import pathlib
import tempfile
from collections import Counter

import loopback
import provider
import recompute

TIME_LIMIT = 3
PROVIDERS = [
    ("openai/gpt-5-mini", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/v1"),
    ("anthropic/claude-haiku-4-5-20251001", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", ""),
    ("google/gemini-3-flash-preview", "GEMINI_BASE_URL", "GEMINI_API_KEY", ""),
    ("openrouter/microsoft/phi-4", "OPENROUTER_BASE_URL", "OPENROUTER_API_KEY", "/v1"),
    ("hf-inference-providers/fdtn-ai/Foundation-Sec-8B-Instruct:featherless-ai", "HF_BASE_URL", "HF_TOKEN", "/v1"),
]
CLASS_OF = {"prose": "FORMAT_ERROR", "empty": "TIMEOUT_ERROR", "filtered": "CONTENT_FILTER", "hang": "TIMEOUT_ERROR"}


def expected(commands, faults):
    """What follows from what the provider does to each command."""
    answers, errors = Counter(), 0
    for row in commands:
        fate = provider.fate_of(row["command"], faults)
        if fate == "400":
            errors += 1
        else:
            answers[CLASS_OF.get(fate, provider.action_of(row["command"]).upper())] += 1
    hanging = sum(provider.fate_of(row["command"], faults) == "hang" for row in commands)
    return {"answers": dict(sorted(answers.items())), "errors": errors, "timeouts": hanging}


def check(name, log, commands, faults):
    """The header, the samples and the provider agree."""
    of_samples = recompute.figures(log)
    loopback.differ(f"{name}: samples against the provider", of_samples, expected(commands, faults))
    of_header = recompute.header(log)["results"]
    loopback.differ(f"{name}: header against samples", of_header["metadata"]["aegish"], of_samples)
    wanted = {"scored_samples": of_samples["samples"], "unscored_samples": of_samples["errors"]}
    loopback.differ(f"{name}: Inspect's fields", of_header["scores"][0], wanted)
    print(f"ok: {name}: {of_samples['answers']}, {of_samples['errors']} without a score", flush=True)
    return of_samples


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--aegish", type=pathlib.Path, required=True)
    parser.add_argument("--samples", type=int, default=1172)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        commands = loopback.commands(args.samples, folder / "set.jsonl")
        for model, address, key, path in PROVIDERS:
            with loopback.provider("all") as server:
                command = [args.aegish.resolve(), "bench", "run", "-m", model, "-d", folder / "set.jsonl", "--yes",
                           "--fresh", "--log-dir", folder / "logs", "--time-limit", TIME_LIMIT]
                loopback.measured(command, {address: server.url + path, key: loopback.KEY}, folder)
                check(model, loopback.newest(folder / "logs"), commands, "all")


if __name__ == "__main__":
    main()
