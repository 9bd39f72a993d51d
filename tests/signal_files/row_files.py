"""A table of the layouts that have one line for each time and nothing below them. `known` says where each layout is known
from; values are (low, high, digits, seed, period) of layouts.number()."""
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Callable, NamedTuple
from zoneinfo import ZoneInfo

from layouts import BERLIN, LB_IN_G, UTC, at, colon_offset, comma, expected, german, grid, iso_z, number, numbers, write

MADRID = ZoneInfo("Europe/Madrid")
NEM = timezone(timedelta(hours=10))
LOCAL = ("Europe/Berlin", "not in the file")


class Row(NamedTuple):
    i: int
    t: datetime      # begin of the interval, UTC
    local: datetime  # the same in the zone of the layout
    end: datetime    # of the interval, in that zone
    v: float         # None where the file has no number


@dataclass
class Layout:
    file: str
    source: str
    known: str
    quantity: str
    unit: str
    factor: float
    start: datetime
    step_s: int
    count: int
    values: tuple
    header: list
    line: Callable[[Row], str]
    zone: tzinfo = UTC
    missing: tuple = ()
    newest_first: bool = False
    encoding: str = "utf-8"
    end: str = "\n"
    facts: dict = field(default_factory=dict)  # further arguments of expected()

    def make(self, folder):
        times = grid(self.start, self.step_s, self.count)
        low, high, digits, seed, period = self.values
        values = numbers(self.count, low, high, digits, seed, period)
        for i in self.missing:
            values[i] = None
        rows = [Row(i, t, t.astimezone(self.zone), (t + timedelta(seconds=self.step_s)).astimezone(self.zone), v)
                for i, (t, v) in enumerate(zip(times, values))]
        lines = [self.line(row) for row in (reversed(rows) if self.newest_first else rows)]
        write(folder, self.file, self.header + lines, self.encoding, self.end)
        return expected(self.file, self.source, self.known, self.quantity, self.unit, self.factor, self.step_s, times,
                        values, **self.facts)


def number_or_nothing(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


LAYOUTS = [
    Layout("entsoe_day_ahead_prices_new.csv", "ENTSO-E transparency platform, day-ahead prices, present CSV export",
           "seen, order of the last columns from memory", "price", "EUR/MWh", 0.001, at(UTC, 2025, 1, 30), 3600, 48,
           (15, 190, 2, 3, 24),
           ['"MTU (UTC)","Area","Sequence","Day-ahead Price (EUR/MWh)","Intraday Period (UTC)","Intraday Price (EUR/MWh)"'],
           lambda r: f'"{r.t:%d/%m/%Y %H:%M:%S} - {r.end:%d/%m/%Y %H:%M:%S}","BZN|NL","Without Sequence","{r.v:.2f}","",""',
           facts={"currency": "EUR", "notes": "the intraday price column is empty throughout"}),
    # 25 and 26 March 2023: the row 01:00 ends at 03:00.
    Layout("smard_grosshandelspreise_stunde.csv", "SMARD.de, wholesale prices, hourly CSV", "seen", "price", "€/MWh", 0.001,
           at(BERLIN, 2023, 3, 25), 3600, 47, (5, 160, 2, 5, 24),
           ["Datum von;Datum bis;Deutschland/Luxemburg [€/MWh] Originalauflösungen;"
            "∅ Anrainer DE/LU [€/MWh] Originalauflösungen;Belgien [€/MWh] Originalauflösungen"],
           lambda r: f"{r.local:%d.%m.%Y %H:%M};{r.end:%d.%m.%Y %H:%M};{comma(r.v, 2)};"
                     f"{comma(number(r.i, 20, 150, seed=6), 2)};{comma(number(r.i, 20, 170, seed=7), 2)}",
           BERLIN, encoding="utf-8-sig",
           facts={"currency": "EUR", "notes": "23-hour day",
                  "options": {"time_zone": ("Europe/Berlin", "local time, nowhere named in the file"),
                              "value_column": ("Deutschland/Luxemburg [€/MWh] Originalauflösungen",
                                               "one column per country")}}),
    # The second line holds the units. The offset changes from +01:00 to +02:00.
    Layout("energy-charts_day_ahead_price.csv", "energy-charts.info, day-ahead price, CSV with two header lines", "seen",
           "price", "EUR/MWh", 0.001, at(BERLIN, 2023, 3, 25), 3600, 47, (-5, 150, 2, 9, 24),
           ['"Date (GMT+1)","Day Ahead Auction (DE-LU)"', ',"Price (EUR/MWh, EUR/tCO2)"'],
           lambda r: f"{r.local:%Y-%m-%dT%H:%M}{colon_offset(r.local)},{r.v:.2f}", BERLIN,
           facts={"currency": "EUR", "notes": "the offset in each stamp overrules the '(GMT+1)' of the header"}),
    # 28 and 29 October 2023: the zone columns tell the two 02:00 hours apart.
    Layout("netztransparenz_spotmarktpreise.csv", "netztransparenz.de, EPEX day-ahead spot market price", "seen", "price",
           "ct/kWh", 0.01, at(BERLIN, 2023, 10, 28), 3600, 49, (-1, 14, 3, 11, 24),
           ["Datum;von;Zeitzone von;bis;Zeitzone bis;Spotmarktpreis in ct/kWh"],
           lambda r: f"{r.local:%d.%m.%Y;%H:%M;%Z};{r.end:%H:%M;%Z};{comma(r.v, 3)}", BERLIN,
           facts={"currency": "EUR", "options": {"currency": ("EUR", "'ct' does not say cents of what")},
                  "notes": "CEST/CET in columns of their own"}),
    # Fields of the standard-unit-rates answer; the flat CSV is what users make of it.
    Layout("octopus_agile_unit_rates.csv", "Octopus Energy, Agile tariff, half-hourly unit rates", "documentation", "price",
           "p/kWh", 0.01, at(UTC, 2023, 6, 1), 1800, 96, (4, 38, 4, 2, 48),
           ["value_exc_vat,value_inc_vat,valid_from,valid_to,payment_method"],
           lambda r: f"{r.v / 1.05:.4f},{r.v:.4f},{iso_z(r.t)},{iso_z(r.end)},", newest_first=True,
           facts={"currency": "GBP", "notes": "newest row first; two time columns",
                  "options": {"unit": ("p/kWh", "the file has no unit"),
                              "value_column": ("value_inc_vat", "with or without tax is a choice")}}),
    # 25 and 26 March 2023: the local column jumps from 01:00 to 03:00.
    Layout("ember_european_wholesale_hourly_germany.csv", "Ember, European wholesale electricity prices, hourly", "seen",
           "price", "EUR/MWhe", 0.001, at(UTC, 2023, 3, 25), 3600, 48, (0, 130, 2, 13, 24),
           ["Country,ISO3 Code,Datetime (UTC),Datetime (Local),Price (EUR/MWhe)"],
           lambda r: f"Germany,DEU,{r.t:%Y-%m-%d %H:%M:%S},{r.local:%Y-%m-%d %H:%M:%S},{r.v:.2f}", BERLIN,
           facts={"currency": "EUR", "notes": "two time columns; the UTC one counts"}),
    Layout("esios_pvpc_peninsula.csv", "Red Eléctrica ESIOS, PVPC tariff", "seen", "price", "€/MWh", 0.001,
           at(MADRID, 2023, 3, 25), 3600, 47, (40, 210, 2, 15, 24), ["id;name;geoid;geoname;value;datetime"],
           lambda r: '1001;"Término de facturación de energía activa del PVPC 2.0TD";8741;Península;'
                     f"{r.v:.2f};{r.local:%Y-%m-%dT%H:%M:%S}{colon_offset(r.local)}", MADRID,
           facts={"currency": "EUR", "options": {"unit": ("EUR/MWh", "only the web page says so")},
                  "notes": "the time is the last column; id and geoid are numbers too"}),
    Layout("opsd_time_series_60min_singleindex.csv", "Open Power System Data, time series 60 min", "seen", "price",
           "EUR/MWh", 0.001, at(UTC, 2019, 3, 30), 3600, 72, (-30, 70, 2, 19, 24),
           ["utc_timestamp,cet_cest_timestamp,DE_load_actual_entsoe_transparency,"
            "DE_solar_generation_actual,DE_wind_generation_actual,DE_LU_price_day_ahead"],
           lambda r: f"{iso_z(r.t)},{r.local:%Y-%m-%dT%H:%M:%S%z},{number(r.i, 40000, 70000, 0):.0f},"
                     f"{number(r.i, 0, 20000, 0, 1):.0f},{number(r.i, 500, 30000, 0, 2):.0f},{number_or_nothing(r.v, 2)}",
           BERLIN, missing=(30, 31),
           facts={"currency": "EUR", "notes": "two time columns; covers the March change in the local one",
                  "options": {"value_column": ("DE_LU_price_day_ahead", "many series in one file"),
                              "unit": ("EUR/MWh", "units are only in the data package's README")}}),
    # The first stamp of a month is 00:05:00, the end of its interval.
    Layout("PRICE_AND_DEMAND_202306_NSW1.csv", "AEMO, aggregated price and demand, New South Wales", "seen", "price",
           "$/MWh", 0.001, datetime(2023, 6, 1, tzinfo=NEM), 300, 144, (40, 210, 2, 27, 288),
           ["REGION,SETTLEMENTDATE,TOTALDEMAND,RRP,PERIODTYPE"],
           lambda r: f"NSW1,{r.end:%Y/%m/%d %H:%M:%S},{number(r.i, 6500, 9000, 2, 1, 288):.2f},{r.v:.2f},TRADE", NEM,
           end="\r\n",
           facts={"currency": "AUD", "stamps_end": True,
                  "options": {"value_column": ("RRP", "demand is a number column too"),
                              "unit": ("AUD/MWh", "not in the file"),
                              "time_zone": ("+10:00", "market time without summer time, not in the file"),
                              "stamps_end": (True, "stamps mark the end, not said in the file")}}),
    Layout("neso_national_carbon_intensity.csv", "NESO (Great Britain) carbon intensity, flat CSV of the API",
           "documentation", "carbon", "gCO2/kWh", 1.0, at(UTC, 2023, 1, 1), 1800, 96, (60, 280, 0, 31, 48),
           ["from,to,forecast,actual,index"],
           lambda r: f"{r.t:%Y-%m-%dT%H:%MZ},{r.end:%Y-%m-%dT%H:%MZ},{number(r.i, 60, 280, 0, 32, 48):.0f},"
                     f"{number_or_nothing(r.v, 0)},moderate", missing=(40,),
           facts={"options": {"value_column": ("actual", "forecast and actual side by side"),
                              "unit": ("gCO2/kWh", "not in the file")}}),
    Layout("electricitymaps_DE_2023_hourly.csv", "Electricity Maps, yearly hourly file", "seen", "carbon", "gCO₂eq/kWh",
           1.0, at(UTC, 2023, 1, 1), 3600, 72, (250, 620, 2, 33, 24),
           ["Datetime (UTC),Country,Zone name,Zone id,Carbon intensity gCO₂eq/kWh (direct),"
            "Carbon intensity gCO₂eq/kWh (Life cycle),Carbon-free energy percentage (CFE%),"
            "Renewable energy percentage (RE%),Data source,Data estimated,Data estimation method"],
           lambda r: f"{r.t:%Y-%m-%d %H:%M:%S},Germany,Germany,DE,{r.v - 40:.2f},{r.v:.2f},{number(r.i, 30, 70):.2f},"
                     f"{number(r.i, 25, 65):.2f},transparency.entsoe.eu,false,",
           facts={"options": {"value_column": ("Carbon intensity gCO₂eq/kWh (Life cycle)",
                                               "direct or life cycle is a choice")}}),
    Layout("CAISO_NORTH_2023-01_MOER.csv", "WattTime, marginal operating emissions rate", "memory", "carbon", "lbs/MWh",
           LB_IN_G / 1000, at(UTC, 2023, 1, 1), 300, 144, (0, 1100, 1, 35, 288), ["timestamp,MOER,MOER version,frequency"],
           lambda r: f"{r.t:%Y-%m-%dT%H:%M:%S}+00:00,{r.v:.1f},3.0,300",
           facts={"options": {"unit": ("lbs/MWh", "not in the file"),
                              "value_column": ("MOER", "version and frequency are numbers too")}}),
    Layout("fingrid_wind_power_real_time.csv", "Fingrid open data, wind power production", "seen", "power", "MW", 1000.0,
           at(UTC, 2023, 12, 31, 22), 180, 120, (300, 5200, 2, 47, 240),
           ['"startTime";"endTime";"Wind power production - real time data"'],
           lambda r: f'"{r.t:%Y-%m-%dT%H:%M:%S.000Z}";"{r.end:%Y-%m-%dT%H:%M:%S.000Z}";{r.v:g}',
           facts={"options": {"unit": ("MW", "not in the file")}}),
    # Home Assistant names the measurement after the unit; fill(null) leaves empty means.
    Layout("homeassistant_influxdb_power.csv", "Home Assistant in InfluxDB 1.x, CSV of the influx client", "memory", "power",
           "W", 0.001, at(UTC, 2023, 7, 1), 300, 144, (80, 3200, 1, 57, 288), ["name,time,mean"],
           lambda r: f"W,{int(r.t.timestamp()) * 10**9},{number_or_nothing(r.v, 1)}", missing=(50, 51),
           facts={"options": {"unit": ("W", "only the measurement's name in the first column hints at it")},
                  "notes": "time in nanoseconds since 1970"}),
    Layout("prometheus_ups_power.csv", "Prometheus range query written as CSV", "memory", "power", "watts", 0.001,
           at(UTC, 2023, 5, 1, 6), 60, 120, (900, 1800, 1, 59, 60), ["timestamp,ups_output_power_watts"],
           lambda r: f"{int(r.t.timestamp())},{r.v:.1f}",
           facts={"notes": "time in seconds since 1970; unit at the end of the metric name"}),
    # Panel data with 'formatted data', saved with German separators.
    Layout("grafana_panel_pv_leistung.csv", "Grafana panel, CSV with formatted values", "memory", "power", "kW", 1.0,
           at(BERLIN, 2023, 7, 13, 8), 300, 96, (1.2, 14.5, 1, 61, 96), ['"Time";"PV-Leistung"'],
           lambda r: f'"{r.local:%Y-%m-%d %H:%M:%S}";"{comma(r.v, 1)} kW"', BERLIN,
           facts={"options": {"time_zone": ("Europe/Berlin", "browser time, not in the file")},
                  "notes": "the unit stands behind each number"}),
    Layout("shelly_em_data.csv", "Shelly EM energy meter, em_data.csv", "seen", "power", "Wh per ten minutes", 0.006,
           at(UTC, 2023, 4, 20), 600, 144, (5, 420, 2, 63, 144),
           ["Date/time UTC,Active energy Wh (1),Returned energy Wh (1),Min V,Max V"],
           lambda r: f"{r.t:%Y-%m-%d %H:%M},{r.v:.2f},0.00,229.1,234.6",
           facts={"options": {"value_column": ("Active energy Wh (1)", "used and returned energy")},
                  "notes": "ENERGY per row: Wh / (1/6 h)"}),
    # 30 October 2022 at the change.
    Layout("smartmeter_leistung_w.csv", "smart meter reader, momentary power in W", "memory", "power", "W", 0.001,
           at(BERLIN, 2022, 10, 30), 900, 100, (120, 4200, 0, 65, 96), ["Zeitpunkt,Leistung_W"],
           lambda r: f"{r.local:%Y-%m-%dT%H:%M:%S%z},{r.v:.0f}", BERLIN,
           facts={"notes": "offset without a colon (+0200), changes inside the file"}),
    # German Excel, 'CSV UTF-8'. 26 March 2023 has 92 quarter hours.
    Layout("lastgang_excel_deutsch.csv", "load profile saved by a German Excel", "memory", "power", "kW", 1.0,
           at(BERLIN, 2023, 3, 26), 900, 92, (650, 2400, 1, 67, 96), ["Datum;Uhrzeit;Last in kW"],
           lambda r: f"{r.local:%d.%m.%Y;%H:%M};{german(r.v, 1)}", BERLIN, encoding="utf-8-sig", end="\r\n",
           facts={"options": {"time_zone": LOCAL},
                  "notes": "date and time in two columns; 1.234,5 style; 23-hour day"}),
    # Excel 'Unicode text'.
    Layout("strompreise_excel_unicode.txt", "prices saved by Excel as Unicode text", "memory", "price", "€/MWh", 0.001,
           at(BERLIN, 2023, 2, 1), 3600, 48, (60, 210, 2, 69, 24), ["\ufeffZeit\tPreis (€/MWh)"],
           lambda r: f"{r.local:%d.%m.%Y %H:%M}\t{comma(r.v, 2)}", BERLIN, encoding="utf-16-le", end="\r\n",
           facts={"currency": "EUR", "options": {"time_zone": LOCAL},
                  "notes": "UTF-16; dates with dots are day first by custom (01.02. is 1 February)"}),
]
