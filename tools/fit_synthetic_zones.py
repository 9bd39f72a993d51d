#!/usr/bin/env python3
"""Fits the built-in synthetic zones to real traces and writes heliostat/signals/synthetic/zone_parameters.cc.

    /usr/bin/python3 tools/fit_synthetic_zones.py --data FOLDER

The output has fitted numbers only: harmonics, variances, time constants and a few quantiles, no trace.
The equations are in docs/models/synthetic_zones.md and use the same names. Needs python3-numpy and
python3-pandas.
"""

import argparse
import functools
import pathlib
import statistics
import sys

import numpy as np
import pandas as pd

from synthetic_tables import LEVELS, SOURCES, ZONES, render

DAILY = 5  # harmonics of the day
ANNUAL = 2  # harmonics of the year
YEAR_DAYS = 365.2425
JOINED = np.array([1, 6, 1]) / 8  # the hourly mean of lines through the middles of hours
WIDTHS = [0, 1, 2, 3, 4, 6]  # half widths of the triangle that smooths noise, h
TAUS = {0: [1.5, 4.0, 12.0, 36.0, 120.0, 600.0], 1: [36.0, 120.0, 600.0], 2: [120.0, 600.0]}
LAGS = np.array([0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 18, 21, 24, 30, 36, 42, 48, 60, 72, 96, 120, 144, 168, 240, 336, 504])
PEAK = {"solar": 0.85, "wind": 0.90}  # assumed capacity factor in the best hour of a year
REPLICATES = 48
YEAR_HOURS = 8766
rng = np.random.default_rng(20231)


def local_hours(index, offset):
    """Hours since 2000-01-01 00:00 local standard time of each UTC label."""
    return ((index - pd.Timestamp("2000-01-01")) / pd.Timedelta(hours=1)).to_numpy().astype(int) + offset


def year_phase(hours, south):
    return ((hours + 0.5) / 24 / YEAR_DAYS + (0.5 if south else 0.0)) % 1.0


def features(hours, south):
    year = 2 * np.pi * year_phase(hours, south)
    day = 2 * np.pi * ((hours + 0.5) % 24) / 24
    annual = [np.ones(len(hours))] + [f(k * year) for k in range(1, ANNUAL + 1) for f in (np.cos, np.sin)]
    daily = [np.ones(len(hours))] + [f(k * day) for k in range(1, DAILY + 1) for f in (np.cos, np.sin)]
    weekend = (hours // 24 % 7 < 2).astype(float)  # 2000-01-01 was a Saturday
    return np.stack([a * d for a in annual for d in daily] + [weekend * d for d in daily[:5]], axis=1)


def least_squares(x, y, keep=None, ridge=1e-4):
    columns = np.arange(x.shape[1]) if keep is None else keep
    a = x[:, columns]
    coefficients = np.zeros(x.shape[1])
    coefficients[columns] = np.linalg.solve(a.T @ a + ridge * len(a) * np.eye(len(columns)), a.T @ y)
    return coefficients


def normal_scores(values):
    ranks = pd.Series(values).rank().to_numpy()
    inverse = statistics.NormalDist().inv_cdf
    return np.array([inverse((r - 0.5) / len(values)) for r in ranks])


def autocovariance(values):
    """At LAGS along the first axis; NaN pairs left out. Ensemble members are columns."""
    out = []
    for lag in LAGS:
        pairs = values[lag:] * values[: len(values) - lag]
        out.append(np.nanmean(pairs) if np.isfinite(pairs).sum() > 200 else np.nan)
    return np.array(out)


def triangle(width):
    weights = width + 1.0 - np.abs(np.arange(-width, width + 1))
    return weights / weights.sum()


def kernel_of(width, joined):
    """Weights that give an hourly value from the noise at the hours around it."""
    return np.convolve(triangle(width), JOINED) if joined else triangle(width)


def noise_basis(kernel):
    columns, parts = [], []
    weights = np.convolve(kernel, kernel)
    reach = len(weights) // 2
    for harmonic, taus in TAUS.items():
        for tau in taus:
            shape = lambda k: np.exp(-np.abs(k) / tau) * np.cos(2 * np.pi * harmonic * k / 24)
            columns.append(sum(w * shape(LAGS + i) for w, i in zip(weights, range(-reach, reach + 1))))
            parts.append((tau, harmonic))
    return np.stack(columns, axis=1), parts


def nonnegative_fit(gram, moment):
    """argmin v'Gv - 2m'v over v >= 0, by cyclic descent."""
    v = np.zeros(len(moment))
    for _ in range(3000):
        for j in range(len(v)):
            v[j] = max(0.0, v[j] + (moment[j] - gram[j] @ v) / gram[j, j])
    return v


def fit_noise(target, joined):
    """Variances of Ornstein-Uhlenbeck parts, and a smoothing, whose autocovariance comes closest to `target`."""
    weight = np.where(np.isfinite(target), 1.0, 0.0) * np.where(LAGS <= 1, 20.0, np.where(LAGS % 24 == 0, 4.0, 1.0))
    y = np.nan_to_num(target)
    best = None
    for width in WIDTHS:
        basis, parts = noise_basis(kernel_of(width, joined))
        weighted = basis * weight[:, None]
        variances = nonnegative_fit(weighted.T @ basis, weighted.T @ y)
        error = (weight * (y - basis @ variances) ** 2).sum()
        if best is None or error < best[0] * 0.98:
            best = (error, width, [(v, tau, h) for v, (tau, h) in zip(variances, parts) if v > 1e-3])
    return {"width": best[1], "parts": best[2]}


def simulate_noise(noise, joined):
    kernel = kernel_of(noise["width"], joined)
    reach = len(kernel) // 2
    hours = np.arange(-reach, YEAR_HOURS + reach)
    total = np.zeros((len(hours), REPLICATES))
    for variance, tau, harmonic in noise["parts"]:
        angle = 2 * np.pi * harmonic * (hours + 0.5) / 24
        for wave in [np.ones(len(hours))] if harmonic == 0 else [np.cos(angle), np.sin(angle)]:
            rho = np.exp(-1 / tau)
            shocks = rng.standard_normal((len(hours), REPLICATES)) * np.sqrt(1 - rho * rho)
            state = rng.standard_normal(REPLICATES)
            for i in range(len(hours)):
                state = rho * state + shocks[i]
                total[i] += np.sqrt(variance) * wave[i] * state
    return sum(w * total[i : i + YEAR_HOURS] for i, w in enumerate(kernel))


def quantile_map(latent, values):
    """Knots (z, x) that give the simulated latent the distribution of the real values."""
    z, x = np.quantile(latent, LEVELS), np.quantile(values, LEVELS)
    return np.maximum.accumulate(z + np.arange(len(z)) * 1e-9), np.maximum.accumulate(x)


def sine_of_elevation(utc_hours_since_2000, latitude, longitude):
    days = utc_hours_since_2000 / 24
    anomaly = np.radians(357.5291 + 0.98560028 * (days - 0.5))
    centre = np.radians(1.9148 * np.sin(anomaly) + 0.02 * np.sin(2 * anomaly))
    ecliptic = anomaly + centre + np.radians(102.9372) + np.pi
    sin_declination = np.sin(ecliptic) * np.sin(np.radians(23.4393))
    equation_hours = 24 * (0.0069 * np.sin(2 * ecliptic) - 0.0053 * np.sin(anomaly))  # sundial minus clock
    hour_angle = np.radians(15 * (utc_hours_since_2000 % 24 - 12 + equation_hours) + longitude)
    phi = np.radians(latitude)
    return np.sin(phi) * sin_declination + np.cos(phi) * np.sqrt(1 - sin_declination**2) * np.cos(hour_angle)


def clear_sky(utc_hours, place, gamma):
    """Hourly mean of sin(elevation)^gamma."""
    slots = [(i + 0.5) / 12 for i in range(12)]
    sines = [sine_of_elevation(utc_hours + s, place["latitude"], place["longitude"]) for s in slots]
    return np.mean([np.maximum(s, 0.0) ** gamma for s in sines], axis=0)


def capacity_factor(mw, kind):
    """Generation over a capacity guessed from the best hour of each calendar year."""
    return (mw / mw.groupby(mw.index.year).transform("max") * PEAK[kind]).clip(0, 1)


class Traces:
    """The real series, by name, as hourly UTC pandas series."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def mix(self, zone):
        frame = pd.read_csv(self.folder / f"carbon/carboncast/{zone}_lifecycle_emissions.csv", index_col=0)
        frame.index = pd.to_datetime(frame["UTC time"], utc=True).dt.tz_localize(None)
        return frame.drop(columns="UTC time").astype(float)

    def carbon(self, name):
        if name.startswith("carboncast:"):
            return self.mix(name.split(":")[1])["carbon_intensity"]
        frame = pd.read_csv(self.folder / "carbon/electricitymaps/em_2023_2024_lca.csv", index_col=0, parse_dates=True)
        return frame[name.split(":")[1]]

    def price(self, zone):
        frame = pd.read_csv(self.folder / "price/wholesale/price_utc_2023_2024.csv", index_col=0, parse_dates=True)
        return frame[zone].dropna() / 1000


@functools.lru_cache(maxsize=None)
def fit_solar(traces, donor):
    place = SOURCES[donor]
    cf = capacity_factor(traces.mix(donor)["solar"], "solar")
    hours = local_hours(cf.index, place["offset"])
    month_hour = [cf.index.month, cf.index.hour]
    typical = cf.groupby(month_hour).mean()
    fits = []
    for gamma in np.arange(0.4, 1.61, 0.05):
        clear = pd.Series(clear_sky(hours - place["offset"], place, gamma), index=cf.index)
        fits.append((np.corrcoef(clear.groupby(month_hour).mean(), typical)[0, 1], gamma, clear.to_numpy()))
    _, gamma, clear = max(fits, key=lambda fit: fit[0])
    sunny = clear > 0.25
    ratio = np.where(sunny, cf / np.maximum(clear, 1e-9), np.nan)
    scale = np.nanquantile(ratio, 0.998)
    ratio = np.minimum(ratio / scale, 1.0)
    z = normal_scores(ratio[sunny])
    x = features(hours, place["latitude"] < 0)
    low = [a * (2 * DAILY + 1) + d for a in range(3) for d in range(3)]
    season = least_squares(x[sunny], z, keep=low)
    residual = np.full(len(cf), np.nan)
    residual[sunny] = z - x[sunny] @ season
    noise = fit_noise(autocovariance(residual), True)
    return {"gamma": gamma, "scale": scale, "season": season, "noise": noise, "ratios": ratio[sunny]}


def simulate_solar(solar, place):
    """Calibrates the map of cloud latent to transmission; returns (capacity factor, surprise) of a year's hours."""
    hours = np.arange(YEAR_HOURS)
    clear = clear_sky(hours - place["offset"], place, solar["gamma"])
    season = features(hours, place["latitude"] < 0) @ solar["season"]
    latent = season[:, None] + simulate_noise(solar["noise"], True)
    lit = clear > 0.25
    if "map" not in solar:
        solar["map"] = quantile_map(latent[lit], solar["ratios"])
    z, x = solar["map"]
    power = np.minimum(solar["scale"] * clear[:, None] * np.interp(latent, z, x), PEAK["solar"])
    usual = np.minimum(solar["scale"] * clear * np.interp(season, z, x), PEAK["solar"])
    return power, power - usual[:, None]


def solar_surprise(cf, solar, place):
    """The part of a real solar series that its season does not explain, as the model measures it."""
    hours = local_hours(cf.index, place["offset"])
    clear = clear_sky(hours - place["offset"], place, solar["gamma"])
    season = features(hours, place["latitude"] < 0) @ solar["season"]
    return cf.to_numpy() - np.minimum(solar["scale"] * clear * np.interp(season, *solar["map"]), PEAK["solar"])


@functools.lru_cache(maxsize=None)
def fit_wind(traces, donor):
    place = SOURCES[donor]
    cf = capacity_factor(traces.mix(donor)["wind"], "wind")
    hours = local_hours(cf.index, place["offset"])
    z = normal_scores(cf.to_numpy())
    x = features(hours, place["latitude"] < 0)
    keep = [a * (2 * DAILY + 1) + d for a in range(2 * ANNUAL + 1) for d in range(5)]
    season = least_squares(x, z, keep=keep)
    residual = z - x @ season
    deviation = residual.std()
    noise = fit_noise(autocovariance(residual / deviation), True)
    usual = features(np.arange(YEAR_HOURS), place["latitude"] < 0) @ season
    sim = usual[:, None] + deviation * simulate_noise(noise, True)
    return {"season": season, "deviation": deviation, "noise": noise, "map": quantile_map(sim, cf.to_numpy()),
            "latent": pd.Series(residual / deviation, index=cf.index)}


def fit_coupling(traces, donor, solar, wind, place):
    """How far the carbon latent moves with a surprise of sun (per unit of capacity) and of wind (per deviation)."""
    mix = traces.mix(donor)
    z = normal_scores(mix["carbon_intensity"].to_numpy())
    x = features(local_hours(mix.index, place["offset"]), place["latitude"] < 0)
    columns = [x, wind["latent"].to_numpy()[:, None]]
    if "solar" in mix and solar is not None:
        columns.append(solar_surprise(capacity_factor(mix["solar"], "solar"), solar, place)[:, None])
    fitted = least_squares(np.hstack(columns), z)[x.shape[1]:]
    return min(fitted[0], 0.0), (min(fitted[1], 0.0) if len(fitted) > 1 else 0.0)


def ensemble_mean(values):
    """Mean of a simulated year by hour, over replicates and a fortnight."""
    mean = values.mean(axis=1)[: 365 * 24].reshape(365, 24)
    return np.mean([np.roll(mean, shift, axis=0) for shift in range(-7, 8)], axis=0)


def usual_at(usual, hours):
    # A simulated year begins at phase 0 of the calendar in both hemispheres.
    day = np.minimum((year_phase(hours, False) * YEAR_DAYS).astype(int), 364)
    return usual[day, hours % 24]


def fit_latent(values, hours, driven, place, joined):
    """season + noise + map of a quantity whose latent also moves with `driven`, a simulated (hours x replicates)."""
    south = place["latitude"] < 0
    z = normal_scores(values)
    x = features(hours, south)
    season = least_squares(x, z - usual_at(ensemble_mean(driven), hours))
    residual = z - x @ season - usual_at(ensemble_mean(driven), hours)
    gap = np.full(hours[-1] - hours[0] + 1, np.nan)
    gap[hours - hours[0]] = residual
    anomaly = driven - driven.mean(axis=1, keepdims=True)
    noise = fit_noise(autocovariance(gap) - autocovariance(anomaly), joined)
    own = simulate_noise(noise, joined)
    sim = (features(np.arange(YEAR_HOURS), south) @ season)[:, None] + driven + own
    return {"season": season, "noise": noise, "map": quantile_map(sim, values)}, driven + own


def surprise_of(values, hours, place):
    z = normal_scores(values)
    x = features(hours, place["latitude"] < 0)
    return z - x @ least_squares(x, z)


def fit_price_link(traces, source, place):
    """How far the price latent moves with a surprise of the carbon latent, from hours when both are known."""
    price = traces.price(source)
    carbon = traces.carbon("electricitymaps:" + source).reindex(price.index)
    hours = local_hours(price.index, place["offset"])
    a, b = surprise_of(carbon.to_numpy(), hours, place), surprise_of(price.to_numpy(), hours, place)
    return max(0.0, (a * b).mean() / (a * a).mean())


def fit_zone(traces, zone):
    place = SOURCES[zone["place"]]
    solar = fit_solar(traces, zone["solar"])
    simulate_solar(solar, SOURCES[zone["solar"]])
    wind = fit_wind(traces, zone["wind"])
    coupling = SOURCES[zone["coupling"]]
    linked_wind = fit_wind(traces, zone["coupling"])
    linked_solar = None
    if "solar" in traces.mix(zone["coupling"]):
        linked_solar = fit_solar(traces, zone["coupling"])
        simulate_solar(linked_solar, coupling)
    beta_wind, beta_solar = fit_coupling(traces, zone["coupling"], linked_solar, linked_wind, coupling)

    _, sun = simulate_solar(solar, place)
    driven = beta_solar * sun + beta_wind * simulate_noise(wind["noise"], True)
    carbon_values = traces.carbon(zone["carbon"])
    carbon_place = SOURCES[zone["carbon"].split(":")[1]]
    carbon_hours = local_hours(carbon_values.index, carbon_place["offset"])
    # A coupling from another zone may exceed the weather of this zone: sun and wind explain at most 80 % of it.
    shown = surprise_of(carbon_values.to_numpy(), carbon_hours, carbon_place).var()
    promised = (driven - driven.mean(axis=1, keepdims=True)).var()
    shrink = min(1.0, np.sqrt(0.8 * shown / promised))
    beta_wind, beta_solar, driven = beta_wind * shrink, beta_solar * shrink, driven * shrink
    carbon, carbon_surprise = fit_latent(carbon_values.to_numpy(), carbon_hours, driven, carbon_place, True)

    price_values = traces.price(zone["price"])
    price_place = SOURCES[zone["price"]]
    gamma = fit_price_link(traces, zone["price"], price_place)
    price, _ = fit_latent(price_values.to_numpy(), local_hours(price_values.index, price_place["offset"]),
                          gamma * carbon_surprise, price_place, False)
    z, x = carbon["map"]
    carbon["map"] = (z, x * zone.get("carbon_scale", 1.0))
    z, x = price["map"]
    price["map"] = (z, x * zone.get("price_scale", 1.0))
    return {"zone": zone, "place": place, "solar": solar, "wind": wind, "carbon": carbon, "price": price,
            "beta_solar": beta_solar, "beta_wind": beta_wind, "price_on_carbon": gamma}


def flicker_of(values, mean_by_hour):
    """Share of deviation and time constant (h) of 5-minute values around lines through hourly means."""
    knots = np.arange(len(mean_by_hour)) * 12 + 5.5
    rest = values - np.interp(np.arange(len(values)), knots, mean_by_hour)
    rho = np.nanmean(rest[1:] * rest[:-1]) / np.nanmean(rest * rest)
    return np.nanstd(rest) / np.nanstd(values), -1 / 12 / np.log(rho)


def fit_flicker(traces):
    wind = pd.read_csv(traces.folder / "renewable/rts_gmlc/REAL_TIME_wind.csv").iloc[:, 4:].sum(axis=1).to_numpy()
    wind = wind[: len(wind) // 12 * 12]
    sun = pd.read_csv(traces.folder / "renewable/solcast_vessim/solcast2022_global_actual.csv", index_col=0)
    index = pd.to_datetime(sun.index)
    begin = ((index - pd.Timestamp("2000-01-01")) / pd.Timedelta(hours=1)).to_numpy() - 1 / 12
    sine = sine_of_elevation(begin + 1 / 24, 52.5, 13.4)
    ratio = np.where(sine > 0.3, sun["Berlin"].to_numpy() / np.maximum(sine, 0.3), np.nan)
    ratio = ratio[: len(ratio) // 12 * 12]
    site = flicker_of(ratio, ratio.reshape(-1, 12).mean(axis=1))
    # A zone is a fleet of ten sites with independent clouds.
    return {"solar": (site[0] / np.sqrt(10), site[1]), "wind": flicker_of(wind, wind.reshape(-1, 12).mean(axis=1))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--data", default=root.parent / "shared/data", help="folder with the real traces")
    parser.add_argument("--out", default=root / "heliostat/signals/synthetic/zone_parameters.cc")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.data, "README.md").exists():
        sys.exit(f"{arguments.data}: no traces here; name the folder with --data")
    traces = Traces(arguments.data)
    fits = []
    for zone in ZONES:
        fit = fit_zone(traces, zone)
        fits.append(fit)
        print(f"{zone['name']:13} sun {fit['beta_solar']:6.2f} wind {fit['beta_wind']:6.2f} "
              f"price on carbon {fit['price_on_carbon']:5.2f} gamma {fit['solar']['gamma']:.2f} "
              f"scale {fit['solar']['scale']:.2f} smoothing "
              f"{[fit[key]['noise']['width'] for key in ('solar', 'wind', 'carbon', 'price')]}", flush=True)
    pathlib.Path(arguments.out).write_text(render(fits, fit_flicker(traces)))


if __name__ == "__main__":
    main()
