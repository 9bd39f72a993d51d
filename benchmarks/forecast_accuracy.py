#!/usr/bin/env python3
"""Backtests `auto` on the public traces and prints the tables of docs/models/auto_forecast.md.

usage: forecast_accuracy.py [TABLE...], by default all of carbon-2021 electricity-maps price sources providers

Needs the release build and the traces (HELIOSTAT_DATA, default ../shared/data next to the checkout). Runs two backtests
at a time and takes a few minutes.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bin/heliostat"
DATA = pathlib.Path(os.environ.get("HELIOSTAT_DATA", ROOT / "../shared/data"))

# Results of others on the same origins: plain ridge regressions, and the forecasts of CarbonCast, which use weather
# forecasts (MAPE % of the first day and of 96 h).
PLAIN_RIDGE = {"CISO": (8.06, 11.35), "ERCO": (12.87, 15.54), "DE": (12.67, 19.68), "SE": (4.29, 6.07),
               "PL": (4.36, 6.37)}
CARBONCAST = {"CISO": (6.45, 15.64), "ERCO": (7.87, 15.78), "DE": (7.21, 12.39), "SE": (3.28, 5.83),
              "PL": (2.37, 4.24)}


def backtest(file, column, models, *options):
    command = [PROGRAM, "--quiet", "forecast", "backtest", DATA / file, "--column", column, "--models", models,
               "--no-leak-check", *options, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(ran.stderr.strip())
    return {model["name"]: model for model in json.loads(ran.stdout)["models"]}


def all_of(jobs):
    """The results of backtests given as argument lists, two at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda job: backtest(*job), jobs))


def row(*cells):
    print("| " + " | ".join(cell if isinstance(cell, str) else f"{cell:.2f}" for cell in cells) + " |")


def head(*cells):
    row(*cells)
    row(*["---"] * len(cells))


def day1(model, what="mape_percent"):
    return model["by_day"][0][what]


def covers(model):
    return " / ".join(f"{model[f'coverage{level}_percent']:.1f}" for level in (50, 80, 90))


def carbon_2021():
    print("\nCarbon intensity, July to December 2021, 181 origins at 00:00 UTC, 96 h ahead, MAPE % of day 1 / of 96 h:\n")
    jobs = [(f"carbon/carboncast/{zone}_lifecycle_emissions.csv", "carbon_intensity", "yesterday,auto", "--horizon",
             "96h", "--start", "2021-07-01") for zone in PLAIN_RIDGE]
    head("zone", "yesterday", "plain ridge", "CarbonCast tier 1", "**auto**", "auto by day", "bands cover 50 / 80 / 90 %")
    sums = [[0.0, 0.0] for _ in range(4)]
    for zone, models in zip(PLAIN_RIDGE, all_of(jobs)):
        pairs = [(day1(models["yesterday"]), models["yesterday"]["mape_percent"]), PLAIN_RIDGE[zone], CARBONCAST[zone],
                 (day1(models["auto"]), models["auto"]["mape_percent"])]
        for total, pair in zip(sums, pairs):
            total[0] += pair[0] / len(jobs)
            total[1] += pair[1] / len(jobs)
        by_day = " ".join(f"{day['mape_percent']:.2f}" for day in models["auto"]["by_day"])
        row(zone, *(f"{a:.2f} / {b:.2f}" for a, b in pairs), by_day, covers(models["auto"]))
    row("mean", *(f"{a:.2f} / {b:.2f}" for a, b in sums), "", "")


def table(title, unit, jobs, labels, what):
    print(f"\n{title}:\n")
    head("series", f"yesterday, {unit}", f"last week, {unit}", f"climatology, {unit}", f"**auto**, {unit}",
         "auto, day 1", "less MAE than yesterday", "bands cover 50 / 80 / 90 %")
    for label, models in zip(labels, all_of(jobs)):
        auto = models["auto"]
        first = f"{day1(auto):.2f} %" if what == "mape_percent" else f"{auto['by_day'][0]['mae']:.4g}"
        others = [models[name][what] for name in ("yesterday", "last-week", "climatology")]
        row(label, *(f"{value:.4g}" for value in others), f"{auto[what]:.4g}", first, f"{auto['skill_percent']:.1f} %",
            covers(auto))


HALF_2024 = ("--horizon", "96h", "--start", "2024-07-01")
MODELS = "yesterday,last-week,climatology,auto"


def electricity_maps():
    zones = ["KR", "DE-LU", "US-CAL-CISO", "US-TEX-ERCO", "US-MIDA-PJM", "AU-NSW", "CA-ON", "GB"]
    file = "carbon/electricitymaps/em_2023_2024_lca.csv"
    with open(DATA / file) as text:
        columns = text.readline().strip().split(",")[1:]
    zones = [zone for zone in columns if zone in zones or zone == "DE"]
    table("Carbon intensity of Electricity Maps (life cycle, no mix), July to December 2024, 96 h ahead, MAPE", "%",
          [(file, zone, MODELS, *HALF_2024) for zone in zones], zones, "mape_percent")


def price():
    zones = ["KR", "DE-LU", "US-CAL-CISO", "US-TEX-ERCO", "US-MIDA-PJM", "AU-NSW", "CA-ON"]
    table("Wholesale price, July to December 2024, 96 h ahead, MAE in the currency of the zone", "per MWh",
          [("price/wholesale/price_utc_2023_2024.csv", zone, MODELS, *HALF_2024) for zone in zones], zones, "mae")


def sources():
    pairs = [("DE", "solar"), ("CISO", "solar"), ("DE", "wind"), ("ERCO", "wind"), ("SE", "wind")]
    table("Sun and wind of whole grids, July to December 2021, 96 h ahead, MAE", "MW",
          [(f"carbon/carboncast/{zone}_lifecycle_emissions.csv", source, MODELS, "--horizon", "96h", "--start",
            "2021-07-01") for zone, source in pairs], [f"{zone} {source}" for zone, source in pairs], "mae")


def providers():
    print("\nWith a provider's forecasts, MAE:\n")
    head("series", "auto", "provider", "**merged**", "merged covers 50 / 80 / 90 %")
    jobs = [("carbon/neso_gb/gb_30min_actual_forecast_mix_2023_2024.csv", "actual", "auto,provider,merged", "--horizon",
             "47h", "--start", "2023-09-01"),
            ("renewable/rts_gmlc/REAL_TIME_wind.csv", "309_WIND_1", "auto,provider,merged", "--issued",
             str(DATA / "renewable/rts_gmlc/DAY_AHEAD_wind.csv"), "--step", "1h", "--horizon", "24h", "--start",
             "2020-07-01")]
    for label, models in zip(["GB carbon intensity, 47 h, gCO2/kWh", "RTS-GMLC wind 309, 24 h, MW"], all_of(jobs)):
        row(label, *(models[name]["mae"] for name in ("auto", "provider", "merged")), covers(models["merged"]))


TABLES = {"carbon-2021": carbon_2021, "electricity-maps": electricity_maps, "price": price, "sources": sources,
          "providers": providers}


def main():
    if not DATA.exists():
        sys.exit(f"forecast_accuracy: the public traces are not in {DATA}; set HELIOSTAT_DATA")
    unknown = [name for name in sys.argv[1:] if name not in TABLES]
    if unknown:
        sys.exit(f"forecast_accuracy: table {unknown[0]} is not known; one of {', '.join(TABLES)}")
    for name in sys.argv[1:] or TABLES:
        TABLES[name]()


if __name__ == "__main__":
    main()
