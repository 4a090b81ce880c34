from collections.abc import Sequence
from typing import Any, Protocol, TypedDict, final

from ._types import Action, DecidedBy, FailMode, Machine, Role

__version__: str

class AegishError(Exception):
    """The guard failed, and nothing was approved."""

@final
class Finding:
    """A rule that applies to a part of the text."""

    def __new__(
        cls,
        rule: str,
        rule_name: str,
        action: Action,
        confidence: float,
        reason: str,
        instead: str | None,
        open: bool,
        span: tuple[int, int],
    ) -> Finding: ...
    @property
    def rule(self) -> str:
        """Id of the rule, as `aegish rules` lists it."""
    @property
    def rule_name(self) -> str: ...
    @property
    def action(self) -> Action: ...
    @property
    def confidence(self) -> float:
        """From 0 to 1."""
    @property
    def reason(self) -> str:
        """One sentence that names the thing."""
    @property
    def instead(self) -> str | None:
        """A harmless alternative."""
    @property
    def open(self) -> bool:
        """Whether reading alone cannot settle it."""
    @property
    def span(self) -> tuple[int, int]:
        """Start and end in the UTF-8 bytes of the text."""

@final
class Verdict:
    """The guard's answer to one command."""

    def __new__(
        cls,
        action: Action,
        rule: str,
        rule_name: str,
        reason: str,
        confidence: float,
        open: bool,
        decided_by: DecidedBy,
        effects: Sequence[str],
        findings: Sequence[Finding],
    ) -> Verdict: ...
    @property
    def action(self) -> Action: ...
    @property
    def rule(self) -> str:
        """Id of the rule that decided; `13` if no rule objects."""
    @property
    def rule_name(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def confidence(self) -> float:
        """From 0 to 1."""
    @property
    def open(self) -> bool:
        """Whether reading alone cannot settle it."""
    @property
    def decided_by(self) -> DecidedBy: ...
    @property
    def effects(self) -> list[str]:
        """What the command would do, each effect once."""
    @property
    def findings(self) -> list[Finding]:
        """Every rule that applies, the strictest first."""

@final
class Session:
    """Successive commands of one shell: facts carry over, unless a command is blocked."""

    def __new__(
        cls,
        *,
        role: Role | None = None,
        cwd: str | None = None,
        fail_mode: FailMode = "open",
        machine: Machine = "this",
    ) -> Session: ...
    def check(self, text: str, *, cwd: str | None = None, ran: bool = False) -> Verdict:
        """Judge the next command.

        A command that is blocked is taken not to run, so that nothing of it counts for the next ones. `ran=True` is
        for records of what has happened: the command ran, whatever the verdict.
        """
    def copy(self) -> Session:
        """A session with the same facts; what is judged in one does not change the other."""
    @property
    def cwd(self) -> str | None:
        """The directory after the commands so far; None if it is not known."""

class Span(TypedDict):
    start: int
    end: int

class SpanText(Span):
    text: str

class ExplainedFinding(TypedDict):
    rule: str
    name: str
    action: Action
    confidence: float
    reason: str
    instead: str | None
    open: bool
    span: SpanText

class ExplainedCommand(TypedDict):
    argv: list[str]
    program: str | None
    parent: int | None
    span: Span
    effects: list[str]

class Explanation(TypedDict):
    """The object that docs/reference/verdict.schema.json describes."""

    action: Action
    rule: str
    rule_name: str
    reason: str
    confidence: float
    decided_by: DecidedBy
    open: bool
    findings: list[ExplainedFinding]
    commands: list[ExplainedCommand]

class ArrowArray(Protocol):
    """An array or a record batch of any library with the Arrow PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

def check(
    text: str,
    *,
    role: Role | None = None,
    cwd: str | None = None,
    session: Session | None = None,
    fail_mode: FailMode = "open",
    machine: Machine = "this",
) -> Verdict:
    """Judge one command, alone or as the next one of a session.

    In a session the tighter of both roles counts, and the session's `fail_mode`.
    `fail_mode="safe"` blocks what reading alone cannot settle. `machine="other"` judges a command that
    runs elsewhere: files, directory, home and variables of this process do not count.
    """

def check_many(
    texts: Sequence[str],
    *,
    role: Role | None = None,
    cwd: str | None = None,
    fail_mode: FailMode = "open",
    machine: Machine = "this",
    threads: int | None = None,
) -> list[Verdict]:
    """Judge each command by itself, on all cores or on this number of threads."""

def check_arrow(
    batch: ArrowArray,
    *,
    column: str = "command",
    role: Role | None = None,
    cwd: str | None = None,
    fail_mode: FailMode = "open",
    machine: Machine = "this",
    threads: int | None = None,
) -> Any:
    """Judge each row of a batch by itself, and return the batch with the column `verdict`.

    The column is a struct of action, rule, rule_name, reason, confidence, open and effects; it is null
    where the command is null. Columns `cwd` and `role` of the batch, if it has them, hold for their rows.
    The result is a `pyarrow.RecordBatch` where pyarrow is installed, else an object with the Arrow
    PyCapsule interface.
    """

def explain(
    text: str,
    *,
    role: Role | None = None,
    cwd: str | None = None,
    fail_mode: FailMode = "open",
    machine: Machine = "this",
) -> Explanation:
    """The verdict with the expanded commands and the effects of each."""

def redact(text: str) -> str:
    """The text with every secret replaced by `‹redacted:KIND›`."""

def system_prompt(role: Role | None = None) -> str: ...
def answer(completion: str, stop_reason: str = "stop") -> tuple[str, str | None, float | None]: ...
