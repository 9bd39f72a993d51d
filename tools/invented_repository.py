"""Runs a check of the repository on invented files, for the tests of the checks."""
import pathlib
import subprocess
import sys
import tempfile


def run_check(check, files):
    """The exit status of the check and what it prints. `files`: texts by path."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, str(check), folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr
