"""Files of plants and meters, and exports of programs. "Layout:" says where each layout is known from."""
import math
import json
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from layouts import BERLIN, UTC, am_pm, at, comma, expected, grid, number, numbers, write


def pvwatts_hourly(folder):
    # Layout: column names seen; title lines and Totals line from memory.
    # The real file has 8760 rows.
    name = "pvwatts_hourly.csv"
    mountain = timezone(timedelta(hours=-7))
    times = grid(datetime(2023, 1, 1, tzinfo=mountain), 3600, 48)
    values = [number(i, 0, 3300, 3, 49) if 8 <= i % 24 <= 16 else 0.0 for i in range(48)]
    blank = ',""' * 9
    heads = [("PVWatts: Hourly PV Performance Data", ""), ("Requested Location:", "denver, co"),
             ("Location:", "Lat, Lon: 39.73, -104.98"), ("Lat (deg N):", "39.73"),
             ("Long (deg W):", "104.98"), ("Elev (m):", "1606.0"), ("DC System Size (kW):", "4"),
             ("Module Type:", "Standard"), ("Array Type:", "Fixed (open rack)"),
             ("Array Tilt (deg):", "20"), ("Array Azimuth (deg):", "180"),
             ("System Losses (%):", "14.08"), ("DC to AC Size Ratio:", "1.2"),
             ("Inverter Efficiency (%):", "96")]
    lines = [f'"{key}","{value}"{blank}' for key, value in heads]
    lines.append('""' + ',""' * 10)
    lines.append('"Month","Day","Hour","Beam Irradiance (W/m2)","Diffuse Irradiance (W/m2)",'
                 '"Ambient Temperature (C)","Wind Speed (m/s)",'
                 '"Plane of Array Irradiance (W/m2)","Cell Temperature (C)",'
                 '"DC Array Output (W)","AC System Output (W)"')
    for i, (t, v) in enumerate(zip(times, values)):
        local = t.astimezone(mountain)
        cells = [local.month, local.day, local.hour, number(i, 0, 900, 0, 1), 60,
                 number(i, -8, 9, 1, 2), 1.5, f"{v / 4:.3f}", number(i, -10, 35, 3, 3),
                 f"{v / 0.96:.3f}", f"{v:.3f}"]
        lines.append(",".join(f'"{c}"' for c in cells))
    total = math.fsum(values)
    lines.append(f'"Totals","","","","","","","","","{total / 0.96:.0f}","{total:.0f}"')
    write(folder, name, lines)
    return expected(
        name, "NREL PVWatts, hourly result", "column names seen, title lines from memory",
        "power", "W", 0.001, 3600, times, values,
        options={"year": (2023, "month, day and hour only: a typical year"),
                 "time_zone": ("-07:00", "local standard time, zone not in the file"),
                 "value_column": ("AC System Output (W)", "many number columns")},
        notes="time in three columns; the last line 'Totals' is no row of the series")


def sam_wind(folder):
    # Layout: seen (time series export of SAM: 'Jan 1, 12:00 am').
    name = "sam_wind_timeseries.csv"
    central = timezone(timedelta(hours=-6))
    times = grid(datetime(2023, 1, 1, tzinfo=central), 3600, 72)
    values = numbers(72, 0, 3000, 2, seed=51, period=36)
    lines = ["Time stamp,System power generated | (kW),Wind speed | (m/s),"
             "Wind direction | (deg),Pressure | (atm),Air temperature | ('C)"]
    for i, (t, v) in enumerate(zip(times, values)):
        local = t.astimezone(central)
        clock = f"{(local.hour - 1) % 12 + 1}:00 {'am' if local.hour < 12 else 'pm'}"
        lines.append(f'"Jan {local.day}, {clock}",{v:.2f},{number(i, 2, 14, 3, 1):.3f},'
                     f"{number(i, 0, 359, 0, 2):.0f},0.99,{number(i, -5, 12, 2, 3):.2f}")
    write(folder, name, lines)
    return expected(
        name, "NREL System Advisor Model, wind time series export", "seen", "power", "kW",
        1.0, 3600, times, values,
        options={"year": (2023, "the stamps have no year"),
                 "time_zone": ("-06:00", "local standard time, zone not in the file")},
        notes="other columns have other units, so the kW column can be found")


def ninja_wind(folder):
    # Layout: seen (three comment lines, the third is JSON; time and local_time).
    # 30 and 31 March 2019 and one day more: local_time jumps at the change.
    name = "ninja_wind_52.5170_13.3889_corrected.csv"
    times = grid(at(UTC, 2019, 3, 30), 3600, 72)
    values = numbers(72, 0, 2000, 3, seed=53, period=30)
    units = {"units": {"time": "UTC", "local_time": "Europe/Berlin", "electricity": "kW"},
             "params": {"local_time": True, "header": True, "lat": "52.517", "lon": "13.3889",
                        "date_from": "2019-03-30", "date_to": "2019-04-01",
                        "dataset": "merra2", "capacity": "2000", "height": "100",
                        "turbine": "Vestas V90 2000"}}
    lines = ["# Renewables.ninja Wind (Point API) - 52.5170, 13.3889 - Version: 1.2 - "
             "License: https://creativecommons.org/licenses/by-nc/4.0/ - "
             "Reference: https://doi.org/10.1016/j.energy.2016.08.068",
             "# Units: time in UTC, local_time in Europe/Berlin, electricity in kW",
             "# " + json.dumps(units), "time,local_time,electricity"]
    for t, v in zip(times, values):
        lines.append(f"{t.strftime('%Y-%m-%d %H:%M')},"
                     f"{t.astimezone(BERLIN).strftime('%Y-%m-%d %H:%M')},{v:.3f}")
    write(folder, name, lines)
    return expected(
        name, "renewables.ninja, wind power of one site", "seen", "power", "kW", 1.0, 3600,
        times, values, stated_in_text_only={"unit": "kW, comment line",
                                            "time_zone": "UTC, comment line"},
        notes="two time columns; the first is UTC")


def pvgis_hourly(folder):
    # Layout: seen (title lines with tabs, time as 20160101:0010, footer lines).
    name = "Timeseries_45.000_8.000_SA2_1kWp_crystSi_14_35deg_0deg_2016_2016.csv"
    times = grid(at(UTC, 2016, 1, 1, 0, 10), 3600, 48)
    values = [number(i, 0, 720, 2, 55) if 7 <= i % 24 <= 15 else 0.0 for i in range(48)]
    lines = ["Latitude (decimal degrees):\t45.000", "Longitude (decimal degrees):\t8.000",
             "Elevation (m):\t250", "Radiation database:\tPVGIS-SARAH2", "", "",
             "Slope: 35 deg. ", "Azimuth: 0 deg. ",
             "Nominal power of the PV system (c-Si) (kWp):\t1.0", "System losses (%):\t14.0",
             "", "time,P,G(i),H_sun,T2m,WS10m,Int"]
    for i, (t, v) in enumerate(zip(times, values)):
        lines.append(f"{t.strftime('%Y%m%d:%H%M')},{v},{round(v * 1.2, 2)},"
                     f"{number(i, 0, 22, 2, 1)},{number(i, -3, 9, 2, 2)},"
                     f"{number(i, 0, 4, 2, 3)},0.0")
    lines += ["", "P: PV system power (W)",
              "G(i): Global irradiance on the inclined plane (plane of the array) (W/m2)",
              "H_sun: Sun height (degree)", "T2m: 2-m air temperature (degree Celsius)",
              "WS10m: 10-m total wind speed (m/s)",
              "Int: 1 means solar radiation values are reconstructed", "", "",
              "PVGIS (c) European Union, 2001-2023"]
    write(folder, name, lines, end="\r\n")
    return expected(
        name, "PVGIS, hourly PV power", "seen", "power", "W", 0.001, 3600, times, values,
        options={"value_column": ("P", "six number columns"),
                 "time_zone": ("UTC", "times are UTC, not in the file")},
        stated_in_text_only={"unit": "W, footer line 'P: PV system power (W)'"},
        notes="stamps at ten past the hour are kept as they are; text footer")


def us_am_pm(folder):
    # Layout: memory (US Excel; numbers over a thousand quoted with a comma).
    name = "us_site_load_am_pm.csv"
    pacific = ZoneInfo("America/Los_Angeles")
    times = grid(at(pacific, 2023, 1, 30), 3600, 48)
    values = numbers(48, 820, 1650, 1, seed=71)
    lines = ["Date/Time,Load (kW),Outside temp (F)"]
    for i, (t, v) in enumerate(zip(times, values)):
        text = f"{v:,.1f}"
        text = f'"{text}"' if "," in text else text
        lines.append(f"{am_pm(t.astimezone(pacific))},{text},{number(i, 40, 62, 0, 1):.0f}")
    write(folder, name, lines, end="\r\n")
    return expected(
        name, "load of a site, US Excel with AM/PM", "memory", "power", "kW", 1.0, 3600,
        times, values,
        options={"time_zone": ("America/Los_Angeles", "not in the file")},
        notes="midnight is 12:00 AM; month first is plain from 1/30")


def bad_rows(folder):
    # Layout: made up as a spreadsheet export in which a few cells went wrong.
    name = "prices_with_bad_rows.csv"
    times = grid(at(UTC, 2023, 9, 14), 3600, 48)
    values = numbers(48, 45, 160, 2, seed=73)
    spoiled = {9: "n/a", 20: "-", 33: "#REF!"}
    lines = ["timestamp (UTC),price (EUR/MWh)"]
    for i, t in enumerate(times):
        lines.append(f"{t.strftime('%Y-%m-%d %H:%M')},{spoiled.get(i, f'{values[i]:.2f}')}")
    for i in spoiled:
        values[i] = None
    write(folder, name, lines)
    return expected(
        name, "spreadsheet export with broken cells", "made up", "price", "EUR/MWh", 0.001,
        3600, times, values, "EUR", bad_rows=3,
        options={"skip_bad_rows": (True, "the file cannot say that its faults may be dropped")},
        also_right={"bad_rows": 1, "missing_marks": ["n/a", "-"]},
        notes="without the option a reader should refuse, or report all three rows")
