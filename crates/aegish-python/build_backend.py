"""Builds wheels and source distributions: maturin, and the program `aegish` beside the module.

AEGISH_PROGRAM names a program that was built before; without it cargo builds one.

    python build_backend.py program      puts the program into the package, before `maturin build`
    python build_backend.py sdist DIR    makes the source distribution
"""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import maturin
from maturin import (  # noqa: F401  (hooks of PEP 517)
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_wheel,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLACE = HERE / "python" / "aegish" / "_bin" / "aegish"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    put_program()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    """All files of the repository: maturin leaves out what the program needs, and follows no links to folders."""
    with tempfile.TemporaryDirectory() as folder:
        described = Path(folder) / prepare_metadata_for_build_wheel(folder) / "METADATA"
        metadata = described.read_bytes()
    fields = dict(line.split(": ", 1) for line in metadata.decode().split("\n\n")[0].splitlines() if ": " in line)
    base = f"{fields['Name']}-{fields['Version']}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    path = Path(sdist_directory) / f"{base}.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(filter(None, listed.stdout.decode().split("\0"))):
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
        about = tarfile.TarInfo(f"{base}/PKG-INFO")
        about.size = len(metadata)
        archive.addfile(about, io.BytesIO(metadata))
    return path.name


def put_program():
    """Copies the program into the package."""
    program = os.environ.get("AEGISH_PROGRAM") or built()
    PLACE.parent.mkdir(exist_ok=True)
    shutil.copy(program, PLACE)


def built():
    """The path of the program, after cargo has built it."""
    arguments = ["--release", "--locked", "--package", "aegish"]
    subprocess.run(["cargo", "build", *arguments], cwd=ROOT, check=True)
    described = subprocess.run(
        ["cargo", "metadata", "--format-version=1", "--no-deps"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    return Path(json.loads(described.stdout)["target_directory"]) / "release" / "aegish"


def main(arguments):
    # The hooks of maturin call its program, which is beside this Python even if its environment is not active.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    match arguments:
        case ["program"]:
            put_program()
        case ["sdist", folder]:
            os.makedirs(folder, exist_ok=True)
            os.chdir(ROOT)
            print(build_sdist(folder))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
