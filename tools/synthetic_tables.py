"""The real zones to which each synthetic zone is fitted, and the output of fitted numbers as C++."""

# Location of the real zones: a point in the middle of their plants, and the offset of their standard time from UTC in h.
SOURCES = {
    "CISO": {"latitude": 36.0, "longitude": -119.5, "offset": -8},
    "US-CAL-CISO": {"latitude": 36.0, "longitude": -119.5, "offset": -8},
    "ERCO": {"latitude": 31.5, "longitude": -99.5, "offset": -6},
    "US-TEX-ERCO": {"latitude": 31.5, "longitude": -99.5, "offset": -6},
    "US-MIDA-PJM": {"latitude": 39.5, "longitude": -78.0, "offset": -5},
    "DE": {"latitude": 51.0, "longitude": 10.5, "offset": 1},
    "DE-LU": {"latitude": 51.0, "longitude": 10.5, "offset": 1},
    "PL": {"latitude": 52.0, "longitude": 19.0, "offset": 1},
    "SE": {"latitude": 59.0, "longitude": 15.5, "offset": 1},
    "AU-NSW": {"latitude": -32.5, "longitude": 149.0, "offset": 10},
    "CA-ON": {"latitude": 43.5, "longitude": -80.0, "offset": -5},
    "KR": {"latitude": 36.0, "longitude": 127.5, "offset": 9},
    "island": {"latitude": 28.3, "longitude": -16.0, "offset": 0},
}

# Per zone, the real zone that each part is fitted to. `coupling` is the one whose generation mix determines how
# carbon responds to sun and wind: only CISO, ERCO, DE, PL and SE have a mix.
ZONES = [
    {"name": "solar-heavy", "currency": "AUD", "stands_for": "AU-NSW", "place": "AU-NSW",
     "carbon": "electricitymaps:AU-NSW", "price": "AU-NSW", "solar": "CISO", "wind": "ERCO", "coupling": "CISO",
     "about": "Coal at night and a flood of sun at noon: the cleanest and cheapest hours are around midday, often "
              "below zero, and the evening can be very dear.",
     "basis": "Carbon and price fitted to AU-NSW 2023-2024; sun and its effect on carbon from CISO 2020-2021 at the "
              "latitude of New South Wales, wind from ERCO 2020-2021."},
    {"name": "wind-heavy", "currency": "USD", "stands_for": "US-TEX-ERCO", "place": "ERCO",
     "carbon": "carboncast:ERCO", "price": "US-TEX-ERCO", "solar": "CISO", "wind": "ERCO", "coupling": "ERCO",
     "about": "Gas and much wind that blows best at night: clean spells last for days and follow the weather rather "
              "than the clock; rare but extreme price spikes.",
     "basis": "Carbon and wind fitted to ERCO 2020-2021, price to US-TEX-ERCO 2023-2024; clouds from CISO 2020-2021 "
              "under the sun of Texas, whose own fleet grew too fast to fit."},
    {"name": "coal", "currency": "EUR", "stands_for": "PL", "place": "PL",
     "carbon": "carboncast:PL", "price": "DE-LU", "solar": "DE", "wind": "PL", "coupling": "PL",
     "about": "Coal around the clock: always dirty, a little less so in windy weather; waiting gains money rather "
              "than carbon.",
     "basis": "Carbon and wind fitted to PL 2020-2021; price borrowed from its neighbour DE-LU 2023-2024 and clouds "
              "from DE 2020-2021, since none for PL are at hand."},
    {"name": "hydro", "currency": "CAD", "stands_for": "SE", "place": "SE",
     "carbon": "carboncast:SE", "price": "CA-ON", "solar": "DE", "wind": "SE", "coupling": "SE",
     "about": "Hydro and nuclear: nearly free of carbon at all hours, so that only price and season are left to plan "
              "by; hardly any sun in winter.",
     "basis": "Carbon and wind fitted to SE 2020-2021; price borrowed from CA-ON 2023-2024, another system of water "
              "and nuclear power, and clouds from DE 2020-2021."},
    {"name": "nuclear", "currency": "CAD", "stands_for": "CA-ON", "place": "CA-ON",
     "carbon": "electricitymaps:CA-ON", "price": "CA-ON", "solar": "DE", "wind": "DE", "coupling": "DE",
     "about": "Nuclear base with gas on top: clean at night, dirtier when demand is high; low prices with spikes.",
     "basis": "Carbon and price fitted to CA-ON 2023-2024; sun, wind and their effect on carbon from DE 2020-2021 at "
              "the place of Ontario."},
    {"name": "island", "currency": "USD", "stands_for": "", "place": "island", "carbon_scale": 1.45,
     "price_scale": 1.0 / 750, "carbon": "electricitymaps:KR", "price": "KR", "solar": "CISO", "wind": "SE",
     "coupling": "ERCO",
     "about": "A small grid without neighbours, run on oil and gas with wind and sun: dirty and dear, and the weather "
              "shows at once.",
     "basis": "No real zone: composed of the rhythm of KR 2023-2024 (a grid without interconnectors), with carbon "
              "times 1.45 and won turned into dollars at 750, wind of SE, clouds of CISO and the coupling of ERCO."},
    {"name": "duck-curve", "currency": "USD", "stands_for": "US-CAL-CISO", "place": "CISO",
     "carbon": "electricitymaps:US-CAL-CISO", "price": "US-CAL-CISO", "solar": "CISO", "wind": "CISO",
     "coupling": "CISO",
     "about": "Sun pushes net demand down at noon and gas ramps up at dusk: a deep valley by day and a sharp evening "
              "peak, nearly every day alike.",
     "basis": "Carbon and price fitted to US-CAL-CISO 2023-2024; sun, wind and their effect on carbon to CISO "
              "2020-2021."},
    {"name": "mixed-import", "currency": "EUR", "stands_for": "DE-LU", "place": "DE",
     "carbon": "carboncast:DE", "price": "DE-LU", "solar": "DE", "wind": "DE", "coupling": "DE",
     "about": "A large trading zone with a bit of everything: wind decides the week, sun the day, coal and imports "
              "the rest; negative prices on windy, sunny holidays.",
     "basis": "Carbon, sun and wind fitted to DE 2020-2021, price to DE-LU 2023-2024."},
    {"name": "thermal-mix", "currency": "USD", "stands_for": "US-MIDA-PJM", "place": "US-MIDA-PJM",
     "carbon": "electricitymaps:US-MIDA-PJM", "price": "US-MIDA-PJM", "solar": "DE", "wind": "ERCO",
     "coupling": "PL",
     "about": "Gas, nuclear and coal with little wind or sun: carbon moves slowly and little, prices follow demand.",
     "basis": "Carbon and price fitted to US-MIDA-PJM 2023-2024 (real-time price of its DOM zone); clouds from DE, "
              "wind from ERCO and the coupling from PL, all 2020-2021."},
]

# Probabilities at which maps have their knots; denser in the tails, for prices.
LEVELS = [3e-5, 3e-4, 1e-3, 3e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99,
          0.995, 0.998, 0.999, 0.9997, 0.99997]


def number(value):
    text = f"{value:.4g}"
    return "0" if float(text) == 0 else text


def row(values):
    return "{" + ", ".join(number(v) for v in values) + "}"


def latent(name, fit):
    z, x = fit["map"]
    noise = ", ".join("{" + f"{number(v)}, {number(tau)}, {harmonic}" + "}" for v, tau, harmonic in
                      fit["noise"]["parts"])
    return (f"constexpr NoisePart {name}Noise[] = {{{noise}}};\n"
            f"constexpr LatentParameters {name}{{.season = {row(fit['season'])},\n.noise = {name}Noise, "
            f".smoothing_hours = {fit['noise']['width']},\n"
            f".map = {{.z = {row(z)},\n.x = {row(x)}}}}};\n")


def camel(name):
    return "".join(part.capitalize() for part in name.split("-"))


def text(words):
    return '"' + words.replace('"', '\\"') + '"'


def zone_entry(fit):
    zone, place, name = fit["zone"], fit["place"], camel(fit["zone"]["name"])
    code = "{" + ", ".join(f"'{c}'" for c in zone["currency"]) + "}"
    return (f"ZoneParameters{{\n.name = {text(zone['name'])},\n.description = {text(zone['about'])},\n"
            f".stands_for = {text(zone['stands_for'])},\n.basis = {text(zone['basis'])},\n"
            f".currency = {code},\n"
            f".latitude = {place['latitude']}, .longitude = {place['longitude']},\n"
            f".utc_offset_hours = {place['offset']},\n"
            f".clear_sky_exponent = {number(fit['solar']['gamma'])},\n"
            f".clear_sky_scale = {number(fit['solar']['scale'])},\n"
            f".wind_deviation = {number(fit['wind']['deviation'])},\n"
            f".carbon_on_solar = {number(fit['beta_solar'])}, .carbon_on_wind = {number(fit['beta_wind'])},\n"
            f".price_on_carbon = {number(fit['price_on_carbon'])},\n"
            f".cloud = k{name}Cloud, .wind = k{name}Wind, .carbon = k{name}Carbon, .price = k{name}Price}},\n")


def render(fits, flicker):
    parts = ["// Written by tools/fit_synthetic_zones.py from public traces; run it again rather than edit this file.\n"
             '#include "heliostat/signals/synthetic/zone_parameters.h"\n\nnamespace heliostat::synthetic {\nnamespace {\n\n'
             "// clang-format off\n"]
    for fit in fits:
        name = "k" + camel(fit["zone"]["name"])
        for part, key in (("Cloud", "solar"), ("Wind", "wind"), ("Carbon", "carbon"), ("Price", "price")):
            parts.append(latent(name + part, fit[key]))
        parts.append("\n")
    parts.append("constexpr ZoneParameters kZones[] = {\n" + "".join(zone_entry(fit) for fit in fits) + "};\n")
    for key in ("solar", "wind"):
        share, tau = flicker[key]
        parts.append(f"constexpr Flicker k{key.capitalize()}Flicker{{.deviation = {number(share)}, "
                     f".tau_hours = {number(tau)}}};\n")
    parts.append("// clang-format on\n\n}  // namespace\n\n"
                 "std::span<const ZoneParameters> AllZoneParameters() { return kZones; }\n"
                 "Flicker SolarFlicker() { return kSolarFlicker; }\n"
                 "Flicker WindFlicker() { return kWindFlicker; }\n\n}  // namespace heliostat::synthetic\n")
    return "".join(parts)
