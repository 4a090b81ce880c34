"""What the measurements share: the commands, the faulty provider as a process, and programs with what they cost."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEY = "sk-loopback-0123456789"
OWN_COMMAND = pathlib.Path("/proc/self/cmdline").read_bytes()


class Server:
    """A server that prints its address on its first line. The reply to a GET is what it counted."""

    def __init__(self, command, url="{}"):
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        self.url = url.format(self.process.stdout.readline().strip())

    def counted(self):
        with urllib.request.urlopen(self.url) as answer:
            return Counter(json.load(answer))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def provider(faults, delay=0.05):
    """`provider.py` with these faults."""
    command = [sys.executable, HERE / "provider.py", "--faults", faults, "--delay", delay]
    return Server(command, "http://127.0.0.1:{}")


def peak(pid):
    """The most memory a process has had so far, in MB. (`ru_maxrss` begins with what its parent had.)"""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text("ascii")
        # Until `exec`, the process is a copy of this one.
        own = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() == OWN_COMMAND
        found = None if own else re.search(r"VmHWM:\s+(\d+) kB", status)
    except OSError:
        found = None
    return int(found[1]) / 1024 if found else 0.0


def measured(command, variables, folder=None):
    """Runs a program; gives when it began, wall seconds, CPU seconds and peak memory in MB."""
    command = [str(part) for part in command]
    with tempfile.TemporaryFile() as said:
        began, memory = time.monotonic(), 0.0
        process = subprocess.Popen(command, env={**os.environ, **variables}, cwd=folder, stdout=said, stderr=said)
        while True:
            found, status, usage = os.wait4(process.pid, os.WNOHANG)
            if found:
                break
            memory = max(memory, peak(process.pid))
            time.sleep(0.002)
        wall = time.monotonic() - began
        # So that Popen does not wait for it again.
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            sys.exit(f"{command} ended with {process.returncode}:\n{said.read().decode()[-3000:]}")
    return {"began": began, "wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "memory": memory}


def commands(samples, path):
    """As many of our own commands, half of them harmless, as a data set in this file; gives its rows."""
    half = samples // 2
    rows = []
    for name, expect, number in [("malicious", "block", samples - half), ("harmless", "pass", half)]:
        lines = (ROOT / f"crates/aegish-bench/datasets/{name}.jsonl").read_text("utf-8").splitlines()[:number]
        for row in map(json.loads, lines):
            rows.append({"id": f"{name}-{row['id']}", "command": row["command"], "expect": expect,
                         "category": row.get("category")})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return rows


def newest(folder):
    """The log that was written last."""
    return max(folder.glob("*.eval"), key=os.path.getmtime)


def differ(name, found, wanted):
    """Ends with a message if a figure is not what it must be."""
    for key, value in wanted.items():
        same = found.get(key) == value
        if isinstance(value, float) and found.get(key) is not None:
            same = abs(found[key] - value) < 1e-9
        if not same:
            sys.exit(f"{name}: {key} is {found.get(key)!r}, not {value!r}")
