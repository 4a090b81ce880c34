"""Tool calls of a conversation → the commands in them, judged in their order.

Commands run in a sandbox, so nothing that this machine knows about files counts. What earlier calls did counts: a
file that was downloaded is still a download three calls later.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import ToolCall

from .. import Role, Session, Verdict

TOOLS: Mapping[str, Sequence[str]] = {
    "bash": ("command", "cmd"),
    "python": ("code",),
    "bash_session": ("input",),
}
"""Tools that run commands, and the arguments in which these are."""

NO_DIRECTORY = ""
"""The directory of a sandbox is not known."""


@dataclass(frozen=True)
class Command:
    """What a call runs."""

    text: str
    shell: Literal["fresh", "lasting"]
    """Whether each call has a shell of its own."""


class Transcript:
    """The commands so far."""

    def __init__(self, role: Role = "default", shell_tools: Mapping[str, str] | None = None) -> None:
        own = {name: (argument,) for name, argument in (shell_tools or {}).items()}
        self.tools: Mapping[str, Sequence[str]] = {**TOOLS, **own}
        self.session = Session(role=role, machine="other")
        self.typed = ""
        """Text in a lasting shell that was typed, but not yet submitted."""

    def runs_commands(self, call: ToolCall) -> bool:
        """Whether the tool is one that runs commands."""
        return call.function in self.tools

    def replay(self, history: Sequence[ChatMessage], until: ToolCall | None = None) -> None:
        """Takes note of all calls before this one that ran."""
        results = {message.tool_call_id: message for message in history if isinstance(message, ChatMessageTool)}
        for message in history:
            if not isinstance(message, ChatMessageAssistant):
                continue
            for call in message.tool_calls or []:
                if until is not None and call.id == until.id:
                    return
                result = results.get(call.id)
                if result is None or result.error is None or result.error.type != "approval":
                    self.note(call)

    def command(self, call: ToolCall) -> Command | None:
        """The command of a call; None if there is none."""
        values = [call.arguments.get(name) for name in self.tools.get(call.function, ())]
        text = next((value for value in values if isinstance(value, str)), None)
        if text is None:
            return None
        match call.function:
            case "python":
                return Command(f"python3 -c {shlex.quote(text)}", "fresh")
            case "bash_session":
                submits = "\n" if call.arguments.get("action") == "type_submit" else ""
                return Command(self.typed + text + submits, "lasting")
            case _:
                return Command(text, "fresh")

    def check(self, call: ToolCall) -> Verdict | None:
        """The verdict on a call; None if it runs nothing."""
        command = self.command(call)
        if command is None or is_empty(command.text):
            return None
        cwd = NO_DIRECTORY if command.shell == "fresh" else None
        return self.session.copy().check(command.text, cwd=cwd)

    def note(self, call: ToolCall) -> None:
        """Takes note of a call that runs."""
        command = self.command(call)
        if command is None:
            return
        if command.shell == "lasting":
            ended = command.text.endswith(("\n", "\r"))
            self.typed = "" if ended else command.text
            if ended and not is_empty(command.text):
                self.session.check(command.text, ran=True)
        elif not is_empty(command.text):
            # Files stay; variables and the directory of a shell of its own do not.
            self.session.check(f"(\n{command.text}\n)", cwd=NO_DIRECTORY, ran=True)


def is_empty(text: str) -> bool:
    """Whether a text has nothing but white space and control characters such as ^C."""
    return all(character.isspace() or not character.isprintable() for character in text)
