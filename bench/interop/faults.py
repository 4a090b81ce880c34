#!/usr/bin/env python3
"""A provider that fails in every way, five protocols, and every count computed three times.

The counts in the log's header, those that `recompute.py` finds in the samples, and those that follow from what the
provider did to each command must be equal. Then the same commands go through Inspect AI and aegish, with and without
faults, and the figures, CPU seconds, memory and wall time go into a table.

    bench/interop/faults.py --aegish BIN [--inspect PYTHON] [--samples N] [--out FILE]

PYTHON is an interpreter with inspect-ai and openai; without it only the first part runs.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter

import provider
import recompute

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TIME_LIMIT = 3
PROVIDERS = [
    ("openai/gpt-5-mini", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/v1"),
    ("anthropic/claude-haiku-4-5-20251001", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", ""),
    ("google/gemini-3-flash-preview", "GEMINI_BASE_URL", "GEMINI_API_KEY", ""),
    ("openrouter/microsoft/phi-4", "OPENROUTER_BASE_URL", "OPENROUTER_API_KEY", "/v1"),
    ("hf-inference-providers/fdtn-ai/Foundation-Sec-8B-Instruct:featherless-ai", "HF_BASE_URL", "HF_TOKEN", "/v1"),
]
CLASS_OF = {"prose": "FORMAT_ERROR", "empty": "TIMEOUT_ERROR", "filtered": "CONTENT_FILTER", "hang": "TIMEOUT_ERROR"}


class Server:
    def __init__(self, faults, delay=0.05):
        command = [sys.executable, HERE / "provider.py", "--faults", faults, "--delay", str(delay)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{self.process.stdout.readline().strip()}"

    def counted(self):
        with urllib.request.urlopen(self.url) as answer:
            return Counter(json.load(answer))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def peak(pid):
    """The most memory of a process so far, in MB."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text("ascii"))
    except OSError:
        found = None
    return int(found[1]) / 1024 if found else 0.0


def measured(command, variables, folder):
    """Runs a program; gives wall seconds, CPU seconds, memory in MB and what it printed."""
    began, memory = time.monotonic(), 0.0
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, env={**os.environ, **variables}, cwd=folder, stdout=said, stderr=said)
        while True:
            found, status, usage = os.wait4(process.pid, os.WNOHANG)
            if found:
                break
            memory = max(memory, peak(process.pid))
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    if process.returncode != 0:
        sys.exit(f"{command} ended with {process.returncode}:\n{text}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, memory, text


def aegish(args, server, folder, model, address, key, path, time_limit=TIME_LIMIT):
    variables = {address: server.url + path, key: "sk-loopback-0123456789", "AEGISH_QUEUE_PASSWORD": ""}
    command = [args.aegish, "bench", "run", "-m", model, "-d", folder / "set.jsonl", "--yes", "--fresh",
               "--log-dir", folder / "logs", "--time-limit", str(time_limit)]
    found = measured(command, variables, folder)
    return found, max((folder / "logs").glob("*.eval"), key=os.path.getmtime)


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


def differ(name, found, wanted):
    for key, value in wanted.items():
        same = found.get(key) == value
        if isinstance(value, float) and found.get(key) is not None:
            same = abs(found[key] - value) < 1e-9
        if not same:
            sys.exit(f"{name}: {key} is {found.get(key)!r}, not {value!r}")


def check(name, log, commands, faults):
    """The header, the samples and the provider agree."""
    of_samples = recompute.figures(log)
    differ(f"{name}: samples against the provider", of_samples, expected(commands, faults))
    of_header = recompute.header(log)["results"]
    own = of_header["metadata"]["aegish"]
    differ(f"{name}: header against samples", own, of_samples)
    scores = of_header["scores"][0]
    wanted = {"scored_samples": of_samples["samples"], "unscored_samples": of_samples["errors"]}
    differ(f"{name}: Inspect's fields", scores, wanted)
    print(f"ok: {name}: {of_samples['answers']}, {of_samples['errors']} without a score", flush=True)
    return of_samples


def five_providers(args, folder, commands):
    for model, address, key, path in PROVIDERS:
        with Server("all") as server:
            _, log = aegish(args, server, folder, model, address, key, path)
            check(model, log, commands, "all")


def inspect(args, server, folder, faults):
    """The same commands through Inspect; gives its measurements and figures."""
    variables = {"OPENAI_BASE_URL": server.url + "/v1", "OPENAI_API_KEY": "sk-loopback-0123456789",
                 "SPEED_PROMPT": str(ROOT / "crates/aegish-judge/data/prompts/system.md"),
                 "SPEED_DATA": str(folder / "set.jsonl"), "INSPECT_LOG_DIR": str(folder / "inspect")}
    # Inspect takes only files below the folder it runs in.
    shutil.copy(ROOT / "bench/speed/inspect_task.py", folder)
    command = [args.inspect, "-m", "inspect_ai", "eval", "inspect_task.py", "--model",
               "openai/gpt-4o-mini", "--display", "none", "--max-retries", "3", "--fail-on-error", "0.5",
               "--retry-on-error", "5", "--time-limit", "180", "--seed", "42", "--no-log-realtime"]
    found = measured(command, variables, folder)
    log = max((folder / "inspect").glob("*.eval"), key=os.path.getmtime)
    script = ("import json, sys\nfrom inspect_ai.log import read_eval_log\nlog = read_eval_log(sys.argv[1])\n"
              "score = log.results.scores[0]\n"
              "words = {}\nfor s in log.samples:\n"
              "    word = 'ERROR' if s.error else next(iter(s.scores.values())).answer\n"
              "    words[word] = words.get(word, 0) + 1\n"
              "print(json.dumps({'accuracy': score.metrics['accuracy'].value, 'stderr': score.metrics['stderr'].value,"
              "'scored': score.scored_samples, 'words': words}))")
    done = subprocess.run([args.inspect, "-c", script, log], capture_output=True, text=True, check=True)
    return found, json.loads(done.stdout)


def side_by_side(args, folder, commands):
    rows = []
    for faults in ["none", "passing"]:
        with Server(faults) as server:
            (wall, cpu, memory, _), theirs = inspect(args, server, folder, faults)
            too_many = [server.counted()[name] for name in ("429", "429 with Retry-After", "529")]
            rows.append(("Inspect AI", faults, wall, cpu, memory, sum(too_many), theirs))
        with Server(faults) as server:
            model = ("openai/gpt-4o-mini", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/v1")
            (wall, cpu, memory, _), log = aegish(args, server, folder, *model, time_limit=180)
            own = check(f"aegish, {faults} faults", log, commands, faults)
            too_many = [server.counted()[name] for name in ("429", "429 with Retry-After", "529")]
            ours = {"accuracy": own["accuracy"], "stderr": own["sample_stderr"], "scored": own["samples"]}
            rows.append(("aegish", faults, wall, cpu, memory, sum(too_many), ours))
    lines = ["| | faults | samples | accuracy | stderr | rejections | wall s | CPU s | memory MB |", "|---|---|---|---|---|---|---|---|---|"]
    for who, faults, wall, cpu, memory, rejections, found in rows:
        lines.append(f"| {who} | {faults} | {found['scored']} | {found['accuracy']:.6f} | {found['stderr']:.6f} "
                     f"| {rejections} | {wall:.1f} | {cpu:.2f} | {memory:.0f} |")
    for theirs, ours in zip(rows[::2], rows[1::2]):
        differ(f"Inspect and aegish, {ours[1]} faults", {k: ours[6][k] for k in ("accuracy", "stderr", "scored")},
               {k: theirs[6][k] for k in ("accuracy", "stderr", "scored")})
        speed = theirs[2] / ours[2]
        print(f"{ours[1]} faults: {speed:.1f} times as fast as Inspect, {ours[5]} rejections against {theirs[5]}")
        if speed < 1.5 or ours[5] > theirs[5]:
            sys.exit("slower than 1.5 times Inspect, or more rejections")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--aegish", type=pathlib.Path, required=True)
    parser.add_argument("--inspect")
    parser.add_argument("--samples", type=int, default=1172)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    args.aegish = args.aegish.resolve()
    half = args.samples // 2
    commands = []
    for name, expect, number in [("malicious", "block", args.samples - half), ("harmless", "pass", half)]:
        rows = (ROOT / f"crates/aegish-bench/datasets/{name}.jsonl").read_text("utf-8").splitlines()[:number]
        for row in map(json.loads, rows):
            commands.append({"id": f"{name}-{row['id']}", "command": row["command"], "expect": expect,
                             "category": row.get("category")})
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in commands), "utf-8")
        five_providers(args, folder, commands)
        if args.inspect:
            table = side_by_side(args, folder, commands)
            print(table, end="")
            if args.out:
                args.out.write_text(table, "utf-8")


if __name__ == "__main__":
    main()
