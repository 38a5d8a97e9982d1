"""The wheel carries everything: built, installed into a fresh environment, and run outside of the checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_checks_the_library_from_anywhere(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    place = tmp_path / "fresh"
    venv.create(place, with_pip=True)
    pip = [str(place / "bin/pip"), "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--constraint", str(pins(tmp_path)), str(wheel)], check=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [str(place / "bin/turnproof"), "check", "--claim", "TC-02", "--claim", "MC-09"],
        cwd=elsewhere,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all as expected" in done.stdout
    assert "Taiji" in done.stdout


def pins(folder: Path) -> Path:
    """The versions of the lock file as constraints, without hashes, which pip wants for all or none."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    path = folder / "constraints.txt"
    path.write_text("\n".join(re.findall(r"(?m)^[\w.-]+==[^\\\n]+", lock)), encoding="utf-8")
    return path
