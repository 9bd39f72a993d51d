"""Files of prices. "Layout:" in each function says where the layout is known from."""
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from layouts import BERLIN, LONDON, UTC, am_pm, at, comma, expected, grid, number, numbers, write


def entsoe_prices_legacy(folder):
    # Layout: seen (old transparency.entsoe.eu export: MTU interval, dots).
    # 28 and 29 October 2023 in CET/CEST: the interval 02:00 - 03:00 comes twice.
    name = "entsoe_day_ahead_prices_legacy.csv"
    times = grid(at(BERLIN, 2023, 10, 28), 3600, 49)
    values = numbers(49, -20, 140)
    form = "%d.%m.%Y %H:%M"
    lines = ['"MTU (CET/CEST)","Day-ahead Price [EUR/MWh]","Currency","BZN|DE-LU"']
    for t, v in zip(times, values):
        begin = t.astimezone(BERLIN).strftime(form)
        # the printed end is the printed beginning plus one hour, also at the change
        finish = (t.astimezone(BERLIN).replace(tzinfo=None) + timedelta(hours=1)).strftime(form)
        lines.append(f'"{begin} - {finish}","{v:.2f}","EUR",""')
    write(folder, name, lines)
    return expected(
        name, "ENTSO-E transparency platform, day-ahead prices, old CSV export",
        "seen", "price", "EUR/MWh", 0.001, 3600, times, values, "EUR",
        notes="CET/CEST in the time header; 25-hour day, 02:00 twice; "
              "the fourth column is an empty column named after the zone")


def nordpool_elspot(folder):
    # Layout: seen (two title lines, first header cell empty, Hours '00 - 01',
    # day-month-year); semicolon and decimal comma as in the Nordic download.
    name = "elspot-prices_hourly_eur.csv"
    oslo = ZoneInfo("Europe/Oslo")
    times = grid(at(oslo, 2023, 1, 30), 3600, 72)
    areas = ["SYS", "SE1", "SE2", "SE3", "SE4", "FI", "DK1", "DK2", "Oslo"]
    values = numbers(72, 10, 120, seed=areas.index("SE3"))
    lines = ["Elspot Prices in EUR/MWh", "Data was last updated 02-02-2023",
             ";Hours;" + ";".join(areas)]
    for i, t in enumerate(times):
        local = t.astimezone(oslo)
        cells = [comma(number(i, 10, 120, seed=k), 2) for k in range(len(areas))]
        lines.append(f"{local.strftime('%d-%m-%Y')};{local.hour:02d} - "
                     f"{(local.hour + 1) % 24:02d};" + ";".join(cells))
    write(folder, name, lines)
    return expected(
        name, "Nord Pool, Elspot hourly prices per area", "seen", "price", "EUR/MWh",
        0.001, 3600, times, values, "EUR",
        options={"time_zone": ("Europe/Oslo", "market time CET/CEST, not in the file"),
                 "value_column": ("SE3", "one column per price area")},
        notes="date and hour span are two columns; day first is plain from day 30")


def omie_marginal(folder):
    # Layout: seen and documented (first line MARGINALPDBC;, fields year, month,
    # day, period, Portugal, Spain, each line ends in ';', last line '*').
    # 29 October 2023 has the periods 1 to 25.
    name = "marginalpdbc_20231029.1"
    madrid = ZoneInfo("Europe/Madrid")
    times = grid(at(madrid, 2023, 10, 29), 3600, 25)
    values = numbers(25, 0, 110, seed=4)
    lines = ["MARGINALPDBC;"]
    for i, v in enumerate(values):
        lines.append(f"2023;10;29;{i + 1};{number(i, 0, 110, seed=8):g};{v:g};")
    lines.append("*")
    write(folder, name, lines, "latin-1", "\r\n")
    return expected(
        name, "OMIE, day-ahead marginal prices of Portugal and Spain", "seen",
        "price", "EUR/MWh", 0.001, 3600, times, values, "EUR",
        options={"time_zone": ("Europe/Madrid", "not in the file"),
                 "unit": ("EUR/MWh", "the file has no header at all"),
                 "value_column": (6, "no header; sixth field (from 1) is Spain"),
                 "time_column": ([1, 2, 3, 4],
                                 "no header; year, month, day, period from 1")},
        notes="no header line; periods 1..25 count real hours from local midnight")


def elexon_system_prices(folder):
    # Layout: column names seen; the date as year-month-day is from memory.
    # 28 and 29 October 2023: periods 1..48, then 1..50.
    name = "elexon_system_prices.csv"
    times = grid(at(LONDON, 2023, 10, 28), 1800, 98)
    values = numbers(98, -10, 180, seed=17, period=48)
    lines = ["Settlement Date,Settlement Period,System Sell Price(£/MWh),"
             "System Buy Price(£/MWh)"]
    for i, v in enumerate(values):
        day, period = ("2023-10-28", i + 1) if i < 48 else ("2023-10-29", i - 47)
        lines.append(f"{day},{period},{v:.2f},{v:.2f}")
    write(folder, name, lines)
    return expected(
        name, "Elexon/BMRS, system prices by settlement period", "seen, date from memory",
        "price", "£/MWh", 0.001, 1800, times, values, "GBP",
        options={"time_zone": ("Europe/London", "settlement days are local, not said"),
                 "value_column": ("System Sell Price(£/MWh)",
                                  "two price columns (equal since 2015)")},
        notes="periods count real half hours from local midnight; 50-period day")


def caiso_oasis_lmp(folder):
    # Layout: seen (16 columns, five LMP_TYPEs; the price column is called MW;
    # '-00:00' offsets).  Rows are not in time order in the real files.
    name = "caiso_oasis_PRC_LMP_DAM_TH_NP15.csv"
    pacific = ZoneInfo("America/Los_Angeles")
    times = grid(at(pacific, 2023, 1, 17), 3600, 24)
    values = numbers(24, 30, 140, 5, seed=21)
    node = "TH_NP15_GEN-APND"
    items = [("LMP", "LMP_PRC"), ("MCC", "LMP_CONG_PRC"), ("MCE", "LMP_ENE_PRC"),
             ("MCL", "LMP_LOSS_PRC"), ("MGHG", "LMP_GHG_PRC")]
    form = "%Y-%m-%dT%H:%M:%S-00:00"
    lines = ["INTERVALSTARTTIME_GMT,INTERVALENDTIME_GMT,OPR_DT,OPR_HR,OPR_INTERVAL,"
             "NODE_ID_XML,NODE_ID,NODE,MARKET_RUN_ID,LMP_TYPE,XML_DATA_ITEM,"
             "PNODE_RESMRID,GRP_TYPE,POS,MW,GROUP"]
    for group, (kind, item) in enumerate(items, 1):
        for k in range(24):
            i = (k * 7) % 24
            v = values[i] if kind == "LMP" else number(i, -3, 3, 5, group)
            t = times[i]
            lines.append(f"{t.strftime(form)},{(t + timedelta(hours=1)).strftime(form)},"
                         f"2023-01-17,{i + 1},0,{node},{node},{node},DAM,{kind},{item},"
                         f"{node},ALL,{group},{v:.5f},{group}")
    write(folder, name, lines)
    return expected(
        name, "CAISO OASIS, day-ahead LMP of a trading hub", "seen", "price", "$/MWh",
        0.001, 3600, times, values, "USD",
        options={"value_column": ("MW", "the price column has a misleading name"),
                 "unit": ("USD/MWh", "not in the file; the column is called MW"),
                 "row_filter": ({"LMP_TYPE": "LMP"}, "five rows for each hour")},
        notes="rows out of time order")


def pjm_rt_lmp(folder):
    # Layout: seen (Data Miner 2, rt_hrl_lmps; month first with AM/PM).
    # 11 to 13 March 2023: the ept column jumps from 1:00 AM to 3:00 AM.
    name = "pjm_rt_hrl_lmps.csv"
    eastern = ZoneInfo("America/New_York")
    times = grid(at(eastern, 2023, 3, 11), 3600, 48)
    values = numbers(48, 18, 75, 6, seed=23)
    lines = ["datetime_beginning_utc,datetime_beginning_ept,pnode_id,pnode_name,voltage,"
             "equipment,type,zone,system_energy_price_rt,total_lmp_rt,congestion_price_rt,"
             "marginal_loss_price_rt,row_is_current,version_nbr"]
    for i, (t, v) in enumerate(zip(times, values)):
        congestion, loss = number(i, -2, 2, 6, 1), number(i, -1, 1, 6, 2)
        lines.append(f"{am_pm(t, True)},{am_pm(t.astimezone(eastern), True)},51288,"
                     f"WESTERN HUB,,,HUB,,{v - congestion - loss:.6f},{v:.6f},"
                     f"{congestion:.6f},{loss:.6f},True,1")
    write(folder, name, lines, end="\r\n")
    return expected(
        name, "PJM Data Miner 2, real-time hourly LMPs", "seen", "price", "$/MWh", 0.001,
        3600, times, values, "USD",
        options={"value_column": ("total_lmp_rt", "four price columns"),
                 "unit": ("USD/MWh", "not in the file")},
        notes="two time columns; the UTC one counts; month first is plain from 3/13")


def ercot_spp(folder):
    # Layout: seen (delivery date, hour 1..24, interval 1..4, repeated hour flag).
    # 5 November 2023: hour 2 comes twice, the second time with flag Y.
    name = "ercot_rtm_settlement_point_prices.csv"
    central = ZoneInfo("America/Chicago")
    times = grid(at(central, 2023, 11, 5), 900, 100)
    values = numbers(100, 12, 60, seed=25, period=96)
    lines = ["Delivery Date,Delivery Hour,Delivery Interval,Repeated Hour Flag,"
             "Settlement Point Name,Settlement Point Type,Settlement Point Price"]
    for t, v in zip(times, values):
        local = t.astimezone(central)
        flag = "Y" if local.fold else "N"
        lines.append(f"11/05/2023,{local.hour + 1},{local.minute // 15 + 1},{flag},"
                     f"HB_NORTH,HU,{v:.2f}")
    write(folder, name, lines)
    return expected(
        name, "ERCOT, real-time settlement point prices, 15 minutes", "seen", "price",
        "$/MWh", 0.001, 900, times, values, "USD",
        options={"time_zone": ("America/Chicago", "not in the file"),
                 "unit": ("USD/MWh", "not in the file"),
                 "date_order": ("MDY", "11/05/2023 alone can be read both ways")},
        notes="hour h, interval q starts at (h-1):15*(q-1); 25-hour day with flag")


def nyiso_lbmp(folder):
    # Layout: seen (header with quotes, all zones below each other).
    # 5 November 2023: each zone has 01:00 twice, without any mark.
    name = "20231105damlbmp_zone.csv"
    eastern = ZoneInfo("America/New_York")
    times = grid(at(eastern, 2023, 11, 5), 3600, 25)
    zones = [("CAPITL", 61757), ("CENTRL", 61754), ("DUNWOD", 61760), ("HUD VL", 61758),
             ("LONGIL", 61762), ("N.Y.C.", 61761), ("WEST", 61752)]
    chosen = [name_ for name_, _ in zones].index("N.Y.C.")
    values = numbers(25, 15, 55, seed=chosen)
    lines = ['"Time Stamp","Name","PTID","LBMP ($/MWHr)","Marginal Cost Losses ($/MWHr)",'
             '"Marginal Cost Congestion ($/MWHr)"']
    for i, t in enumerate(times):
        stamp = t.astimezone(eastern).strftime("%m/%d/%Y %H:%M")
        for k, (zone, ptid) in enumerate(zones):
            lines.append(f'{stamp},"{zone}",{ptid},{number(i, 15, 55, seed=k):.2f},'
                         f"{number(i, 0, 3, seed=k + 10):.2f},{number(i, -8, 0, seed=k + 20):.2f}")
    write(folder, name, lines, end="\r\n")
    return expected(
        name, "NYISO, day-ahead zonal LBMP", "seen, fewer zones than the real file",
        "price", "$/MWHr", 0.001, 3600, times, values, "USD",
        options={"row_filter": ({"Name": "N.Y.C."}, "all zones share one file"),
                 "time_zone": ("America/New_York", "not in the file"),
                 "date_order": ("MDY", "11/05/2023 alone can be read both ways"),
                 "value_column": ("LBMP ($/MWHr)", "three price columns")},
        notes="25-hour day, 01:00 twice per zone; 'MWHr' is MWh")


def miso_lmp(folder):
    # Layout: seen (title, date, blank line, zone line, then one row per node
    # and price part with the hours as columns).
    name = "20230117_da_expost_lmp.csv"
    times = grid(datetime(2023, 1, 17, tzinfo=timezone(timedelta(hours=-5))), 3600, 24)
    nodes = [("ALTE.ALTE", "Loadzone"), ("AMIL.BGS6", "Loadzone"), ("ARKANSAS.HUB", "Hub"),
             ("ILLINOIS.HUB", "Hub"), ("INDIANA.HUB", "Hub"), ("LOUISIANA.HUB", "Hub"),
             ("MICHIGAN.HUB", "Hub"), ("MINN.HUB", "Hub"), ("MS.HUB", "Hub"),
             ("TEXAS.HUB", "Hub")]
    chosen = [n for n, _ in nodes].index("INDIANA.HUB")
    values = numbers(24, 20, 60, seed=chosen)
    lines = ["Day Ahead Market ExPost LMPs", "01/17/2023", "",
             ",,,All Hours-Ending are Eastern Standard Time (EST)",
             "Node,Type,Value," + ",".join(f"HE {h}" for h in range(1, 25))]
    for k, (node, kind) in enumerate(nodes):
        for part, low, high, seed in (("LMP", 20, 60, k), ("MCC", -4, 4, k + 30),
                                      ("MLC", -2, 2, k + 60)):
            cells = ",".join(f"{v:.2f}" for v in numbers(24, low, high, seed=seed))
            lines.append(f"{node},{kind},{part},{cells}")
    write(folder, name, lines, end="\r\n")
    return expected(
        name, "MISO, day-ahead ex-post LMPs", "seen, fewer nodes than the real file",
        "price", "$/MWh", 0.001, 3600, times, values, "USD",
        options={"row_filter": ({"Node": "INDIANA.HUB", "Value": "LMP"}, "one row per node and part"),
                 "unit": ("USD/MWh", "not in the file")},
        stamps_end=True, stated_in_text_only={"time_zone": "EST (-05:00), fourth line",
                                              "date": "second line, 01/17/2023"},
        notes="hours are COLUMNS (HE 1..HE 24, hour ending); not a table of rows in time")


def isone_lmp(folder):
    # Layout: seen (C comment lines, two H lines, D data lines); the closing T
    # line with the row count and '02X' for the repeated hour are from memory.
    name = "WW_DALMP_ISO_20231105.csv"
    eastern = ZoneInfo("America/New_York")
    times = grid(at(eastern, 2023, 11, 5), 3600, 25)
    hours = ["01", "02", "02X"] + [f"{h:02d}" for h in range(3, 25)]
    places = [("4000", ".H.INTERNAL_HUB", "HUB"), ("4001", ".Z.MAINE", "LOAD ZONE"),
              ("4008", ".Z.NEMASSBOST", "LOAD ZONE")]
    values = numbers(25, 18, 66, seed=0)
    lines = ['"C","Day-Ahead Energy Market Hourly LMP Report"',
             f'"C","Filename: {name}"',
             '"C","Report for: 11/05/2023 - 11/05/2023"',
             '"C","Report generated: 11/04/2023 13:07:54 EDT"',
             '"H","Date","Hour Ending","Location ID","Location Name","Location Type",'
             '"Locational Marginal Price","Energy Component","Congestion Component",'
             '"Marginal Loss Component"',
             '"H","Date","HE","String","String","String","Number","Number","Number","Number"']
    for i, hour in enumerate(hours):
        for k, (ident, place, kind) in enumerate(places):
            v = number(i, 18, 66, seed=k)
            lines.append(f'"D","11/05/2023","{hour}","{ident}","{place}","{kind}",'
                         f"{v:.2f},{v - 0.25:.2f},0.0,0.25")
    lines.append(f'"T",{len(hours) * len(places)}')
    write(folder, name, lines, end="\r\n")
    return expected(
        name, "ISO New England, day-ahead hourly LMP report", "seen, T line and 02X from memory",
        "price", "$/MWh", 0.001, 3600, times, values, "USD",
        options={"row_filter": ({"Location Name": ".H.INTERNAL_HUB"}, "all locations share one file"),
                 "value_column": ("Locational Marginal Price", "four number columns"),
                 "time_zone": ("America/New_York", "only the report's own time has 'EDT'"),
                 "unit": ("USD/MWh", "not in the file"),
                 "date_order": ("MDY", "11/05/2023 alone can be read both ways")},
        stamps_end=True,
        notes="'Hour Ending' 01, 02, 02X, 03 .. 24; lines of four kinds C, H, D, T")


def ieso_hoep(folder):
    # Layout: seen (three title lines that start with two backslashes).
    # 11 to 13 March 2023: market time is EST all year, so no hour is missing.
    name = "PUB_PriceHOEPPredispOR_2023.csv"
    est = timezone(timedelta(hours=-5))
    times = grid(datetime(2023, 3, 11, tzinfo=est), 3600, 72)
    values = numbers(72, 0, 65, seed=29)
    lines = ["\\\\Yearly HOEP OR Predispatch Report,,,,,,,,",
             "\\\\Created at 2024-01-31 08:02:24,,,,,,,,", "\\\\For 2023,,,,,,,,",
             "Date,Hour,HOEP,Hour 1 Predispatch,Hour 2 Predispatch,Hour 3 Predispatch,"
             "OR 10 Min Sync,OR 10 Min non-sync,OR 30 Min"]
    for i, (t, v) in enumerate(zip(times, values)):
        local = t.astimezone(est)
        rest = ",".join(f"{number(i, 0, 60, seed=30 + k):.2f}" for k in range(6))
        lines.append(f"{local.strftime('%Y-%m-%d')},{local.hour + 1},{v:.2f},{rest}")
    write(folder, name, lines)
    return expected(
        name, "IESO Ontario, yearly HOEP report", "seen", "price", "$/MWh", 0.001, 3600,
        times, values, "CAD",
        options={"value_column": ("HOEP", "seven price columns"),
                 "unit": ("CAD/MWh", "not in the file"),
                 "time_zone": ("-05:00", "Eastern Standard Time all year, not in the file")},
        notes="Hour 1..24 ends at that hour: Hour 1 is 00:00 to 01:00; "
              "reading it as America/Toronto is wrong after 12 March")
