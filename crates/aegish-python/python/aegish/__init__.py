"""Says what a shell command will do before it runs.

>>> import aegish
>>> aegish.check("cat /etc/shadow").action
'block'
"""

from ._aegish import (
    AegishError,
    Finding,
    Session,
    Verdict,
    __version__,
    check,
    check_arrow,
    check_many,
    explain,
    redact,
)
from ._types import Action, DecidedBy, FailMode, Machine, Role

__all__ = [
    "Action",
    "AegishError",
    "DecidedBy",
    "FailMode",
    "Finding",
    "Machine",
    "Role",
    "Session",
    "Verdict",
    "__version__",
    "check",
    "check_arrow",
    "check_many",
    "explain",
    "redact",
]
