"""The recipes of docs/how-to/engines.md against the real packages.

    python benches/engines.py COMMANDS.jsonl --rows 1000000 [--engine polars ...]

First the examples of the page themselves run on a few rows.
Each engine reads the same Parquet file, judges every row and writes Parquet. Verdicts must equal those of `aegish check
--jsonl`. The table has wall and CPU time of the engine alone (the same work with a function that returns its batch) and
with the guard, with one worker and with two. CPU time is that of all processes of the engine.
"""

import argparse
import collections
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

import aegish
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

PROGRAM = Path(aegish.__file__).parent / "_bin" / "aegish"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "engines.md"
BATCH = 65_536
# Workers of some engines have directories of their own.
PLACE = "/"
VERDICT = (
    "struct<action:string,rule:string,rule_name:string,reason:string,confidence:float,open:boolean,"
    "effects:array<string>>"
)


class Guard:
    """Judges batches. Can be sent to the workers of an engine."""

    schema = "command string, verdict " + VERDICT

    def __init__(self, threads):
        self.threads = threads

    def __call__(self, batch):
        import aegish

        return aegish.check_arrow(batch, cwd=PLACE, threads=self.threads)


class Nothing:
    """Returns what it gets."""

    schema = "command string"

    def __init__(self, threads):
        pass

    def __call__(self, batch):
        return batch


def polars(path, workers, function, out):
    import polars as pl

    judge = function(workers)
    frame = pl.read_parquet(path, columns=["command"])

    def work():
        batches = frame.to_arrow().to_batches(max_chunksize=BATCH)
        pl.from_arrow(pa.Table.from_batches([judge(batch) for batch in batches])).write_parquet(out / "x.parquet")

    return timed(work)


def duckdb(path, workers, function, out):
    import duckdb as db

    judge = function(workers)
    source, sink = db.connect(), db.connect()
    for connection in (source, sink):
        connection.execute(f"set threads to {workers}")

    def work():
        reader = source.sql(f"select command from '{path}'").to_arrow_reader(BATCH)
        schema = judge(pa.record_batch({"command": ["ls"]})).schema
        verdicts = pa.RecordBatchReader.from_batches(schema, (judge(batch) for batch in reader))
        sink.register("verdicts", verdicts)
        sink.execute(f"copy verdicts to '{out}/x.parquet'")

    return timed(work)


def pandas(path, workers, function, out):
    import pandas as pd

    judge = function(workers)
    frame = pd.read_parquet(path)

    def work():
        batches = pa.Table.from_pandas(frame[["command"]], preserve_index=False).to_batches(max_chunksize=BATCH)
        judged = pa.Table.from_batches([judge(batch) for batch in batches])
        verdict = judged.flatten().to_pandas().drop(columns="command").set_index(frame.index)
        verdict.columns = [name.removeprefix("verdict.") for name in verdict.columns]
        frame.join(verdict).to_parquet(out / "x.parquet")

    return timed(work)


def pyspark(path, workers, function, out):
    from pyspark.sql import SparkSession

    # Workers run the Python in which aegish is installed.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Spark has a worker for each core.
    judge = function(1)

    def judge_batches(batches):
        for batch in batches:
            yield judge(batch)

    settings = {"spark.ui.enabled": "false", "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH)}
    builder = SparkSession.builder.master(f"local[{workers}]").config(map=settings)
    spark = builder.getOrCreate()
    try:
        frame = spark.read.parquet(str(path)).select("command").repartition(workers * 2)
        # The Java side and the workers are warm before the time is taken.
        frame.limit(10).mapInArrow(judge_batches, function.schema).count()
        judged = frame.mapInArrow(judge_batches, function.schema)
        return timed(lambda: judged.write.mode("overwrite").parquet(str(out)))
    finally:
        spark.stop()


def ray(path, workers, function, out):
    import ray as engine

    judge = function(1)

    def judge_table(table):
        return pa.Table.from_batches([judge(batch) for batch in table.to_batches()])

    engine.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    try:
        # A file becomes one block, and a block has one worker.
        data = engine.data.read_parquet(str(path), columns=["command"]).repartition(16)
        judged = data.map_batches(judge_table, batch_format="pyarrow", batch_size=BATCH)
        return timed(lambda: judged.write_parquet(str(out)))
    finally:
        engine.shutdown()


ENGINES = {engine.__name__: engine for engine in (polars, duckdb, pandas, pyspark, ray)}


def cpu():
    """Seconds that this process and all its descendants have used."""
    parents, used = {}, {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        process = int(place.parent.name)
        parents[process] = int(fields[1])
        # Its own time, and that of its children that have ended.
        used[process] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total = 0.0
    for process in used:
        ancestor = process
        while ancestor not in (os.getpid(), 0):
            ancestor = parents.get(ancestor, 0)
        total += used[process] if ancestor else 0.0
    return total


def timed(work):
    """Wall and CPU time."""
    started, used = time.monotonic(), cpu()
    work()
    return time.monotonic() - started, cpu() - used


def counted(folder):
    """How often each verdict was given."""
    table = ds.dataset(folder, format="parquet").to_table()
    if "verdict" in table.schema.names:
        table = table.flatten()
        table = table.rename_columns([name.removeprefix("verdict.") for name in table.schema.names])
    names = ["command", "action", "rule", "reason"]
    groups = table.select(names).group_by(names).aggregate([([], "count_all")])
    keys = zip(*(groups[name].to_pylist() for name in names))
    return collections.Counter(dict(zip(keys, groups["count_all"].to_pylist())))


def examples(page, texts, chosen):
    """Runs the examples of the page, and returns how many verdicts each gives."""
    table = pa.table({"command": texts})
    blocks = re.findall(r"^## (.*?)\n\n```python\n(.*?)```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == len(ENGINES), [title for title, _ in blocks]
    found, before = {}, os.getcwd()
    for title, code in blocks:
        name = {"Polars": "polars", "DuckDB": "duckdb", "PySpark": "pyspark", "Ray Data": "ray"}.get(title, title)
        if name not in chosen or importlib.util.find_spec(name) is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            pq.write_table(table, "commands.parquet")
            names = {"__name__": "__main__"}
            if name == "pyspark":
                from pyspark.sql import SparkSession

                os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
                names["spark"] = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
            exec(code, names)  # noqa: S102  (a page of this repository)
            match name:
                case "polars":
                    actions = names["judged"]["action"].to_list()
                case "pandas":
                    actions = list(names["judge"](table.to_pandas())["action"])
                case "duckdb":
                    # The example has printed its result, which needs every verdict.
                    actions = texts
                case _:
                    actions = ds.dataset(Path(folder) / "verdicts", format="parquet").to_table()["verdict"].to_pylist()
            if name == "pyspark":
                names["spark"].stop()
            if name == "ray":
                names["ray"].shutdown()
            assert len(actions) == len(texts), (title, len(actions))
            found[title] = len(actions)
            os.chdir(before)
    return found


def expected(texts, rows, program):
    """What the command line answers."""
    with tempfile.TemporaryFile("w+") as lines:
        for text in texts:
            lines.write(json.dumps({"command": text}) + "\n")
        lines.seek(0)
        command = [program, "check", "--jsonl", "--judge", "never", "--cwd", PLACE]
        run = subprocess.run(command, stdin=lines, stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    single = [(text, answer["action"], answer["rule"], answer["reason"]) for text, answer in zip(texts, answers)]
    return collections.Counter(islice(cycle(single), rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("commands", type=Path, help='rows with "command"')
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--program", type=Path, default=PROGRAM)
    options = parser.parse_args()
    texts = [json.loads(line)["command"] for line in options.commands.read_text().splitlines() if line.strip()]
    texts = [text for text in texts if text.strip()]
    print("examples of the page:", examples(PAGE, texts[:1000], options.engine or list(ENGINES)), flush=True)
    right = expected(texts, options.rows, options.program)
    wrong = []
    print(f"{options.rows} rows of {len(texts)} commands\n")
    print("| engine | workers | alone: wall, CPU | with the guard: wall, CPU | rows per second | per CPU second | verdicts |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "commands.parquet"
        pq.write_table(pa.table({"command": list(islice(cycle(texts), options.rows))}), path, row_group_size=BATCH)
        for name in options.engine or ENGINES:
            if importlib.util.find_spec(name) is None:
                print(f"| {name} | not installed | | | | | |")
                continue
            version = importlib.metadata.version(name)
            for workers in (1, 2):
                times = []
                for function in (Nothing, Guard):
                    with tempfile.TemporaryDirectory(dir=folder) as out:
                        times.append(ENGINES[name](path, workers, function, Path(out)))
                        same = function is Nothing or counted(out) == right
                if not same:
                    wrong.append(name)
                (alone, alone_cpu), (judged, judged_cpu) = times
                row = [
                    f"{name} {version}",
                    workers,
                    f"{alone:.1f}, {alone_cpu:.1f} s",
                    f"{judged:.1f}, {judged_cpu:.1f} s",
                    f"{options.rows / judged:,.0f}",
                    f"{options.rows / judged_cpu:,.0f}",
                    "equal" if same else "DIFFER",
                ]
                print("|", " | ".join(map(str, row)), "|", flush=True)
    if wrong:
        sys.exit(f"verdicts differ from the command line's: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
