"""Uses every function with its types; checked by mypy, never run."""

import aegish

verdict: aegish.Verdict = aegish.check("ls", role="default", cwd="/", session=aegish.Session(), fail_mode="safe")
actions: list[str] = [each.action for each in aegish.check_many(["ls"], threads=2)]
spans: list[tuple[int, int]] = [finding.span for finding in verdict.findings]
words: list[list[str]] = [command["argv"] for command in aegish.explain("ls", machine="other")["commands"]]
text: str = aegish.redact("x")
happened: aegish.Verdict = aegish.Session(machine="other").check("ls", cwd="/srv", ran=True)
known: str | None = aegish.Session(role="restricted").copy().cwd
