"""Words that arguments and fields take."""

from typing import Literal

Action = Literal["allow", "warn", "block"]
Role = Literal["default", "sysadmin", "restricted"]
FailMode = Literal["open", "safe"]
Machine = Literal["this", "other"]
DecidedBy = Literal["static", "model", "cache", "user-rule"]
