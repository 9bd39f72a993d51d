#!/usr/bin/env python3
"""Runs every `heliostat` command in a code block of the documents, in a folder that has the files it names.

usage: commands_test.py PATH-OF-HELIOSTAT [unittest options]

Commands that need a network, minutes, or real traces are not run. NOT_RUN lists them with the reason, and checks that the
command's help has every option.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HELIOSTAT = pathlib.Path(sys.argv.pop(1)).resolve()
BUILD = HELIOSTAT.parent.parent

# The beginning of a command, and the reason why it is not run.
NOT_RUN = {
    "heliostat signal fetch": "asks a provider over the network",
    "heliostat run --zone GB --provider": "asks a provider over the network",
    "heliostat run --zone solar-heavy --speed-up": "lasts three minutes",
    "heliostat run --knob pace --carbon sun.csv": "needs a GPU of its own",
    "heliostat reproduce": "lasts minutes",
    "heliostat demo": "has tests of its own",
    "heliostat forecast backtest gb_30min": "needs published forecasts",
    "heliostat forecast backtest REAL_TIME": "needs published forecasts",
    "heliostat plan scenario.toml --objective min-carbon --risk": "needs a scenario with possible futures",
    "heliostat plan scenario.toml --pareto": "lasts a minute with sanitizers",
    "heliostat scenario make -o philly": "needs a public trace",
    "heliostat device watch": "runs for as long as --for",
}
# Added to `scenario make`: a day of a small cluster is enough here.
DAY = "--slots 24 --gpus A40:2x4 --count 6"


def documents():
    return [ROOT / "README.md", *(path for path in sorted((ROOT / "docs").rglob("*.md")) if "decisions" not in path.parts)]


def commands(path):
    """(line number, command) of each line in a code block that calls heliostat."""
    in_block, joined, began = False, "", 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            in_block = not in_block
            continue
        if not in_block and not line.startswith("    "):
            continue
        text = re.sub(r"^build/(?:release|dev)/bin/", "", line.strip().removeprefix("$ "))
        if not joined and not re.match(r"heliostatd? ", text + " "):
            continue
        began = began if joined else number
        joined = f"{joined} {text}".strip()
        if joined.endswith("\\"):
            joined = joined[:-1].strip()
            continue
        yield began, joined
        joined = ""


class Sandbox:
    """A folder with every file that the documents name, two doubled GPUs, and two runs on record."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "HOME": folder, "HELIOSTAT_RUNS": f"{folder}/runs",
                            "HELIOSTAT_NVML": str(BUILD / "lib/libnvidia-ml-double.so"),
                            "HELIOSTAT_DOUBLE": f"{folder}/gpus.state", "HELIOSTAT_STATE": f"{folder}/leases",
                            "HELIOSTAT_AGENT": f"{folder}/agent.sock"}
        self.tool("nvml-double", "create", "gpus.state", "--gpu", "H200", "--gpu", "A40")
        self.heliostat("scenario make -o . --name week")
        self.heliostat("scenario make -o week")
        for name, year in (("DE_lifecycle_emissions", 2023), ("KR_2023", 2023), ("KR_2024", 2024),
                           ("rate_history", 2023), ("de", 2023), ("FILE", 2023)):
            self.heliostat(f"signal generate --zone duck-curve --start {year}-01-01 --end {year + 1}-01-01 -o {name}.csv")
        self.heliostat("signal generate --zone duck-curve --start 2021-06-01 --end 2021-07-08 -o CISO_lifecycle_emissions.csv")
        (self.folder / "FILE.csv").rename(self.folder / "FILE")
        for name in ("train.sh", "python"):
            (self.folder / name).write_text("#!/bin/sh\nsleep 0.2\n")
            (self.folder / name).chmod(0o755)
        self.environment["PATH"] = f"{folder}:{HELIOSTAT.parent}:{os.environ['PATH']}"
        for _ in range(2):
            self.heliostat("run --carbon de.csv --knob pace -- ./train.sh")
        runs = json.loads(self.heliostat("runs --json").stdout)["runs"]
        jobs = (self.folder / "jobs.csv").read_text().splitlines()[1:]
        self.names = {"4f2a": runs[0]["id"], "81c0": runs[1]["id"], "job-17": jobs[0].split(",")[0]}

    def tool(self, name, *arguments):
        subprocess.run([BUILD / "bin" / name, *arguments], cwd=self.folder, check=True, capture_output=True)

    def run(self, command):
        for name, real in getattr(self, "names", {}).items():
            command = command.replace(name, real)
        words = shlex.split(command, comments=True)
        if words[1:3] == ["scenario", "make"]:
            words += DAY.split()
        words[0] = str(HELIOSTAT.parent / words[0])
        return subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=60)

    def heliostat(self, arguments):
        done = self.run("heliostat " + arguments)
        if done.returncode != 0:
            raise RuntimeError(f"heliostat {arguments}: {done.stderr}")
        return done


class Commands(unittest.TestCase):
    def test_every_command_of_the_documents_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            sandbox = Sandbox(folder)
            ran = 0
            for path in documents():
                for number, command in commands(path):
                    if any(command.startswith(start) for start in NOT_RUN):
                        continue
                    with self.subTest(f"{path.relative_to(ROOT)}:{number}: {command}"):
                        done = sandbox.run(command)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        ran += 1
            self.assertGreater(ran, 30)

    def test_what_is_not_run_has_options_that_exist(self):
        seen = set()
        for path in documents():
            for number, command in commands(path):
                start = next((start for start in NOT_RUN if command.startswith(start)), None)
                if start is None:
                    continue
                seen.add(start)
                words = shlex.split(command, comments=True)
                words = words[:words.index("--")] if "--" in words else words
                name = []
                for word in words[1:3]:
                    if not re.fullmatch(r"[a-z]+", word) or (name and name[0] in ("run", "reproduce", "demo")):
                        break
                    name.append(word)
                text = subprocess.run([HELIOSTAT, *name, "--help"], capture_output=True, text=True, check=True).stdout
                for option in re.findall(r"(?<=\s)(--?[a-z][a-z-]*)", " " + " ".join(words[1:])):
                    with self.subTest(f"{path.relative_to(ROOT)}:{number}: {command}"):
                        self.assertRegex(text, rf"(?m)(^|[ ,]){re.escape(option)}\b")
        self.assertEqual(seen, set(NOT_RUN), "a command in NOT_RUN stands in no document")


if __name__ == "__main__":
    unittest.main()
