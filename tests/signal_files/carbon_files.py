"""Files of carbon intensity and of the power of grids. "Layout:" says where each layout is known from."""
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from layouts import BERLIN, LB_IN_G, UTC, at, colon_offset, expected, german, grid, iso_z, month_first, number, numbers, write


def eia930_co2(folder):
    # Layout: seen (columns of the balancing-authority workbook, sheet
    # 'Published Hourly Data', saved as CSV); only some of its 89 columns.
    name = "eia930_ERCO_published_hourly.csv"
    cst = timezone(timedelta(hours=-6))
    times = grid(datetime(2023, 1, 13, tzinfo=cst), 3600, 48)
    values = numbers(48, 0.55, 0.98, 4, seed=37)
    lines = ["BA,UTC time,Local date,Hour,Local time,Time zone,D,NG,NG: SUN,NG: WND,"
             "CO2 Emissions Generated,CO2 Emissions Consumed,"
             "CO2 Emissions Intensity for Generated Electricity,"
             "CO2 Emissions Intensity for Consumed Electricity"]
    for i, (t, v) in enumerate(zip(times, values)):
        begin = t.astimezone(cst)
        finish = begin + timedelta(hours=1)
        lines.append(f"ERCO,{month_first(finish.astimezone(UTC))},"
                     f"{begin.month}/{begin.day}/{begin.year},{begin.hour + 1},"
                     f"{month_first(finish)},Central,{number(i, 35000, 60000, 0):.0f},"
                     f"{number(i, 35000, 60000, 0, 1):.0f},{number(i, 0, 9000, 0, 2):.0f},"
                     f"{number(i, 1000, 25000, 0, 3):.0f},{number(i, 12000, 22000, 1, 4):.1f},"
                     f"{number(i, 12000, 22000, 1, 5):.1f},{v + 0.01:.4f},{v:.4f}")
    write(folder, name, lines, end="\r\n")
    return expected(
        name, "EIA-930, hourly CO2 emissions of a balancing authority",
        "seen, not all columns; UTC time as end of hour from documentation",
        "carbon", "lb/kWh", LB_IN_G, 3600, times, values,
        options={"value_column": ("CO2 Emissions Intensity for Consumed Electricity",
                                  "many columns; emissions themselves are in metric tons"),
                 "unit": ("lb/kWh", "not in the sheet"),
                 "stamps_end": (True, "UTC time is the end of the hour, not in the sheet")},
        stamps_end=True, notes="two time columns; the UTC one counts; month first from 1/13")


def rte_eco2mix(folder):
    # Layout: seen (text with tabs and Latin-1 although named .xls; every line
    # ends in a tab; quarter hours 15 and 45 have forecasts only; last line is
    # a sentence).  The closing sentence is paraphrased.
    name = "eCO2mix_RTE_Annuel-Definitif_2022.xls"
    paris = ZoneInfo("Europe/Paris")
    times = grid(at(paris, 2022, 1, 12), 1800, 96)
    values = numbers(96, 25, 110, 0, seed=39, period=48)
    columns = ["Périmètre", "Nature", "Date", "Heures", "Consommation", "Prévision J-1",
               "Prévision J", "Fioul", "Charbon", "Gaz", "Nucléaire", "Eolien", "Solaire",
               "Hydraulique", "Pompage", "Bioénergies", "Ech. physiques", "Taux de Co2"]
    lines = ["\t".join(columns) + "\t"]
    for i, (t, v) in enumerate(zip(times, values)):
        for minutes in (0, 15):
            local = (t + timedelta(minutes=minutes)).astimezone(paris)
            cells = ["France", "Données définitives", local.strftime("%Y-%m-%d"),
                     local.strftime("%H:%M")]
            forecasts = [f"{number(i, 50000, 80000, 0, k):.0f}" for k in (1, 2)]
            if minutes:
                cells += [""] + forecasts + [""] * 11
            else:
                cells += [f"{number(i, 50000, 80000, 0):.0f}"] + forecasts
                cells += [f"{number(i, 0, 9000, 0, k):.0f}" for k in range(3, 13)]
                cells += [f"{v:.0f}"]
            lines.append("\t".join(cells) + "\t")
    lines.append("RTE ne pourra être tenu responsable de l'usage fait de ces données.")
    write(folder, name, lines, "latin-1")
    return expected(
        name, "RTE éCO2mix, yearly definitive file", "seen", "carbon", "g/kWh", 1.0, 1800,
        times, values,
        options={"value_column": ("Taux de Co2", "many columns"),
                 "unit": ("g/kWh", "not in the file"),
                 "time_zone": ("Europe/Paris", "not in the file")},
        missing_marks=["ND"],
        also_right={"step_s": 900, "count": 192, "missing": 96,
                    "last_time_utc": iso_z(times[-1] + timedelta(minutes=15))},
        notes="date and hour in two columns; every other row is empty in this column; "
              "a text file named .xls; one footer sentence")


def caiso_outlook_co2(folder):
    # Layout: memory (chart download of the emissions page: clock times without
    # date, emissions per resource in metric tons per hour).
    name = "caiso_CO2-per-resource.csv"
    lines = ["Time,Imports CO2,Natural Gas CO2,Biogas CO2,Biomass CO2,Geothermal CO2,Coal CO2"]
    for i in range(144):
        cells = [number(i, low, high, 0, k, 288) for k, (low, high) in enumerate(
            ((800, 3500), (2500, 7000), (80, 140), (250, 350), (50, 70), (0, 10)))]
        lines.append(f"{i // 12:02d}:{i % 12 * 5:02d}," + ",".join(f"{c:.0f}" for c in cells))
    write(folder, name, lines)
    return {
        "file": name,
        "source": "CAISO Today's Outlook, CO2 per resource (half a day)",
        "layout_known_from": "memory",
        "expect": "refuse",
        "why": "emissions in metric tons per hour are no carbon intensity: the "
               "energy they belong to is not in the file; nor is a date",
        "quantity": "carbon", "unit": "mTCO2/h", "canonical_factor": None,
        "currency": None, "step_s": 300, "count": 144, "first_time_utc": None,
        "last_time_utc": None, "first_value": None, "mean": None, "missing": 0,
        "missing_marks": [], "bad_rows": 0, "stamps_end": False,
        "user_options": {}, "user_options_why": {},
    }


def entsoe_generation(folder):
    # Layout: header seen (two blanks before the dash); '(UTC)' after the
    # interval and the marks 'n/e' and '-' are from memory.
    name = "entsoe_actual_generation_per_type.csv"
    times = grid(at(UTC, 2023, 6, 14), 900, 96)
    values = numbers(96, 0, 36000, 0, seed=41, period=96)
    values[17] = values[18] = None
    kinds = ["Biomass", "Fossil Gas", "Fossil Oil shale", "Solar", "Wind Offshore",
             "Wind Onshore"]
    form = "%d.%m.%Y %H:%M"
    lines = ['"Area","MTU",' + ",".join(f'"{k}  - Actual Aggregated [MW]"' for k in kinds)]
    for i, (t, v) in enumerate(zip(times, values)):
        span = f"{t.strftime(form)} - {(t + timedelta(minutes=15)).strftime(form)} (UTC)"
        cells = []
        for k, kind in enumerate(kinds):
            if kind == "Fossil Oil shale":
                cells.append("n/e")
            elif kind == "Wind Onshore":
                cells.append("-" if v is None else f"{v:.0f}")
            else:
                cells.append(f"{number(i, 1000, 9000, 0, k, 96):.0f}")
        lines.append(f'"Germany (DE)","{span}",' + ",".join(f'"{c}"' for c in cells))
    write(folder, name, lines)
    return expected(
        name, "ENTSO-E transparency platform, actual generation per type, old export",
        "seen, '(UTC)' suffix from memory", "power", "MW", 1000.0, 900, times, values,
        options={"value_column": ("Wind Onshore  - Actual Aggregated [MW]",
                                  "one column per type")},
        missing_marks=["-", "n/e", "N/A"])


def smard_generation(folder):
    # Layout: seen (energy in MWh per quarter hour, German thousands dots).
    # 29 October 2023 has 100 quarter hours; 02:00 .. 02:45 come twice.
    name = "smard_realisierte_erzeugung_viertelstunde.csv"
    times = grid(at(BERLIN, 2023, 10, 29), 900, 100)
    values = numbers(100, 700, 9500, 2, seed=43, period=96)
    values[70] = None
    form = "%d.%m.%Y %H:%M"
    lines = ["Datum von;Datum bis;Biomasse [MWh] Originalauflösungen;"
             "Wind Onshore [MWh] Originalauflösungen;Photovoltaik [MWh] Originalauflösungen"]
    for i, (t, v) in enumerate(zip(times, values)):
        begin = t.astimezone(BERLIN).strftime(form)
        finish = (t + timedelta(minutes=15)).astimezone(BERLIN).strftime(form)
        wind = "-" if v is None else german(v, 2)
        lines.append(f"{begin};{finish};{german(number(i, 1000, 1200, 2, 1), 2)};{wind};"
                     f"{german(number(i, 0, 4000, 2, 2, 96), 2)}")
    write(folder, name, lines, "utf-8-sig")
    return expected(
        name, "SMARD.de, realised generation, quarter hours", "seen", "power",
        "MWh per quarter hour", 4000.0, 900, times, values,
        options={"time_zone": ("Europe/Berlin", "local time, nowhere named in the file"),
                 "value_column": ("Wind Onshore [MWh] Originalauflösungen",
                                  "one column per type")},
        missing_marks=["-"],
        notes="ENERGY per row: MWh / 0.25 h; 25-hour day; 1.234,56 style")


def elia_solar(folder):
    # Layout: seen (labels of the open data export; newest first is from memory).
    name = "elia_ods032_solar.csv"
    brussels = ZoneInfo("Europe/Brussels")
    times = grid(at(brussels, 2023, 10, 29), 900, 100)
    values = [number(i, 50, 4200, 3, 45, 96) if 8 <= t.astimezone(brussels).hour < 17 else 0.0
              for i, t in enumerate(times)]
    lines = ["Datetime;Resolution code;Region;Measured & Upscaled;Most recent forecast;"
             "Monitored capacity;Load factor"]
    for i, (t, v) in reversed(list(enumerate(zip(times, values)))):
        local = t.astimezone(brussels)
        lines.append(f"{local.strftime('%Y-%m-%dT%H:%M:%S')}{colon_offset(local)};PT15M;Belgium;"
                     f"{v:.3f};{number(i, 0, 4200, 3, 46, 96):.3f};9078.13;{v / 90.7813:.2f}")
    write(folder, name, lines)
    return expected(
        name, "Elia open data, photovoltaic power estimation", "seen, order from memory",
        "power", "MW", 1000.0, 900, times, values,
        options={"value_column": ("Measured & Upscaled", "several number columns"),
                 "unit": ("MW", "not in the file")},
        notes="newest row first; offset changes inside the file")
