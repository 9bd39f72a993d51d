#!/usr/bin/env python3
"""Runs every `heliostat` command in a code block of the documents, in a folder that has the files it names.

usage: commands_test.py PATH-OF-HELIOSTAT [unittest options]

Files, GPUs and providers are made up, and SHORTER shortens what would last minutes. Nothing leaves this machine. Commands that
ask a cluster ask a lab; they are left out where none can run.
"""
import datetime
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("cli", "sacct", "signal_files", "slurm")]
import controlled_lab  # noqa: E402
import fake_providers  # noqa: E402
import make_dump  # noqa: E402
import price_files  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
HELIOSTAT = pathlib.Path(sys.argv.pop(1)).resolve()
BUILD = HELIOSTAT.parent.parent
DATA = pathlib.Path(os.environ.get("HELIOSTAT_DATA", ROOT / "../shared/data"))

# The beginning of a command, a pattern in it and its replacement: the same command in seconds.
SHORTER = (
    ("heliostat run --zone solar-heavy", r"--speed-up 480", "--speed-up 100000"),
    ("heliostat reproduce", r"( --quick)?$", " --quick"),
    *(() if DATA.is_dir() else (("heliostat reproduce all", r"--data traces", ""),)),
    ("heliostat forecast backtest gb_30min", r"$", " --start 2023-03-01 --no-leak-check"),
    ("heliostat forecast backtest REAL_TIME", r"$", " --start 2020-03-01 --no-leak-check"),
    ("heliostat plan ", r"$", " --gap 5"),
    ("heliostat plan scenario.toml --pareto", r"--points 12", "--points 2"),
    ("heliostat plan scenario.toml --objective min-carbon --risk", r"scenario\.toml", "risky.toml"),
    ("heliostat run --fake-gpu", r"--steps 2000", "--steps 2"),
    ("heliostat profile measure", r"measure .*$", "measure --fake-gpu A40 --levels 1 --minutes 0.15 -o profile.csv "
     "-- stand-in-train --steps 1000000 --batch 1"),
    ("heliostat device watch", r"( --for 60s)?$", " --for 1s"),
)
# Run by tests/cli/cli_test.py, which looks at its answer too.
RUN_ELSEWHERE = {("heliostat", "demo")}
# Added to `scenario make`: a day of a small cluster is enough here.
DAY = "--slots 24 --gpus A40:2x4 --count 6"
DAY_OF_OWN = "--slots 24 --count 6"


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

    def __init__(self, folder, providers):
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, **providers, "HOME": folder, "HELIOSTAT_RUNS": f"{folder}/runs",
                            "HELIOSTAT_NVML": str(BUILD / "lib/libnvidia-ml-double.so"),
                            "HELIOSTAT_DOUBLE": f"{folder}/gpus.state", "HELIOSTAT_STATE": f"{folder}/leases",
                            "HELIOSTAT_AGENT": f"{folder}/agent.sock", "HELIOSTAT_CONFIG": f"{folder}/config.toml", "TZ": "UTC"}
        self.tool("nvml-double", "create", "gpus.state", "--gpu", "H200", "--gpu", "A40")
        self.heliostat("scenario make -o . --name week")
        self.heliostat("scenario make -o week")
        for name, year in (("DE_lifecycle_emissions", 2023), ("KR_2023", 2023), ("KR_2024", 2024),
                           ("rate_history", 2023), ("de", 2023), ("sun", 2023), ("FILE", 2023)):
            self.heliostat(f"signal generate --zone duck-curve --start {year}-01-01 --end {year + 1}-01-01 -o {name}.csv")
        self.heliostat("signal generate --zone duck-curve --start 2021-06-01 --end 2021-07-08 -o CISO_lifecycle_emissions.csv")
        (self.folder / "FILE.csv").rename(self.folder / "FILE")
        for name in ("train.sh", "python", "python3", "sbatch"):
            (self.folder / name).write_text("#!/bin/sh\nsleep 0.2\n")
            (self.folder / name).chmod(0o755)
        self.environment["PATH"] = f"{folder}:{HELIOSTAT.parent}:{os.environ['PATH']}"
        for _ in range(2):
            self.heliostat("run --carbon de.csv --knob pace -- ./train.sh")
        runs = json.loads(self.heliostat("runs --json").stdout)["runs"]
        self.make_traces()
        self.make_profiles()
        if DATA.is_dir():
            (self.folder / "traces").symlink_to(DATA.resolve())
        self.write("profile.csv", "model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w",
                   (("train", "H200", 1, "", limit, limit / 9, 0.9 * limit) for limit in (300, 500, 700)))
        self.make_futures()
        jobs = (self.folder / "jobs.csv").read_text().splitlines()[1:]
        self.cluster = None  # variables of its commands
        self.names = {"4f2a": runs[0]["id"], "81c0": runs[1]["id"], "job-17": jobs[0].split(",")[0]}

    def write(self, name, header, rows):
        (self.folder / name).write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")

    def make_traces(self):
        """Small files in the formats of the public traces that the documents name."""
        price_files.miso_lmp(self.folder)
        minutes = datetime.timedelta(minutes=1)
        self.write("philly.csv", "timestamp,duration,num_gpus",
                   ((datetime.datetime(2017, 10, 9) + 37 * i * minutes, 3600 + 60 * i, 1 + i % 4) for i in range(40)))
        begin = datetime.datetime(2024, 3, 4)
        rows = (f"{i}|{begin + 20 * i * minutes}|0-01:{i:02}:00|cpu=8,gres/gpu={1 + i % 4}\n" for i in range(20))
        (self.folder / "dump.csv").write_text("JobID|Submit|Elapsed|AllocTRES\n" + "".join(rows))
        (self.folder / "dump.txt").write_text(make_dump.make_dump(jobs=60, nodes=3, days=1, zone="UTC")[0])
        begin = datetime.datetime(2023, 1, 1)
        carbon = [150 + 60 * math.sin(i / 48 * 2 * math.pi) + 7 * (i % 5) for i in range(65 * 48)]
        self.write("gb_30min_actual_forecast_mix_2023_2024.csv", "utc,actual,fc_0.5h,fc_24h,fc_47h",
                   (((begin + 30 * i * minutes).strftime("%Y-%m-%d %H:%M"), one, one + 1, one + 4, one - 9)
                    for i, one in enumerate(carbon)))
        begin = datetime.datetime(2020, 1, 1)
        for name, per_day, error in (("REAL_TIME_wind.csv", 288, 0), ("DAY_AHEAD_wind.csv", 24, 12)):
            days = [begin + datetime.timedelta(days=i) for i in range(65)]
            self.write(name, "Year,Month,Day,Period,309_WIND_1",
                       ((day.year, day.month, day.day, i + 1,
                         round(error + 70 + 50 * math.sin(i / per_day * 2 * math.pi + day.day), 1))
                        for day in days for i in range(per_day)))

    def make_profiles(self):
        """A user's table of measurements."""
        self.write("mine.csv", "net,cap,img_s,watts,bs",
                   ((model, cap, speed * (cap / 70) ** 0.5, 0.97 * cap, batch) for cap in (50, 60, 70)
                    for model, speed, batch in (("ResNet-50", 120, 64), ("ncf-movielens-1m", 2e5, 8192))))

    def make_futures(self):
        """risky.toml: scenario.toml with possible futures of its carbon intensity."""
        toml = (self.folder / "scenario.toml").read_text()
        carbon = re.search(r'(?m)^carbon *= *\{ *file *= *"([^"]*)"', toml)
        rows = [row.split(",") for row in (self.folder / carbon.group(1)).read_text().splitlines()[1:]]
        self.write("futures.csv", "time,low_carbon_g_per_kwh,high_carbon_g_per_kwh",
                   ((row[0], 0.9 * float(row[1]), 1.1 * float(row[1])) for row in rows))
        (self.folder / "risky.toml").write_text(
            toml.replace(carbon.group(), carbon.group() + ', scenarios = "futures.csv"'))

    def tool(self, name, *arguments):
        subprocess.run([BUILD / "bin" / name, *arguments], cwd=self.folder, check=True, capture_output=True)

    def run(self, command):
        for name, real in getattr(self, "names", {}).items():
            command = command.replace(name, real)
        words = shlex.split(command, comments=True)
        if words[1:3] == ["scenario", "make"] and "--sacct" not in words:
            words += DAY_OF_OWN.split() if "--profiles" in words else DAY.split()
        is_of_cluster = words[1:2] == ["cluster"]
        words[0] = str(HELIOSTAT.parent / words[0])
        return subprocess.run(words, cwd=self.folder, env=self.cluster if is_of_cluster else self.environment, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=60)

    def heliostat(self, arguments):
        done = self.run("heliostat " + arguments)
        if done.returncode != 0:
            raise RuntimeError(f"heliostat {arguments}: {done.stderr}")
        return done


class Commands(unittest.TestCase):
    def boot_cluster(self, names):
        """A lab with a job of the number that documents use, and its controller; nothing where no lab can run. `names`
        gets what documents call the controller's host."""
        possible = subprocess.run([controlled_lab.LAB, "check"], capture_output=True, text=True, check=False)
        if possible.returncode == 77:
            print(possible.stderr, end="")
            return None
        lab = controlled_lab.ControlledLab(BUILD, "--class", "1:a40:4", "--set", "FirstJobId=17")
        self.addCleanup(lab.remove)
        lab.sbatch("--gres=gpu:4", "-t", "60", submit=["--slack", "50%"])
        port = controlled_lab.free_port()
        munge_socket = lab.lab / "munge/socket"
        lab.variables["HELIOSTAT_MUNGE_SOCKET"] = str(munge_socket)
        names |= dict.fromkeys(("--controller ctl1", "--controller slurm@ctl1:7000"), f"--controller root@localhost:{port}")
        controller = controlled_lab.Controller(lab, lab.config(remote={
            "listen": f'"127.0.0.1:{port}"', "names": '["localhost"]', "munge_socket": f'"{munge_socket}"'}))
        self.addCleanup(controller.stop)
        controlled_lab.wait_until(lambda: lab.run("heliostat", "cluster", "why", "17").returncode == 0)
        return lab.variables

    def test_every_command_of_the_documents_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            sandbox = Sandbox(folder, fake_providers.serve(self))
            sandbox.cluster = self.boot_cluster(sandbox.names)
            ran, shortened = set(), set()
            for path in documents():
                for number, command in commands(path):
                    with self.subTest(f"{path.relative_to(ROOT)}:{number}: {command}"):
                        for start, pattern, replacement in SHORTER:
                            if command.startswith(start):
                                command = re.sub(pattern, replacement, command.split("#")[0].strip(), count=1)
                                shortened.add(start)
                        words = tuple(shlex.split(command, comments=True))
                        if words in ran | RUN_ELSEWHERE or (words[1:2] == ("cluster",) and sandbox.cluster is None):
                            continue
                        done = sandbox.run(command)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        ran.add(words)
            self.assertGreater(len(ran), 45)
            self.assertEqual(shortened, {start for start, _, _ in SHORTER}, "a command in SHORTER stands in no document")


if __name__ == "__main__":
    unittest.main()
