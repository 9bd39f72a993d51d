#!/usr/bin/env python3
"""Runs the benchmarks and their peers in one go and prints ratios.

Files come from the public traces where they are (HELIOSTAT_DATA, default ../shared/data beside the checkout);
elsewhere files of the same shape and size are made.
"""
import json
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
    return made, "made, same shape"


def run(binary, environment):
    result = subprocess.run([BINARIES / binary, "--benchmark_format=json", "--benchmark_min_time=0.5"],
                            env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{binary}: {result.stderr.strip()}")
    return {row["name"]: row for row in json.loads(result.stdout)["benchmarks"]}


def pandas_rate(path, dates):
    """Bytes a second of pandas' C parser on bytes in memory, best of five."""
    import io

    import pandas

    text = path.read_bytes()
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        frame = pandas.read_csv(io.BytesIO(text), parse_dates=dates)
        if not dates:  # the wind file keeps its date in four columns
            pandas.to_datetime(frame[["Year", "Month", "Day"]]) + pandas.to_timedelta(5 * (frame["Period"] - 1), unit="min")
        best = min(best, time.perf_counter() - begin)
    return len(text) / best


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
    print(f"{fast:.1f} ns an interval, {slow / fast:,.0f} times faster than adding up steps; "
          f"making the series: {series['make/year-of-5-minutes']['real_time']:.0f} us")


if __name__ == "__main__":
    main()
