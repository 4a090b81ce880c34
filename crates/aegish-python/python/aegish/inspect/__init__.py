"""aegish for Inspect AI: an approver, two tasks and a scorer of transcripts.

Inspect finds them by the entry point of this package:

    inspect eval task.py --approval aegish/aegish
    inspect eval aegish/gtfobins -T dataset=gtfobins_commands.json --model openai/gpt-5-mini
    inspect score log.eval --scorer aegish/dangerous_calls
"""

try:
    import inspect_ai  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("aegish.inspect needs Inspect AI: pip install 'aegish[inspect]'") from error

from .approver import aegish
from .scorers import dangerous_calls, security_classification_scorer
from .tasks import exact_system_message, gtfobins, harmless

__all__ = [
    "aegish",
    "dangerous_calls",
    "exact_system_message",
    "gtfobins",
    "harmless",
    "security_classification_scorer",
]
