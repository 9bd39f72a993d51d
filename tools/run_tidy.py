#!/usr/bin/env python3
"""Runs clang-tidy over the production sources, in parallel, and skips files that passed before.

    tools/run_tidy.py BUILD_FOLDER [FILE...]

A file is checked again only when it, a project header it includes, its compiler
flags, .clang-tidy or clang-tidy itself has changed. Needs the compile database that
the build writes; sources that are not in it are skipped and listed.

Most of the time goes into the headers of the standard library, so several sources are
checked as one (tools/tidy_batches.py). When a batch has findings, or does not compile
because its sources conflict, the files named are checked again one by one, and only
their own findings are reported.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from source_files import ROOT, source_files
from tidy_batches import Source, batches, shared_flags, taken_apart, wrapper_text

# The static analyzer takes a third of the time: HELIOSTAT_TIDY_ANALYZER=0 leaves it out.
EXTRA_CHECKS = [] if os.environ.get("HELIOSTAT_TIDY_ANALYZER", "1") == "1" else ["--checks=-clang-analyzer-*"]

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def find_clang_tidy():
    for name in ("clang-tidy-14", "clang-tidy"):
        if shutil.which(name):
            return name
    sys.exit("run_tidy: clang-tidy is not installed; run tools/install_packages test")


def compiled_sources(path):
    """The file itself, or the sources that it includes where the build compiles several as one."""
    return [pathlib.Path(name) for name in INCLUDE.findall(path.read_text())] if path.parent.name == "Unity" else [path]


def flags_by_file(build):
    """Compiler flags of each source, without the compiler, a launcher such as ccache, -c, -o or what is
    precompiled."""
    database = build / "compile_commands.json"
    if not database.exists():
        sys.exit(f"run_tidy: {database} is missing; configure the build first")
    flags = {}
    for entry in json.loads(database.read_text()):
        words = shlex.split(entry["command"])
        while words and not words[0].startswith("-"):
            words.pop(0)
        kept, skip = [], False
        for word in words:
            if skip:
                skip = False
            elif word in {"-o", "-c", "-include", "-Xclang"}:  # all that these name is precompiled
                skip = True
            else:
                kept.append(word)
        for path in compiled_sources(pathlib.Path(entry["directory"]) / entry["file"]):
            flags[str(path.resolve())] = kept
    return flags


def with_project_headers(path):
    """The file and every project header that it includes, directly or not."""
    reached, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current in reached:
            continue
        reached.add(current)
        for name in INCLUDE.findall(current.read_text(errors="replace")):
            for candidate in (ROOT / name, current.parent / name):
                if candidate.is_file():
                    waiting.append(candidate.resolve())
                    break
    return sorted(reached)


def fingerprint(path, flags, salt):
    digest = hashlib.sha256(salt)
    digest.update("\0".join(flags).encode())
    for file in with_project_headers(path):
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


class Tidy:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def passes(self, path, flags):
        """Whether clang-tidy finds nothing in `path`, and its output."""
        # Warnings that gcc knows and clang does not are not findings. The analyzer's deep mode,
        # which follows more paths, took 33 s instead of 9 s of processor time on io/json.cc.
        command = [self.program, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", *EXTRA_CHECKS, str(path), "--",
                   *flags, "-Wno-unknown-warning-option", "-Xclang", "-analyzer-config", "-Xclang", "mode=shallow"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        return done.returncode == 0, done.stdout + done.stderr

    def passes_together(self, batch):
        # The analyzer follows paths through included sources only below a file of this name (clang's
        # "unified sources"); tools/run_tidy_test.py fails should that change.
        wrapper = self.folder / f"UnifiedSource-{batch[0].mark.name[:16]}-{len(batch)}.cc"
        wrapper.write_text(wrapper_text(batch))
        answer = self.passes(wrapper, shared_flags(batch))
        wrapper.unlink()
        return answer

    def findings(self, batch):
        """The output of clang-tidy per file of the batch that has findings; the others are marked as passed."""
        if len(batch) == 1:
            ok, said = self.passes(batch[0].path, batch[0].flags)
            passed, again = (batch if ok else []), []
        else:
            ok, said = self.passes_together(batch)
            passed, again = (batch, []) if ok else taken_apart(batch, said)
        for source in passed:
            source.mark.touch()
        if again:
            reason = next((line for line in said.splitlines() if "error: " in line), "no reason given")
            print(f"split a batch of {len(batch)}: {reason}", flush=True)
            return [text for part in again for text in self.findings(part)]
        return [] if ok else [said]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: run_tidy.py BUILD_FOLDER [FILE...]")
    build = pathlib.Path(sys.argv[1]).resolve()
    tidy = find_clang_tidy()
    version = subprocess.run([tidy, "--version"], capture_output=True, check=True).stdout
    salt = version + " ".join(EXTRA_CHECKS).encode() + b"".join(
        file.read_bytes() for file in (ROOT / ".clang-tidy", pathlib.Path(__file__), ROOT / "tools/tidy_batches.py"))
    cache = build / "tidy"
    cache.mkdir(parents=True, exist_ok=True)

    flags = flags_by_file(build)
    wanted = [pathlib.Path(name).resolve() for name in sys.argv[2:]] or source_files("production")
    skipped = [path for path in wanted if str(path) not in flags]
    for path in skipped:
        print(f"not built, not checked: {path.relative_to(ROOT)}")

    due = []
    for path in wanted:
        if str(path) in flags:
            mark = cache / fingerprint(path, flags[str(path)], salt)
            if not mark.exists():
                due.append(Source(path, tuple(flags[str(path)]), mark))

    failed = 0
    runner = Tidy(tidy, cache)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in pool.map(runner.findings, batches(due, os.cpu_count())):
            failed += len(findings)
            for text in findings:
                print(text)
    print(f"clang-tidy: {len(wanted) - len(skipped)} files, {len(due)} checked, {failed} with findings")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
