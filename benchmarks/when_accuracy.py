#!/usr/bin/env python3
"""How good the advice of `heliostat when` is on public traces.

usage: when_accuracy.py PATH-OF-HELIOSTAT [FOLDER-OF-TRACES] [--days N] [--duration TIME] [--within TIME]

For each trace the advice is asked for every 7 hours of its last N days, with only the values before the question, and
compared with what happened. Prints a table in Markdown: the saving against starting now as advised, as promised and with
perfect knowledge, in percent of the mean when starting now; how often the 90 % range of the saving held; and how often
starting now would have been better, both of the times when the advice was to wait.
"""
import argparse
import json
import pathlib
import subprocess

TRACES = (
    ("carbon", "carbon/carboncast/{}_lifecycle_emissions.csv", ("DE", "CISO", "PL"), None),
    ("carbon", "carbon/electricitymaps/em_2023_2024_lca.csv", ("GB", "AU-NSW"), "--column"),
    ("price", "price/wholesale/price_utc_2023_2024.csv", ("DE-LU",), "--column"),
)


def ask(arguments, kind, path, zone, column):
    command = [arguments.heliostat, "when", "--duration", arguments.duration, "--within", arguments.within, f"--{kind}",
               path, "--backtest", f"{arguments.days}d", "--json", "--quiet", *((column, zone) if column else ())]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heliostat")
    parser.add_argument("data", nargs="?", default="../shared/data", type=pathlib.Path)
    parser.add_argument("--days", type=int, default=180)
    parser.add_argument("--duration", default="6h")
    parser.add_argument("--within", default="24h")
    arguments = parser.parse_args()
    print("| signal | questions | advised | promised | perfect | range held | now was better |")
    print("|---|---|---|---|---|---|---|")
    for kind, pattern, zones, column in TRACES:
        for zone in zones:
            result = ask(arguments, kind, arguments.data / pattern.format(zone), zone, column)
            print(f"| {zone} {kind} | {result['origins']} | {result['saving_percent']:.1f} % | "
                  f"{result['promised_percent']:.1f} % | {result['oracle_percent']:.1f} % | "
                  f"{result['coverage_percent']:.0f} % | {result['worse_percent']:.0f} % |", flush=True)


if __name__ == "__main__":
    main()
