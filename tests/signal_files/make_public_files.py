#!/usr/bin/env python3
"""Writes small files in the layouts of public energy data sets.

usage: make_public_files.py FOLDER [EXPECTED_JSON]

FOLDER gets the files. EXPECTED_JSON (default: FOLDER/expected.json) says, for every file, what a correct reader makes of it.
Only the layouts (headers, separators, time formats, titles and notes) follow the public data sets.
"""
import json
import os
import sys

from price_files import (
    entsoe_prices_legacy, nordpool_elspot, omie_marginal, elexon_system_prices, caiso_oasis_lmp, pjm_rt_lmp,
    ercot_spp, nyiso_lbmp, miso_lmp, isone_lmp, ieso_hoep)
from carbon_files import (
    eia930_co2, rte_eco2mix, caiso_outlook_co2, entsoe_generation, smard_generation, elia_solar)
from plant_files import pvwatts_hourly, sam_wind, ninja_wind, pvgis_hourly, us_am_pm, bad_rows
from row_files import LAYOUTS

ABOUT = {
    "count": "number of slots on the regular grid from first_time_utc to "
             "last_time_utc, both included",
    "missing": "slots for which the file gives no number, for whatever reason "
               "(empty cell, missing mark, bad row)",
    "bad_rows": "rows whose value is text that is neither a number nor one of "
                "the marks in missing_marks",
    "first_time_utc / last_time_utc": "START of the first / last interval",
    "stamps_end": "true: the times in the file mark the END of their interval",
    "first_value": "value of the first slot, in canonical units",
    "mean": "mean over the slots that have a value, in canonical units",
    "canonical_factor": "file number * factor = g/kWh, currency/kWh or kW",
    "currency": "null for carbon and power",
    "user_options": "only what the file itself does not say; the reason for "
                    "each is in user_options_why",
    "stated_in_text_only": "things the file does say, but in free text or in "
                           "an unusual place; a reader that does not look "
                           "there needs them as options too",
    "expect": "'read', or 'refuse' when the numbers cannot become the quantity",
    "also_right": "another reading of the same file that is as correct",
}

MAKERS = [layout.make for layout in LAYOUTS] + [
    entsoe_prices_legacy, nordpool_elspot, omie_marginal, elexon_system_prices, caiso_oasis_lmp, pjm_rt_lmp,
    ercot_spp, nyiso_lbmp, miso_lmp, isone_lmp, ieso_hoep, eia930_co2, rte_eco2mix, caiso_outlook_co2,
    entsoe_generation, smard_generation, elia_solar, pvwatts_hourly, sam_wind, ninja_wind, pvgis_hourly,
    us_am_pm, bad_rows,
]


def main(arguments):
    if len(arguments) not in (1, 2):
        sys.exit(__doc__.split("\n\n")[1])
    folder = arguments[0]
    target = arguments[1] if len(arguments) == 2 else os.path.join(folder, "expected.json")
    os.makedirs(folder, exist_ok=True)
    entries = [make(folder) for make in MAKERS]
    with open(target, "w", encoding="utf-8") as out:
        json.dump({"about": ABOUT, "files": entries}, out, indent=1, ensure_ascii=False)
        out.write("\n")
    print(f"{len(entries)} files in {folder}, expectations in {target}")


if __name__ == "__main__":
    main(sys.argv[1:])
