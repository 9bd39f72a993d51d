#!/usr/bin/env python3
"""Runs the benchmarks and their peers in one run and prints ratios.

Files come from the public traces where present (HELIOSTAT_DATA, default ../shared/data next to the checkout);
otherwise files of the same shape and size are generated.
"""
import csv
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARIES = ROOT / "build/bench/bin"
DATA = pathlib.Path(os.environ.get("HELIOSTAT_DATA", ROOT / "../shared/data"))


def make_wind(path):
    draw = random.Random(1)
    level = [draw.uniform(0, 800) for _ in range(4)]
    with open(path, "w") as out:
        out.write("Year,Month,Day,Period,309_WIND_1,317_WIND_1,303_WIND_1,122_WIND_1\n")
        for month, days in enumerate([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], 1):
            for day in range(1, days + 1):
                for period in range(1, 289):
                    level = [min(850.0, max(0.0, v + draw.gauss(0, 5))) for v in level]
                    out.write(f"2020,{month},{day},{period}," + ",".join(f"{v:.1f}" for v in level) + "\n")


def make_jobs(path):
    draw = random.Random(2)
    with open(path, "w") as out:
        out.write("timestamp,duration,num_gpus,gpu_time,cluster\n")
        for _ in range(82247):
            seconds = float(int(draw.lognormvariate(7, 2)) + 1)
            gpus = draw.choice([1] * 12 + [2, 4, 8])
            when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(1504483200 + draw.randrange(9400000)))
            out.write(f"{when},{seconds},{gpus},{seconds * gpus},{draw.randrange(16):06x}\n")


def file_or_made(relative, maker):
    real = DATA / relative
    if real.exists():
        return real, "public trace"
    made = ROOT / "build/bench" / pathlib.Path(relative).name
    if not made.exists():
        maker(made)
    return made, "generated, same shape"


def run(binary, environment):
    result = subprocess.run([BINARIES / binary, "--benchmark_format=json", "--benchmark_min_time=0.5"],
                            env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{binary}: {result.stderr.strip()}")
    return {row["name"]: row for row in json.loads(result.stdout)["benchmarks"]}


def pandas_rate(path, dates):
    """Bytes per second of the C parser of pandas on bytes in memory, best of five."""
    import io

    import pandas

    text = path.read_bytes()
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        frame = pandas.read_csv(io.BytesIO(text), parse_dates=dates)
        if not dates:  # the wind file has its date in four columns
            pandas.to_datetime(frame[["Year", "Month", "Day"]]) + pandas.to_timedelta(5 * (frame["Period"] - 1), unit="min")
        best = min(best, time.perf_counter() - begin)
    return len(text) / best


def make_intensity(path):
    draw = random.Random(3)
    noise = 0.0
    with open(path, "w") as out:
        out.write("location,timestamp,duration,value,hist\n")
        for half_hour in range(167):
            noise = 0.9 * noise + draw.gauss(0, 5)
            when = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(1666246800 + 1800 * half_hour))
            value = 600 + 30 * math.sin(half_hour / 48 * 2 * math.pi) + noise
            out.write(f"MADE,{when},30,{value},{value}\n")


def chase_rows(path, days=2):
    """The features of Chase and the value per half hour of the first days: sine, cosine, previous, value."""
    with open(path) as text:
        table = list(csv.DictReader(text))
    rows = []
    for before, row in zip(table, table[1:48 * days + 1]):
        clock = row["timestamp"][11:19].split(":")
        angle = (int(clock[0]) * 3600 + int(clock[1]) * 60 + int(clock[2])) / 86400 * 2 * math.pi
        rows.append((math.sin(angle), math.cos(angle), float(before["hist"]), float(row["hist"])))
    return rows


def sklearn_regressions():
    from sklearn import ensemble, linear_model, svm

    return {"svr": lambda: svm.SVR(kernel="rbf", C=100, gamma=1e-4, epsilon=0.1),
            "linear": linear_model.LinearRegression,
            "gradient-boosting": lambda: ensemble.GradientBoostingRegressor(random_state=0),
            "adaboost": lambda: ensemble.AdaBoostRegressor(random_state=0),
            "random-forest": lambda: ensemble.RandomForestRegressor(random_state=0)}


def best_of(seconds, work):
    """The shortest time of `work` in microseconds, repeated for that many seconds."""
    best = float("inf")
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best * 1e6


def compare_regressions(rows, ours, answers):
    """Learns the first half of the rows and predicts the second. A forecast uses its own predictions, so a user of
    scikit-learn predicts row by row; scikit-learn is fastest with all rows in one call."""
    import numpy

    table = numpy.array(rows)
    half = len(rows) // 2
    learned, values, asked = table[:half, :3], table[:half, 3], table[half:, :3]
    print(f"{'':<20}{'':>12}{'scikit-learn,':>16}{'':>9}{'scikit-learn,':>16}{'':>9}{'largest':>12}")
    print(f"{'regression':<20}{'heliostat':>12}{'all at once':>16}{'ratio':>9}{'row by row':>16}{'ratio':>9}"
          f"{'difference':>12}")
    for name, make in sklearn_regressions().items():
        mine = ours[f"regress/{name}/min_time:0.001/repeats:200_best"]["real_time"]
        at_once = best_of(1, lambda: make().fit(learned, values).predict(asked))

        def row_by_row():
            peer = make().fit(learned, values)
            for row in asked:
                peer.predict(row[None])

        one_by_one = best_of(1, row_by_row)
        got = [float(line) for line in (answers / f"{name}.txt").read_text().split()]
        expected = make().fit(learned, values).predict(asked)
        apart = max(abs(a / b - 1) for a, b in zip(got, expected, strict=True))
        print(f"{name:<20}{mine:>9.0f} us{at_once:>13.0f} us{at_once / mine:>8.1f}x"
              f"{one_by_one:>13.0f} us{one_by_one / mine:>8.1f}x{100 * apart:>10.4f} %")


def compare_forecasts():
    """Runs regression_bench and its peers on the same rows."""
    path, origin = file_or_made("carbon/chase/carbon_hist.csv", make_intensity)
    rows = chase_rows(path)
    given = ROOT / "build/bench/chase_rows.csv"
    given.write_text("sine,cosine,previous,value\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    answers = ROOT / "build/bench/answers"
    answers.mkdir(exist_ok=True)
    ours = run("regression_bench", {"HELIOSTAT_BENCH_ROWS": str(given), "HELIOSTAT_BENCH_ANSWERS": str(answers)})
    print(f"\nLearning {len(rows) // 2} values and answering {len(rows) // 2}, {path.name} ({origin}), one core "
          "(goal for svr: at least 10 times scikit-learn's speed, answers within 0.1 %)")
    compare_regressions(rows, ours, answers)


def plain_ridge(path):
    """Milliseconds to fit one ridge regression per lead with scikit-learn on a year of daily forecasts from plain
    features, and to predict once: the least time of a forecast of 96 hours there."""
    import numpy
    from sklearn.linear_model import Ridge

    with open(path) as text:
        logs = numpy.log([float(row["carbon_intensity"]) for row in csv.DictReader(text)][:8760 + 24 * 181])
    origins = numpy.arange(len(logs) - 8760 + 192, len(logs) - 96, 24)

    def features(at, lead):
        same = [logs[at + lead % 24 - 24 * k] for k in (1, 2, 3, 7)]
        means = [numpy.array([logs[o - 24 * days:o].mean() for o in at]) for days in (1, 3, 7)]
        return numpy.column_stack([logs[at[:, None] - numpy.arange(1, 25)], *same, *means])

    def work():
        for lead in range(96):
            Ridge(1.0).fit(features(origins, lead), logs[origins + lead]).predict(features(origins[-1:], lead))

    return best_of(3, work) / 1000


def compare_auto():
    """Runs auto_bench, and the simplest forecast with scikit-learn on the same file."""
    path = DATA / "carbon/carboncast/DE_lifecycle_emissions.csv"
    known = path.exists()
    ours = run("auto_bench", {"HELIOSTAT_BENCH_GRID": str(path) if known else ""})
    year = ours["auto/year"]["real_time"]
    whole = ours["auto/backtest/iterations:1"]
    print(f"\nForecasting 96 h, {path.name if known else 'a synthetic zone'}, one core "
          "(goals: a year in under 1 s, 181 origins in under 60 s)")
    print(f"{'auto, fit on a year and predict':<44}{year:>9.0f} ms")
    if known:
        peer = plain_ridge(path)
        print(f"{'scikit-learn, 96 plain ridge regressions':<44}{peer:>9.0f} ms{year / peer:>8.1f} times as long for auto")
    print(f"{'auto, whole backtest':<44}{whole['real_time'] / 1000:>9.1f} s "
          f"for {whole['origins']:.0f} origins, refitted weekly")


def compare_cluster():
    """With a real Slurm beside the generated answers, where one can be booted. Its number of nodes is 2, or that of
    HELIOSTAT_BENCH_NODES: 1,000 take half a minute and 3 GB of memory."""
    print("\nLooking at a Slurm cluster (goal: under 1 s and 50 MB)", flush=True)
    lab = [sys.executable, ROOT / "tests/slurm/lab"]
    for mode in ("observe", "shadow"):
        subprocess.run([BINARIES / "controller_bench", mode], check=True, stderr=subprocess.DEVNULL)
    bench = [BINARIES / "cluster_bench"]
    nodes = os.environ.get("HELIOSTAT_BENCH_NODES", "2")
    if subprocess.run([*lab, "check"], check=False).returncode == 0:
        both = f"{BINARIES}/cluster_bench && {sys.executable} {ROOT}/benchmarks/controller_compare.py {BINARIES}"
        bench = [*lab, "run", "--class", f"{nodes}:a100:4", "--set", "MaxArraySize=20001", "--set", "MaxJobCount=30000", "--",
                 "sh", "-c", both]
    subprocess.run(bench, check=True)


def main():
    wind, wind_origin = file_or_made("renewable/rts_gmlc/REAL_TIME_wind.csv", make_wind)
    jobs, jobs_origin = file_or_made("jobs/philly/philly.csv", make_jobs)
    reading = run("reading_bench", {"HELIOSTAT_BENCH_WIND": str(wind), "HELIOSTAT_BENCH_JOBS": str(jobs)})
    print("Reading files in memory, one core (goal: at most 8 times the scan's time, at least 5 times pandas' speed)")
    print(f"{'file':<34}{'scan':>12}{'heliostat':>12}{'pandas':>12}{'scan/ours':>11}{'ours/pandas':>13}")
    for key, path, origin, dates in (("wind", wind, wind_origin, []), ("jobs", jobs, jobs_origin, ["timestamp"])):
        scan, ours = (reading[f"{key}/{who}"]["bytes_per_second"] for who in ("scan", "heliostat"))
        peer = pandas_rate(path, dates)
        label = f"{path.name} ({origin})"
        print(f"{label:<34}{scan / 1e6:>7.0f} MB/s{ours / 1e6:>7.0f} MB/s{peer / 1e6:>7.0f} MB/s"
              f"{scan / ours:>10.1f}x{ours / peer:>12.1f}x")
    series = run("series_bench", {})
    fast, slow = (1e9 / series[f"integrate/{way}"]["items_per_second"] for way in ("prefix-sums", "step-by-step"))
    print("\nIntegrating a year of 5-minute samples over 10,000 random intervals (goal: under 50 ns each)")
    print(f"{fast:.1f} ns per interval, {slow / fast:,.0f} times faster than adding up steps; "
          f"making the series: {series['make/year-of-5-minutes']['real_time']:.0f} us")
    compare_forecasts()
    compare_auto()
    compare_cluster()
    print("\nSimulating (docs/models/simulator.md)", flush=True)
    subprocess.run([BINARIES / "simulate_bench"], check=True, cwd=ROOT, env={**os.environ, "HELIOSTAT_DATA": str(DATA)})
    print("\nPlanning, both cores (goals: docs/models/planner.md)", flush=True)
    subprocess.run([BINARIES / "planner_bench"], check=True)
    print("\nA simulated week, this solver and the one before on the same questions (goal: a quarter of the time)", flush=True)
    subprocess.run([BINARIES / "week_bench"], check=True)
    print("\nDeadlines missed on crowded clusters, and their weight (goal: none of our policies more than edf)", flush=True)
    subprocess.run([BINARIES / "crowd_bench", "5", "24", "16"], check=True)
    print("\nSimulated weeks beside their own plans, planning afresh, and plans that know all jobs", flush=True)
    weeks = [DATA.parent / "scenarios" / name / "scenario.toml" for name in ("example-week", "planner/g60_12",
                                                                             "planner/n60_12")]
    subprocess.run([BINARIES / "closed_loop_bench", "ca-rm-performance", *filter(pathlib.Path.exists, weeks)], check=False)
    print(flush=True)
    subprocess.run([sys.executable, ROOT / "benchmarks/agent_compare.py"], check=True)
    subprocess.run([sys.executable, ROOT / "benchmarks/relay_compare.py"], check=True)


if __name__ == "__main__":
    main()
