#!/usr/bin/env python3
"""aegish and Inspect AI side by side: the same commands, a loopback provider with and without faults; then aegish alone.

Not part of CI: it installs inspect-ai from PyPI into a folder of its own and takes some minutes.

    bench/speed/run.py [--venv DIR] [--samples N] [--out FILE] [--million] [--part beside|alone] [--no-build]

The table of the first part goes into FILE. Ends with status 1 if a bar of the design is missed, and stops if the two
programs do not agree on every figure.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/interop"))

import faults
import loopback

INSPECT_VERSION = "0.3.285"
RELEASE = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
MODEL = "openai/gpt-4o-mini"
REJECTIONS = ("429", "429 with Retry-After", "529")
# Delay of a reply in seconds, and the faults of `provider.py`.
SETTINGS = [(0, "none"), (0.05, "none"), (0.05, "passing")]
SHOWN = """
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
score, answers = log.results.scores[0], {}
for sample in log.samples:
    answer = "ERROR" if sample.error else next(iter(sample.scores.values())).answer
    answers[answer] = answers.get(answer, 0) + 1
print(json.dumps({"accuracy": score.metrics["accuracy"].value, "stderr": score.metrics["stderr"].value,
                  "scored": score.scored_samples, "answers": dict(sorted(answers.items()))}))
"""


def keys(server, path=""):
    return {"OPENAI_BASE_URL": server.url + path, "OPENAI_API_KEY": loopback.KEY}


def aegish(data, logs, *options):
    command = [RELEASE / "aegish", "bench", "run", "--yes", "--fresh", "--model", MODEL]
    return [*command, "--dataset", data, "--log-dir", logs, *options]


def of_aegish(folder, delay, kind, rows):
    """aegish three times; the run with the median of the CPU seconds."""
    runs = []
    for _ in range(3):
        with loopback.provider(kind, delay) as server:
            logs = folder / "logs"
            run = loopback.measured(aegish(folder / "set.jsonl", logs), keys(server, "/v1"))
            found = faults.check(f"aegish, {delay} s, {kind} faults", loopback.newest(logs), rows, kind)
            run["rejections"] = sum(server.counted()[name] for name in REJECTIONS)
        run["figures"] = {"accuracy": found["accuracy"], "stderr": found["sample_stderr"],
                          "scored": found["samples"], "answers": found["answers"]}
        runs.append(run)
    middle = statistics.median(run["cpu"] for run in runs)
    return next(run for run in runs if run["cpu"] == middle)


def of_inspect(folder, venv, delay, kind):
    """The same commands through Inspect, with its default settings and the limits of aegish."""
    # Inspect takes only files below the folder it runs in.
    shutil.copy(ROOT / "bench/speed/inspect_task.py", folder)
    logs = folder / "inspect"
    command = [venv / "bin/inspect", "eval", "inspect_task.py", "--model", MODEL, "--display", "plain", "--log-dir", logs,
               "--max-retries", "3", "--fail-on-error", "0.5", "--retry-on-error", "5", "--time-limit", "180",
               "--seed", "42"]
    prompt = ROOT / "crates/aegish-judge/data/prompts/system.md"
    with loopback.provider(kind, delay) as server:
        variables = {"SPEED_PROMPT": str(prompt), "SPEED_DATA": str(folder / "set.jsonl"), **keys(server, "/v1")}
        run = loopback.measured(command, variables, folder)
        run["rejections"] = sum(server.counted()[name] for name in REJECTIONS)
    shown = subprocess.run([venv / "bin/python", "-c", SHOWN, loopback.newest(logs)], capture_output=True, check=True)
    run["figures"] = json.loads(shown.stdout)
    return run


def side_by_side(folder, venv, version, samples, bar):
    """Both programs with every setting; gives the table."""
    rows = loopback.commands(samples, folder / "set.jsonl")
    lines = ["| | reply | faults | samples | accuracy | stderr | rejections | wall s | CPU s | per CPU s | memory MB |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for delay, kind in SETTINGS:
        other = of_inspect(folder, venv, delay, kind)
        own = of_aegish(folder, delay, kind, rows)
        loopback.differ(f"Inspect and aegish, {delay} s, {kind} faults", own["figures"], other["figures"])
        for who, run in [(f"Inspect AI {version}", other), ("aegish", own)]:
            found = run["figures"]
            lines.append(f"| {who} | {delay * 1000:.0f} ms | {kind} | {found['scored']} | {found['accuracy']:.6f} "
                         f"| {found['stderr']:.6f} | {run['rejections']} | {run['wall']:.1f} | {run['cpu']:.2f} "
                         f"| {samples / run['cpu']:.0f} | {run['memory']:.0f} |")
            print(lines[-1], flush=True)
        speed = other["wall"] / own["wall"]
        bar(f"{speed:.1f} × the throughput of Inspect AI (1.5)", speed >= 1.5)
        bar(f"{own['rejections']} rejections, Inspect {other['rejections']}", own["rejections"] <= other["rejections"])
        if delay == 0:
            share = other["cpu"] / own["cpu"]
            bar(f"{share:.0f} × the samples per CPU second of Inspect AI (100)", share >= 100)
            share = other["memory"] / own["memory"]
            bar(f"1/{share:.1f} of its memory (1/10)", share >= 10)
    return "\n".join(lines) + "\n"


def alone(data, samples, delay_ms, connections, folder, ideal=None):
    """aegish against the model server of the tests, which is faster than any client."""
    logs = folder / "logs-alone"
    with loopback.Server([RELEASE / "examples/model-server", "127.0.0.1:0", delay_ms]) as server:
        run = loopback.measured(aegish(data, logs, "--max-connections", connections), keys(server))
        counted = server.counted()
    run["first"] = time.monotonic() - counted["first_seconds_ago"] - run["began"]
    size = sum(file.stat().st_size for file in logs.iterdir()) / 1e6
    shutil.rmtree(logs)
    line = f"aegish, {delay_ms} ms, {connections:3}  {samples:>9,} samples  {run['wall']:8.2f} s wall  {run['cpu']:8.2f} s CPU"
    line += f"  {samples / run['cpu']:6.0f} per CPU s  {run['memory']:5.1f} MB  first request {run['first'] * 1000:5.0f} ms"
    line += f"  {counted['most_in_flight']:3} at once  log {size:7.1f} MB"
    if ideal is not None:
        line += f"  {run['wall'] / ideal:5.2f} × ideal"
    print(line, flush=True)
    return run


def made_up(path, count):
    """A data set of any size, one line after the other."""
    with open(path, "w", encoding="utf-8") as file:
        for number in range(count):
            expect = "block" if number % 2 else "pass"
            command = f"tar -czf backup-{number}.tar.gz src/module{number % 97} && echo done {number}"
            row = {"id": f"row-{number}", "command": command, "expect": expect, "category": "made-up"}
            file.write(json.dumps(row) + "\n")
    return path


def installed(venv):
    """Inspect AI in a folder of its own; gives its version."""
    if not (venv / "bin/inspect").exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        pip = [str(venv / "bin/pip"), "install", "--quiet", f"inspect-ai=={INSPECT_VERSION}", "openai"]
        subprocess.run(pip, check=True)
    said = subprocess.run([venv / "bin/inspect", "--version"], capture_output=True, text=True, check=True)
    return re.search(r"[0-9.]+", said.stdout + said.stderr)[0]


def by_itself(folder, options, bar):
    few = made_up(folder / "few.jsonl", options.samples)
    many = made_up(folder / "many.jsonl", options.many)
    run = alone(few, options.samples, 0, 100, folder)
    bar(f"first request after {run['first'] * 1000:.0f} ms (50)", run["first"] <= 0.05)
    for connections in (10, 100):
        run = alone(many, options.many, 0, connections, folder)
        rate = options.many / run["cpu"]
        bar(f"{rate:.0f} samples per CPU second (3100)", rate >= 3100)
    bar(f"{run['memory']:.1f} MB (26)", run["memory"] <= 26)
    ideal = options.many / 100 * 0.02
    runs = [alone(many, options.many, 20, 100, folder, ideal) for _ in range(2)]
    least = min(run["wall"] for run in runs) / ideal
    bar(f"{least:.2f} × the ideal at 20 ms (1.10)", least <= 1.1)
    if options.million:
        some = alone(made_up(many, 100_000), 100_000, 0, 100, folder)
        all_of_them = alone(made_up(many, 1_000_000), 1_000_000, 0, 100, folder)
        grown = all_of_them["memory"] - some["memory"]
        bar(f"{grown:+.1f} MB from 100,000 to 1,000,000 samples (+8)", grown <= 8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=pathlib.Path, help="where inspect-ai is, or goes")
    parser.add_argument("--samples", type=int, default=1172, help="for both programs")
    parser.add_argument("--out", type=pathlib.Path, help="a file for the table")
    parser.add_argument("--many", type=int, default=20_000, help="for aegish alone")
    parser.add_argument("--million", action="store_true", help="also a million samples")
    parser.add_argument("--part", choices=["beside", "alone"], help="beside Inspect AI, or aegish alone")
    parser.add_argument("--no-build", action="store_true", help="measure the release build that is there")
    options = parser.parse_args()
    build = ["cargo", "build", "--release", "--package"]
    if not options.no_build:
        subprocess.run([*build, "aegish"], cwd=ROOT, check=True)
        subprocess.run([*build, "aegish-bench", "--example", "model-server"], cwd=ROOT, check=True)
    missed = []

    def bar(what, holds):
        print(f"  {'ok    ' if holds else 'MISSED'} {what}", flush=True)
        if not holds:
            missed.append(what)

    with tempfile.TemporaryDirectory(prefix="aegish-speed-") as folder:
        folder = pathlib.Path(folder)
        if options.part != "alone":
            venv = (options.venv or folder / "venv").absolute()
            table = side_by_side(folder, venv, installed(venv), options.samples, bar)
            if options.out:
                options.out.write_text(table, "utf-8")
        if options.part != "beside":
            by_itself(folder, options, bar)
    if missed:
        sys.exit(1)


if __name__ == "__main__":
    main()
