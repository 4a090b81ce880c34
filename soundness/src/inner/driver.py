"""Runs programs given on standard input and tells which files they open and which commands they run."""
import os
import sys

recording = False
events = []


def word(value):
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def hook(event, args):
    if not recording:
        return
    if event == "open" and isinstance(args[0], (str, bytes)):
        events.append("open " + word(args[0]))
    elif event == "os.system":
        events.append("run " + word(args[0]))
    elif event == "subprocess.Popen":
        events.append("run " + " ".join(map(word, args[1])))
    elif event in ("os.remove", "os.rmdir", "os.listdir", "os.chmod"):
        events.append("open " + word(args[0]))


def main():
    global recording
    source, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.dup2(null, 0)
    here = os.getcwd()
    import base64, functools, subprocess, threading, contextlib, operator, itertools  # noqa: loaded before recording
    sys.addaudithook(hook)
    while True:
        line = source.readline()
        if not line:
            return
        code = source.read(int(line)).decode()
        events.clear()
        recording = True
        error = ""
        try:
            exec(compile(code, "program", "exec"), {"__name__": "__main__"})
        except BaseException as caught:
            error = type(caught).__name__
        recording = False
        os.chdir(here)
        for event in events:
            out.write(event.replace("\n", " ") + "\n")
        out.write("END " + error + "\n")
        out.flush()


main()
