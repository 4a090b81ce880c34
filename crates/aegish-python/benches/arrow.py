"""What check_arrow costs: verdicts per CPU second beside `--jsonl`, and memory over many rows.

    python benches/arrow.py COMMANDS.jsonl [--rows 1000000]

Rows are those of the file, repeated, in batches of 65,536. CPU is user and system time of all threads.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

import aegish
import pyarrow as pa

PROGRAM = Path(aegish.__file__).parent / "_bin" / "aegish"
BATCH = 1 << 16


def cpu(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def resident():
    """Megabytes that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("commands", type=Path, help='rows with "command"')
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--program", type=Path, default=PROGRAM)
    options = parser.parse_args()
    texts = [json.loads(line)["command"] for line in options.commands.read_text().splitlines() if line.strip()]
    source, left, judged, marks = cycle(texts), options.rows, 0, []
    used = 0.0
    while left:
        batch = pa.record_batch({"command": list(islice(source, min(BATCH, left)))})
        before = cpu(resource.RUSAGE_SELF)
        answer = aegish.check_arrow(batch, machine="this")
        used += cpu(resource.RUSAGE_SELF) - before
        left -= len(batch)
        judged += len(answer)
        if judged == len(batch) or left == 0 or judged // 1_000_000 > (judged - len(batch)) // 1_000_000:
            marks.append((judged, resident()))
    print(f"check_arrow: {judged} rows, {used:.1f} CPU s, {judged / used:.0f} verdicts per CPU second")
    for rows, megabytes in marks:
        print(f"  after {rows:>9} rows {megabytes:.0f} MB")
    count = min(options.rows, 1_000_000)
    with tempfile.TemporaryFile("w+") as rows:
        for text in islice(cycle(texts), count):
            rows.write(json.dumps({"command": text}) + "\n")
        rows.seek(0)
        before = cpu(resource.RUSAGE_CHILDREN)
        command = [options.program, "check", "--jsonl", "--judge", "never"]
        subprocess.run(command, stdin=rows, stdout=subprocess.DEVNULL, check=True)
    theirs = cpu(resource.RUSAGE_CHILDREN) - before
    print(f"--jsonl:     {count} rows, {theirs:.1f} CPU s, {count / theirs:.0f} verdicts per CPU second")
    print(f"CPU of check_arrow / --jsonl: {(used / judged) / (theirs / count):.2f}")


if __name__ == "__main__":
    sys.exit(main())
