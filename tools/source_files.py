#!/usr/bin/env python3
"""Lists the repository's files of one kind, one per line, for the linters.

    tools/source_files.py cpp|production|shell|text
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPP = {".h", ".cc"}
TEXT = CPP | {".py", ".md", ".txt", ".cmake", ".json", ".toml", ".html", ".css", ".ts", ".js", ""}


def repository_files(root=ROOT):
    """Tracked files and new files that git does not ignore; without git, all files except build/."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=False)
    if listing.returncode == 0:
        names = listing.stdout.decode().split("\0")
        paths = [root / name for name in names if name]
    else:
        paths = [path for path in root.rglob("*") if path.relative_to(root).parts[0] != "build"]
    return sorted(path for path in paths if path.is_file())


def is_shell(path):
    if path.suffix == ".sh":
        return True
    if path.suffix:
        return False
    with path.open("rb") as file:
        first = file.readline(80)
    return first.startswith(b"#!") and (b"bash" in first or first.rstrip().endswith(b"/sh"))


def is_production(path):
    parts = path.relative_to(ROOT).parts
    return (path.suffix == ".cc" and parts[0] in {"heliostat", "apps", "fakes"} and "testing" not in parts
            and not path.stem.endswith(("_test", "_bench")))


def is_text(path):
    return path.suffix in TEXT and "corpus" not in path.parts and path.name != "LICENSE"


KINDS = {"cpp": lambda path: path.suffix in CPP, "production": is_production, "shell": is_shell, "text": is_text}


def source_files(kind):
    return [path for path in repository_files() if KINDS[kind](path)]


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in KINDS:
        sys.exit(f"usage: source_files.py {'|'.join(KINDS)}")
    for path in source_files(sys.argv[1]):
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
