"""The recipes of docs/how-to/engines.md against the real packages.

    python benches/engines.py COMMANDS.jsonl --rows 1000000 [--engine polars ...]

Each engine reads the same Parquet file and judges every row. Verdicts must equal those of `aegish check --jsonl`. The table
has the time of the engine alone (the sum of the lengths of all commands) and with the guard, with one worker and with two.
"""

import argparse
import collections
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

import aegish
import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = Path(aegish.__file__).parent / "_bin" / "aegish"
BATCH = 65_536
VERDICT = (
    "struct<action:string,rule:string,rule_name:string,reason:string,confidence:float,open:boolean,"
    "effects:array<string>>"
)


def counted(batches):
    """How often each verdict was given."""
    counts = collections.Counter()
    for batch in batches:
        verdicts = batch["verdict"] if isinstance(batch, pa.RecordBatch) else batch.column("verdict")
        rows = zip(batch.column("command").to_pylist(), verdicts.to_pylist())
        counts.update((command, row["action"], row["rule"], row["reason"]) for command, row in rows)
    return counts


def polars(path, workers):
    import polars as pl

    frame = pl.read_parquet(path, columns=["command"])
    bare = timed(lambda: frame.select(pl.col("command").str.len_chars().sum()).item())

    def judge():
        batches = frame.to_arrow().to_batches(max_chunksize=BATCH)
        table = pa.Table.from_batches([aegish.check_arrow(batch, threads=workers) for batch in batches])
        return pl.from_arrow(table).to_arrow().to_batches()

    return bare, timed(judge)


def duckdb(path, workers):
    import duckdb as db

    connection = db.connect()
    connection.execute(f"set threads to {workers}")
    bare = timed(lambda: connection.sql(f"select sum(length(command)) from '{path}'").fetchall())

    def judge():
        reader = connection.sql(f"select command from '{path}'").to_arrow_reader(BATCH)
        schema = aegish.check_arrow(pa.record_batch({"command": ["ls"]})).schema
        judged = (aegish.check_arrow(batch, threads=workers) for batch in reader)
        verdicts = pa.RecordBatchReader.from_batches(schema, judged)
        return db.connect().sql("select command, verdict from verdicts").to_arrow_table().to_batches()

    return bare, timed(judge)


def pandas(path, workers):
    import pandas as pd

    frame = pd.read_parquet(path)
    bare = timed(lambda: int(frame["command"].str.len().sum()))

    def judge():
        batch = pa.RecordBatch.from_pandas(frame[["command"]], preserve_index=False)
        judged = aegish.check_arrow(batch, threads=workers)
        verdict = pd.DataFrame(judged["verdict"].to_pylist(), index=frame.index)
        return frame.join(verdict)

    bare_time, (joined, seconds) = bare, timed(judge)
    rows = joined[["command", "action", "rule", "reason"]].itertuples(index=False, name=None)
    return bare_time, (collections.Counter(rows), seconds)


def pyspark(path, workers):
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import length
    from pyspark.sql.functions import sum as total

    def judge_batches(batches):
        import aegish

        for batch in batches:
            yield aegish.check_arrow(batch, threads=1)

    spark = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = spark.read.parquet(str(path)).select("command").repartition(workers * 2)
        bare = timed(lambda: frame.agg(total(length("command"))).collect())
        judged = frame.mapInArrow(judge_batches, f"command string, verdict {VERDICT}")
        return bare, timed(lambda: judged.toArrow().to_batches())
    finally:
        spark.stop()


def ray(path, workers):
    import ray as engine

    def judge_table(table):
        import aegish

        return pa.Table.from_batches([aegish.check_arrow(batch, threads=1) for batch in table.to_batches()])

    engine.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    try:
        data = engine.data.read_parquet(str(path), columns=["command"])
        bare = timed(lambda: data.count())
        judged = data.map_batches(judge_table, batch_format="pyarrow", batch_size=BATCH)
        return bare, timed(lambda: list(judged.iter_batches(batch_format="pyarrow", batch_size=BATCH)))
    finally:
        engine.shutdown()


ENGINES = {engine.__name__: engine for engine in (polars, duckdb, pandas, pyspark, ray)}


def timed(work):
    started = time.monotonic()
    result = work()
    return result, time.monotonic() - started


def expected(texts, rows, program):
    """What the command line answers."""
    with tempfile.TemporaryFile("w+") as lines:
        for text in texts:
            lines.write(json.dumps({"command": text}) + "\n")
        lines.seek(0)
        command = [program, "check", "--jsonl", "--judge", "never"]
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
    right = expected(texts, options.rows, options.program)
    wrong = []
    print(f"{options.rows} commands\n\n| engine | workers | engine alone | with the guard | commands per second |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "commands.parquet"
        pq.write_table(pa.table({"command": list(islice(cycle(texts), options.rows))}), path, row_group_size=BATCH)
        for name in options.engine or ENGINES:
            if importlib.util.find_spec(name) is None:
                print(f"| {name} | not installed | | | |")
                continue
            for workers in (1, 2):
                (_, alone), (judged, seconds) = ENGINES[name](path, workers)
                found = judged if isinstance(judged, collections.Counter) else counted(judged)
                if found != right:
                    wrong.append(name)
                rate = options.rows / seconds
                print(f"| {name} | {workers} | {alone:.2f} s | {seconds:.1f} s | {rate:,.0f} |", flush=True)
    if wrong:
        sys.exit(f"verdicts differ from the command line's: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
