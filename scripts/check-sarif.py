#!/usr/bin/env python3
"""Checks that SARIF output of `aegish scan` fits the official schema of SARIF 2.1.0.

    python3 scripts/check-sarif.py AEGISH PATH...

The schema comes from the npm package `@microsoft/jest-sarif`. Needs npm and the Python package `jsonschema`.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import jsonschema

PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
MEMBER = "package/lib/schemas/sarif-2.1.0-rtm.5.json"


def schema(folder: Path) -> dict:
    subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        return json.load(archive.extractfile(MEMBER))


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    aegish, *paths = sys.argv[1:]
    command = [aegish, "scan", "--format", "sarif", "--fail-on", "never", *paths]
    output = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    document = json.loads(output)
    with tempfile.TemporaryDirectory() as folder:
        validator = jsonschema.Draft7Validator(schema(Path(folder)))
    errors = list(validator.iter_errors(document))
    for error in errors[:20]:
        print(f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}", file=sys.stderr)
    results = len(document["runs"][0]["results"])
    print(f"{results} results, {len(errors)} errors of the schema")
    return 1 if errors or not results else 0


if __name__ == "__main__":
    sys.exit(main())
