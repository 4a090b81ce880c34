"""The script `aegish`: becomes the program that lies beside the module."""

import os
import sys
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(__file__).parent / "_bin" / "aegish"


def main() -> NoReturn:
    """Replaces this process by the program, with the same arguments."""
    try:
        os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])
    except FileNotFoundError:
        sys.exit(f"aegish: {PROGRAM} is missing: this package was built without the command line")


if __name__ == "__main__":
    main()
