"""The approver `aegish`: allow is approved, block is rejected with its reason, warn goes to the next approver."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.approval import Approval, Approver, approver
from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolCall, ToolCallView

from .. import Action, Role, Verdict
from .transcript import Transcript

Decision = Literal["approve", "reject", "escalate"]

DECISIONS: dict[Action, Decision] = {"allow": "approve", "warn": "escalate", "block": "reject"}

NO_COMMANDS = ("submit", "think", "update_plan")
"""Tools of Inspect that run nothing."""


@approver(name="aegish")
def aegish(
    role: Role = "default",
    shell_tools: dict[str, str] | None = None,
    harmless: Sequence[str] = NO_COMMANDS,
) -> Approver:
    """Judges the shell commands in tool calls.

    Args:
        role: Whose work is judged: default, sysadmin or restricted.
        shell_tools: Further tools that run shell commands, each with the name of the argument that holds them.
        harmless: Tools that run no commands and are approved. All others go to the next approver.
    """

    async def approve(message: str, call: ToolCall, view: ToolCallView, history: list[ChatMessage]) -> Approval:
        transcript = Transcript(role, shell_tools)
        if not transcript.runs_commands(call):
            if call.function in harmless:
                return Approval(decision="approve", explanation=f"{call.function} runs no commands")
            return Approval(decision="escalate", explanation=f"aegish does not know what {call.function} does")
        transcript.replay(history, until=call)
        if transcript.command(call) is None and call.function != "bash_session":
            return Approval(decision="reject", explanation=f"the call of {call.function} has no command")
        verdict = transcript.check(call)
        if verdict is None:
            return Approval(decision="approve", explanation="there is no command")
        return Approval(
            decision=DECISIONS[verdict.action],
            explanation=explanation(verdict),
            metadata=described(verdict),
        )

    return approve


def explanation(verdict: Verdict) -> str:
    """The reason, and what would be fine instead."""
    instead = next((finding.instead for finding in verdict.findings if finding.instead), None)
    reason = f"{verdict.rule_name}: {verdict.reason}"
    return f"{reason}. Instead: {instead}" if instead and verdict.action != "allow" else reason


def described(verdict: Verdict) -> dict[str, object]:
    """The fields of a verdict that logs keep."""
    return {
        "action": verdict.action,
        "rule": verdict.rule,
        "rule_name": verdict.rule_name,
        "reason": verdict.reason,
        "confidence": round(verdict.confidence, 2),
        "open": verdict.open,
    }
