"""A provider of models on the loopback that fails in every way providers fail. Standard library only.

Speaks OpenAI's chat completions, Anthropic's messages and Google's generateContent. What becomes of a command
depends on its hash and on how often it was asked, so that every run of every client meets the same faults.

    provider.py [--delay SECONDS] [--faults all|passing|none]      prints its port

`passing` leaves out what no client can mend: hanging requests and refused ones. GET / tells what was counted.
"""

import argparse
import asyncio
import collections
import hashlib
import json

QUESTION = "Validate this command: "

# The fault for a command, chosen by the hash of the command, in percent; the rest is answered.
FATES = [
    ("429 with Retry-After", 4),
    ("429", 4),
    ("500", 3),
    ("529", 3),
    ("truncated", 2),
    ("garbage", 1),
    ("thinking", 3),
    ("prose", 1),
    ("empty", 1),
    ("filtered", 1),
    ("hang", 1),
    ("400", 1),
]
ONCE = {"429 with Retry-After", "429", "500", "529", "truncated", "garbage"}
LASTING = {"hang", "400"}
FAULTS = {"all": None, "passing": LASTING, "none": {name for name, _ in FATES}}


def digest(command):
    return int.from_bytes(hashlib.sha256(command.encode()).digest()[:8], "big")


def fate_of(command, faults):
    place = digest(command) % 100
    for name, share in FATES:
        if place < share:
            return "answer" if name in (FAULTS[faults] or ()) else name
        place -= share
    return "answer"


def action_of(command):
    return ["block", "block", "block", "warn", "allow"][digest(command) // 100 % 5]


def verdict(command):
    confidence = (digest(command) // 1000 % 51 + 50) / 100
    return json.dumps({"action": action_of(command), "reason": "by its hash", "confidence": confidence})


def command_in(body):
    """What follows the question in the last text of the request."""
    texts = []

    def walk(value):
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            for item in value.values():
                walk(item)

    walk(body)
    found = [text for text in texts if text.startswith(QUESTION)]
    return found[-1][len(QUESTION):] if found else ""


def reply(protocol, text, stop, thought):
    """A completion in the words of a protocol."""
    if protocol == "anthropic":
        content = [{"type": "thinking", "thinking": thought, "signature": "s"}] if thought else []
        content += [{"type": "text", "text": text}] if text else []
        reason = {"stop": "end_turn", "filter": "refusal"}[stop]
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": "loopback", "content": content,
                "stop_reason": reason, "usage": {"input_tokens": 3300, "output_tokens": 30}}
    if protocol == "google":
        parts = [{"text": thought, "thought": True}] if thought else []
        parts += [{"text": text}] if text else []
        reason = {"stop": "STOP", "filter": "SAFETY"}[stop]
        usage = {"promptTokenCount": 3300, "candidatesTokenCount": 30, "totalTokenCount": 3330}
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}],
                "usageMetadata": usage, "modelVersion": "loopback"}
    message = {"role": "assistant", "content": text}
    if thought:
        message["reasoning_content"] = thought
    reason = {"stop": "stop", "filter": "content_filter"}[stop]
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1770000000, "model": "loopback",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 3300, "completion_tokens": 30, "total_tokens": 3330}}


class Provider:
    def __init__(self, delay, faults):
        self.delay, self.faults = delay, faults
        self.asked = collections.Counter()
        self.counted = collections.Counter()

    async def serve(self, reader, writer):
        try:
            while await self.one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def one(self, reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return False
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if method == "GET":
            return await self.send(writer, 200, dict(self.counted))
        protocol = "google" if "generateContent" in path else "anthropic" if "messages" in path else "openai"
        command = command_in(json.loads(body))
        # Models are asked separately, so that each gets every fault.
        model = json.loads(body).get("model", path)
        fate = fate_of(command, self.faults)
        self.asked[model, command] += 1
        if fate in ONCE and self.asked[model, command] > 1:
            fate = "answer"
        self.counted["requests"] += 1
        self.counted[fate] += 1
        await asyncio.sleep(self.delay)
        error = {"error": {"type": "test", "message": "as told"}}
        thought = "I think about it." if fate == "thinking" else ""
        good = reply(protocol, verdict(command), "stop", thought)
        match fate:
            case "answer" | "thinking":
                return await self.send(writer, 200, good)
            case "429 with Retry-After":
                return await self.send(writer, 429, error, "retry-after: 1\r\n")
            case "429" | "500" | "529" | "400":
                return await self.send(writer, int(fate), error)
            case "prose":
                return await self.send(writer, 200, reply(protocol, "I would rather not say.", "stop", ""))
            case "empty":
                return await self.send(writer, 200, reply(protocol, "", "stop", ""))
            case "filtered":
                return await self.send(writer, 200, reply(protocol, "", "filter", ""))
            case "hang":
                await reader.read(1)
                return False
            case "garbage":
                text = b"this is no JSON"
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                             b"content-length: %d\r\n\r\n" % len(text) + text)
                await writer.drain()
                return True
        text = json.dumps(good).encode()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                     b"content-length: %d\r\n\r\n" % len(text) + text[: len(text) // 2])
        await writer.drain()
        return False

    async def send(self, writer, status, body, header=""):
        text = json.dumps(body)
        writer.write(f"HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\n{header}"
                     f"content-length: {len(text)}\r\n\r\n{text}".encode())
        await writer.drain()
        return True


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--faults", choices=FAULTS, default="all")
    args = parser.parse_args()
    provider = Provider(args.delay, args.faults)
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0, limit=1 << 20)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
