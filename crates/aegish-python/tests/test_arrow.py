"""Arrow batches."""

import json
import subprocess
from pathlib import Path

import aegish
import pytest

pa = pytest.importorskip("pyarrow")

PROGRAM = Path(aegish.__file__).parent / "_bin" / "aegish"
COMMANDS = ["ls -la", "cat /etc/shadow", "echo 'ä' > x", "eval \"$(./settings)\"", "", "rm -rf /", "git push --force"]


def rows(batch):
    return batch.column("verdict").to_pylist()


def test_each_row_has_the_verdict_of_its_command():
    batch = pa.record_batch({"id": range(700), "command": COMMANDS * 100})
    judged = aegish.check_arrow(batch)
    assert isinstance(judged, pa.RecordBatch)
    assert judged.column("id").equals(batch.column("id"))
    for row, verdict in zip(rows(judged), aegish.check_many(COMMANDS * 100)):
        assert row["action"] == verdict.action and row["rule"] == verdict.rule
        assert row["rule_name"] == verdict.rule_name and row["reason"] == verdict.reason
        assert row["open"] == verdict.open and row["effects"] == verdict.effects
        assert row["confidence"] == pytest.approx(verdict.confidence)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_every_layout_of_text_is_read_and_null_stays_null(kind):
    array = pa.array(["ls", None, "cat /etc/shadow"], kind)
    assert [row and row["action"] for row in rows(aegish.check_arrow(array))] == ["allow", None, "block"]
    sliced = pa.record_batch({"text": array}).slice(2)
    assert [row["action"] for row in rows(aegish.check_arrow(sliced, column="text"))] == ["block"]


def test_directory_and_role_of_a_row_count():
    batch = pa.record_batch(
        {
            "command": ["cat shadow", "cat shadow", "systemctl restart nginx", "systemctl restart nginx"],
            "cwd": ["/etc", "/srv", None, None],
            "role": [None, None, "sysadmin", "restricted"],
        }
    )
    actions = [row["action"] for row in rows(aegish.check_arrow(batch))]
    assert actions[0] == "block" and actions[1:3] == ["allow", "allow"] and actions[3] != "allow"


def test_a_batch_without_rows_has_the_same_columns():
    empty = pa.record_batch({"command": pa.array([], pa.string())})
    full = pa.record_batch({"command": ["ls"]})
    assert aegish.check_arrow(empty).schema == aegish.check_arrow(full).schema


def test_what_cannot_be_judged_is_an_error_that_says_what_to_do():
    with pytest.raises(ValueError, match="no column `command`: the batch has x"):
        aegish.check_arrow(pa.record_batch({"x": ["ls"]}))
    with pytest.raises(TypeError, match="not texts"):
        aegish.check_arrow(pa.record_batch({"command": [1]}))
    with pytest.raises(TypeError, match="to_batches"):
        aegish.check_arrow(pa.table({"command": ["ls"]}))
    with pytest.raises(ValueError, match="role"):
        aegish.check_arrow(pa.record_batch({"command": ["ls"], "role": ["king"]}))


@pytest.mark.skipif(not PROGRAM.exists(), reason="the wheel was built without the command line")
def test_verdicts_are_those_of_the_command_line(tmp_path):
    lines = "".join(json.dumps({"id": number, "command": text}) + "\n" for number, text in enumerate(COMMANDS))
    run = subprocess.run(
        [PROGRAM, "check", "--jsonl", "--judge", "never"],
        input=lines,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    expected = [json.loads(line) for line in run.stdout.splitlines()]
    judged = rows(aegish.check_arrow(pa.array(COMMANDS), cwd=str(tmp_path)))
    for answer, row in zip(expected, judged, strict=True):
        fields = ["action", "rule", "rule_name", "reason", "open"]
        assert [answer[field] for field in fields] == [row[field] for field in fields]
