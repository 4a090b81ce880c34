#!/usr/bin/env python3
"""aegish and Inspect AI side by side against one loopback model server: samples per CPU second, memory, delay.

Not part of CI: it installs inspect-ai from PyPI into a folder of its own and takes some minutes.

    bench/speed/run.py [--venv DIR] [--samples N] [--million] [--no-inspect]

Ends with status 1 if a bar of the design is missed.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
MODEL = "openai/gpt-4o-mini"
OWN_COMMAND = pathlib.Path("/proc/self/cmdline").read_bytes()


class Server:
    """The loopback model server of the tests, as a program."""

    def __init__(self, delay_ms):
        program = RELEASE / "examples" / "model-server"
        self.process = subprocess.Popen(
            [program, "127.0.0.1:0", str(delay_ms)], stdout=subprocess.PIPE, text=True
        )
        self.url = self.process.stdout.readline().strip()

    def statistics(self):
        with urllib.request.urlopen(self.url) as reply:
            return json.load(reply)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def peak(pid):
    """The most memory a process has had so far, in MB. (`ru_maxrss` begins with what its parent had.)"""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        # Until `exec`, the process is a copy of this one.
        own = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() == OWN_COMMAND
        found = None if own else re.search(r"VmHWM:\s+(\d+) kB", status)
    except OSError:
        found = None
    return int(found[1]) / 1024 if found else 0.0


def measured(command, server, environment):
    """Runs a program; gives wall seconds, CPU seconds, peak memory in MB and seconds to its first request."""
    variables = {**os.environ, **environment, "OPENAI_API_KEY": "sk-speed-0123456789"}
    variables["OPENAI_BASE_URL"] = server.url
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(command, env=variables, stdout=said, stderr=said)
        memory = 0.0
        while True:
            found, status, usage = os.wait4(process.pid, os.WNOHANG)
            if found:
                break
            memory = max(memory, peak(process.pid))
            time.sleep(0.002)
        wall = time.monotonic() - began
        # So that Popen does not wait for it again.
        process.returncode = os.waitstatus_to_exitcode(status)
        counted = server.statistics()
        first = time.monotonic() - counted["first_seconds_ago"] - began
        if process.returncode != 0:
            said.seek(0)
            sys.exit(f"{command[0]} ended with {process.returncode}:\n{said.read().decode()[-3000:]}")
    return {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": memory,
        "first": first,
        "requests": counted["requests"],
        "in_flight": counted["most_in_flight"],
    }


def aegish(data, delay_ms, connections, folder):
    logs = folder / "logs-aegish"
    command = [RELEASE / "aegish", "bench", "run", "--yes", "--fresh", "--model", MODEL]
    command += ["--dataset", data, "--log-dir", logs, "--max-connections", str(connections)]
    with Server(delay_ms) as server:
        result = measured([str(part) for part in command], server, {})
    size = sum(file.stat().st_size for file in logs.iterdir())
    shutil.rmtree(logs)
    return {**result, "log": size / 1e6}


def inspect(venv, data, delay_ms, connections, folder):
    logs = folder / "logs-inspect"
    command = [venv / "bin" / "inspect", "eval", ROOT / "bench/speed/inspect_task.py@speed"]
    command += ["--model", MODEL, "--max-connections", str(connections), "--display", "plain"]
    command += ["--log-dir", logs]
    environment = {
        "SPEED_DATA": str(data),
        "SPEED_PROMPT": str(ROOT / "crates/aegish-judge/data/prompts/system.md"),
    }
    with Server(delay_ms) as server:
        result = measured([str(part) for part in command], server, environment)
    size = sum(file.stat().st_size for file in logs.iterdir())
    shutil.rmtree(logs)
    return {**result, "log": size / 1e6}


def made_up(path, count):
    """A data set of any size, one line after the other."""
    with open(path, "w", encoding="utf-8") as file:
        for number in range(count):
            expect = "block" if number % 2 else "pass"
            command = f"tar -czf backup-{number}.tar.gz src/module{number % 97} && echo done {number}"
            row = {"id": f"row-{number}", "command": command, "expect": expect, "category": "made-up"}
            file.write(json.dumps(row) + "\n")


def show(who, samples, result, ideal=None):
    line = f"{who:<34} {samples:>9,} samples  {result['wall']:8.2f} s wall  {result['cpu']:8.2f} s CPU"
    line += f"  {samples / result['cpu']:8.0f} per CPU s  {result['memory']:7.1f} MB"
    line += f"  first request {result['first'] * 1000:7.0f} ms  {result['in_flight']:4} at once"
    line += f"  log {result['log']:7.1f} MB"
    if ideal is not None:
        line += f"  {result['wall'] / ideal:5.2f} × ideal"
    print(line, flush=True)


def installed(venv):
    """Inspect AI in a folder of its own."""
    if not (venv / "bin" / "inspect").exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        pip = [str(venv / "bin" / "pip"), "install", "--quiet", "inspect-ai", "openai"]
        subprocess.run(pip, check=True)
    said = subprocess.run(
        [str(venv / "bin" / "inspect"), "--version"], capture_output=True, text=True, check=True
    )
    return re.search(r"[0-9.]+", said.stdout + said.stderr)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=pathlib.Path, help="where inspect-ai is, or goes")
    parser.add_argument("--samples", type=int, default=1172, help="for both programs")
    parser.add_argument("--many", type=int, default=20_000, help="for aegish alone")
    parser.add_argument("--million", action="store_true", help="also a million samples")
    parser.add_argument("--no-inspect", action="store_true", help="measure aegish alone")
    options = parser.parse_args()
    build = ["cargo", "build", "--release", "--package"]
    subprocess.run([*build, "aegish"], cwd=ROOT, check=True)
    subprocess.run([*build, "aegish-bench", "--example", "model-server"], cwd=ROOT, check=True)
    missed = []

    def bar(what, holds):
        print(f"  {'ok    ' if holds else 'MISSED'} {what}", flush=True)
        if not holds:
            missed.append(what)

    with tempfile.TemporaryDirectory(prefix="aegish-speed-") as folder:
        folder = pathlib.Path(folder)
        few, many = folder / "few.jsonl", folder / "many.jsonl"
        made_up(few, options.samples)
        made_up(many, options.many)
        other = None
        if not options.no_inspect:
            venv = options.venv or folder / "venv"
            version = installed(venv)
            other = inspect(venv, few, 0, 100, folder)
            show(f"Inspect AI {version}, 0 ms, 100", options.samples, other)
        own = min((aegish(few, 0, 100, folder) for _ in range(3)), key=lambda run: run["cpu"])
        show("aegish, 0 ms, 100", options.samples, own)
        if other is not None:
            speed = other["cpu"] / own["cpu"]
            bar(f"{speed:.0f} × the samples per CPU second of Inspect AI (100)", speed >= 100)
            share = other["memory"] / own["memory"]
            bar(f"1/{share:.1f} of its memory (1/10)", share >= 10)
        bar(f"first request after {own['first'] * 1000:.0f} ms (50)", own["first"] <= 0.05)
        for connections in (10, 100):
            run = aegish(many, 0, connections, folder)
            show(f"aegish, 0 ms, {connections}", options.many, run)
            rate = options.many / run["cpu"]
            bar(f"{rate:.0f} samples per CPU second (3100)", rate >= 3100)
        bar(f"{run['memory']:.1f} MB (26)", run["memory"] <= 26)
        if other is not None:
            slow = inspect(venv, few, 20, 100, folder)
            ideal = options.samples / 100 * 0.02
            show(f"Inspect AI {version}, 20 ms, 100", options.samples, slow, ideal)
        ideal = options.many / 100 * 0.02
        run = min((aegish(many, 20, 100, folder) for _ in range(2)), key=lambda run: run["wall"])
        show("aegish, 20 ms, 100", options.many, run, ideal)
        bar(f"{run['wall'] / ideal:.2f} × the ideal at 20 ms (1.10)", run["wall"] <= 1.1 * ideal)
        if options.million:
            made_up(many, 100_000)
            some = aegish(many, 0, 100, folder)
            show("aegish, 0 ms, 100", 100_000, some)
            made_up(many, 1_000_000)
            all_of_them = aegish(many, 0, 100, folder)
            show("aegish, 0 ms, 100", 1_000_000, all_of_them)
            grown = all_of_them["memory"] - some["memory"]
            bar(f"{grown:+.1f} MB from 100,000 to 1,000,000 samples (+8)", grown <= 8)
    if missed:
        sys.exit(1)


if __name__ == "__main__":
    main()
