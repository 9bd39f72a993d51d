#include "heliostat/signals/signal/unit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {
namespace {

using Words = std::vector<std::string>;

struct Spelling {
  std::string_view written;
  std::string_view word;
};
// Signs beyond ASCII that units contain. A blank makes the word stand alone.
constexpr std::array kSigns{Spelling{"€", " eur "},   Spelling{"£", " gbp "}, Spelling{"¥", " yen "},
                            Spelling{"₂", "2"},       Spelling{"²", "2"},     Spelling{"ö", "o"},
                            Spelling{"Ö", "o"},       Spelling{"ø", "o"},     Spelling{"Ø", "o"},
                            Spelling{"zł", " pln "},  Spelling{"₩", " krw "}, Spelling{"₹", " inr "},
                            Spelling{"\xC2\xA0", " "}};
// Dollars with the letters before their sign, longest first.
constexpr std::array kDollars{Spelling{"nz$", "nzd"}, Spelling{"au$", "aud"}, Spelling{"ca$", "cad"},
                              Spelling{"us$", "usd"}, Spelling{"a$", "aud"},  Spelling{"c$", "cad"},
                              Spelling{"s$", "sgd"},  Spelling{"r$", "brl"},  Spelling{"$", "dollar"}};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & '\x80') != 0; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Lower(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += Lower(c);
  return lower;
}

// Blanks between the parts of "marketPrice" and "PriceEurPerMwh", but not of "kWh" or "gCO2eq".
std::string SplitCamelCase(std::string_view name) {
  std::string text;
  std::size_t lowers = 0;
  for (const char c : name) {
    if (IsUpper(c) && lowers >= 2) text += ' ';
    lowers = IsLower(c) ? lowers + 1 : 0;
    text += c;
  }
  return text;
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The words of a name in lower case; "/" and "%" are words.
Words WordsOf(std::string_view name) {
  std::string text = SplitCamelCase(name);
  for (const Spelling& sign : kSigns) ReplaceAll(text, sign.written, sign.word);
  text = Lower(text);
  for (const Spelling& dollar : kDollars) ReplaceAll(text, dollar.written, fmt::format(" {} ", dollar.word));
  Words words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (const char c : text) {
    if (IsLetter(c) || IsDigit(c)) {
      word += c;
    } else {
      end_word();
      if (c == '/' || c == '%') words.emplace_back(1, c);
    }
  }
  end_word();
  return words;
}

template <std::size_t N>
bool IsOneOf(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

// Currencies that electricity is traded in, with what a euro is worth in them: an order of magnitude, for plausibility.
struct Money {
  std::string_view code;
  double per_euro;
};
constexpr std::array kMoneys{
    Money{"EUR", 1},     Money{"USD", 1},    Money{"GBP", 1},   Money{"CHF", 1},   Money{"AUD", 1.7},
    Money{"CAD", 1.5},   Money{"NZD", 1.8},  Money{"SGD", 1.5}, Money{"HKD", 8.5}, Money{"DKK", 7.5},
    Money{"SEK", 11},    Money{"NOK", 11},   Money{"PLN", 4.3}, Money{"CZK", 25},  Money{"RON", 5},
    Money{"BGN", 2},     Money{"HUF", 400},  Money{"ISK", 150}, Money{"TRY", 35},  Money{"UAH", 42},
    Money{"RSD", 117},   Money{"INR", 90},   Money{"CNY", 8},   Money{"JPY", 160}, Money{"KRW", 1450},
    Money{"TWD", 35},    Money{"THB", 38},   Money{"PHP", 62},  Money{"MYR", 5},   Money{"IDR", 17000},
    Money{"VND", 27000}, Money{"ZAR", 20},   Money{"BRL", 6},   Money{"MXN", 19},  Money{"CLP", 1000},
    Money{"COP", 4500},  Money{"ARS", 1000}, Money{"ILS", 4},   Money{"GEL", 3},   Money{"BAM", 2}};

std::optional<Currency> CurrencyOf(std::string_view word) {
  if (word == "euro" || word == "euros") return Currency::Eur();
  if (word == "dollar" || word == "dollars") return Currency::Usd();
  if (word == "yen") return Currency::Parse("JPY");
  if (word == "rupee" || word == "rupees") return Currency::Parse("INR");
  for (const Money& money : kMoneys) {
    if (word.size() == 3 && Lower(money.code) == word) return Currency::Parse(money.code);
  }
  return std::nullopt;
}

struct Scaled {
  std::string_view word;
  double amount;
  std::string_view text;
};

std::optional<Scaled> EnergyOf(std::string_view word) {
  constexpr std::array kEnergies{Scaled{"kwh", 1, "kWh"},     Scaled{"mwh", 1e3, "MWh"},   Scaled{"gwh", 1e6, "GWh"},
                                 Scaled{"wh", 1e-3, "Wh"},    Scaled{"mwhr", 1e3, "MWh"},  Scaled{"kwhr", 1, "kWh"},
                                 Scaled{"mwhrs", 1e3, "MWh"}, Scaled{"kwhs", 1, "kWh"},    Scaled{"mwhs", 1e3, "MWh"},
                                 Scaled{"kwhel", 1, "kWh"},   Scaled{"mwhel", 1e3, "MWh"}, Scaled{"mwhe", 1e3, "MWh"}};
  const auto* const found = std::ranges::find(kEnergies, word, &Scaled::word);
  return found == kEnergies.end() ? std::nullopt : std::optional(*found);
}

// Of power in kW.
std::optional<Scaled> PowerOf(std::string_view word) {
  constexpr std::array kPowers{
      Scaled{"w", 1e-3, "W"},         Scaled{"kw", 1, "kW"},        Scaled{"mw", 1e3, "MW"},
      Scaled{"gw", 1e6, "GW"},        Scaled{"watt", 1e-3, "W"},    Scaled{"watts", 1e-3, "W"},
      Scaled{"kilowatt", 1, "kW"},    Scaled{"kilowatts", 1, "kW"}, Scaled{"megawatt", 1e3, "MW"},
      Scaled{"megawatts", 1e3, "MW"}, Scaled{"gigawatt", 1e6, "GW"}};
  const auto* const found = std::ranges::find(kPowers, word, &Scaled::word);
  return found == kPowers.end() ? std::nullopt : std::optional(*found);
}

constexpr std::array<std::string_view, 10> kCarbonDioxide{"co2", "co2e",  "co2eq",      "co2eqv", "e",
                                                          "eq",  "equiv", "equivalent", "eqv",    "carbon"};

// Of mass in grams; "gco2eq" is one word too.
std::optional<Scaled> MassOf(std::string_view word) {
  constexpr std::array kMasses{Scaled{"g", 1, "g"},
                               Scaled{"gram", 1, "g"},
                               Scaled{"grams", 1, "g"},
                               Scaled{"kg", 1e3, "kg"},
                               Scaled{"kgs", 1e3, "kg"},
                               Scaled{"kilogram", 1e3, "kg"},
                               Scaled{"t", 1e6, "t"},
                               Scaled{"tonne", 1e6, "t"},
                               Scaled{"tonnes", 1e6, "t"},
                               Scaled{"ton", 1e6, "t"},
                               Scaled{"tons", 1e6, "t"},
                               Scaled{"mt", 1e6, "t"},
                               Scaled{"mg", 1e-3, "mg"},
                               Scaled{"lb", 453.59237, "lb"},
                               Scaled{"lbs", 453.59237, "lb"},
                               Scaled{"pound", 453.59237, "lb"},
                               Scaled{"pounds", 453.59237, "lb"}};
  const auto at = word.find("co2");
  if (at != std::string_view::npos && at > 0 && IsOneOf(word.substr(at), kCarbonDioxide)) word = word.substr(0, at);
  const auto* const found = std::ranges::find(kMasses, word, &Scaled::word);
  return found == kMasses.end() ? std::nullopt : std::optional(*found);
}

// A hundredth of a currency: "ct", "cent", "p". Pence, ore and rappen also name the currency.
struct Hundredth {
  std::string_view word;
  std::string_view currency;
};
std::optional<Hundredth> HundredthOf(std::string_view word) {
  constexpr std::array kHundredths{Hundredth{"ct", ""},       Hundredth{"cts", ""},     Hundredth{"cent", ""},
                                   Hundredth{"cents", ""},    Hundredth{"c", ""},       Hundredth{"p", "GBP"},
                                   Hundredth{"pence", "GBP"}, Hundredth{"ore", ""},     Hundredth{"snt", "EUR"},
                                   Hundredth{"rp", "CHF"},    Hundredth{"paise", "INR"}};
  const auto* const found = std::ranges::find(kHundredths, word, &Hundredth::word);
  return found == kHundredths.end() ? std::nullopt : std::optional(*found);
}

constexpr std::array<std::string_view, 15> kPriceWords{"price",  "prices", "preis",  "prix",        "precio",
                                                       "prezzo", "pris",   "lmp",    "lbmp",        "smp",
                                                       "spot",   "cost",   "tariff", "marketprice", "lmps"};
constexpr std::array<std::string_view, 11> kCarbonWords{
    "carbon", "co2", "co2e", "co2eq", "emission", "emissions", "intensity", "ghg", "moer", "footprint", "aer"};
constexpr std::array<std::string_view, 14> kPowerWords{
    "power",  "generation", "production", "wind",         "solar",     "pv",     "load",
    "output", "erzeugung",  "leistung",   "photovoltaik", "renewable", "eolico", "demand"};

template <std::size_t N>
bool HasAnyOf(const Words& words, const std::array<std::string_view, N>& wanted) {
  return std::ranges::any_of(words, [&](const std::string& word) { return IsOneOf(word, wanted); });
}

// "mw", "h" and "megawatt", "hours" become "mwh".
Words JoinHours(const Words& words) {
  Words joined;
  for (const std::string& word : words) {
    const bool is_hour = word == "h" || word == "hr" || word == "hour" || word == "hours";
    const auto power = joined.empty() ? std::nullopt : PowerOf(joined.back());
    if (is_hour && power) {
      joined.back() = Lower(power->text) + "h";
    } else {
      joined.push_back(word);
    }
  }
  return joined;
}

UnitReading PriceReading(double money, std::optional<Currency> currency, const Scaled& energy, std::string_view of) {
  UnitReading reading;
  reading.kind = Kind::kPrice;
  const bool is_per_kwh = energy.amount <= 1.0;
  reading.unit = is_per_kwh ? Unit::kPerKwh : Unit::kPerMwh;
  reading.factor = money * (is_per_kwh ? 1.0 : 1e3) / energy.amount;
  reading.currency = currency;
  reading.text = fmt::format("{}/{}", of, energy.text);
  return reading;
}

// The price whose money ends before word `end`; the energy comes after it.
std::optional<UnitReading> MoneyBefore(const Words& words, std::size_t end, const Scaled& energy, bool is_divided) {
  const std::string& last = words[end - 1];
  const std::string before = end >= 2 ? words[end - 2] : "";
  const bool is_sign = last == "dollar" || last == "yen";
  if (const auto hundredth = HundredthOf(last); hundredth && (is_divided || last.size() > 1)) {
    auto currency = Currency::Parse(hundredth->currency);
    if (const auto named = CurrencyOf(before)) currency = named;
    const std::string code = currency ? std::string(currency->code()) + " " : "";
    return PriceReading(0.01, currency, energy, last == "p" ? "p" : code + "ct");
  }
  if (const auto currency = CurrencyOf(last)) {
    const bool is_hundredth = HundredthOf(before).has_value();  // "c€/kWh", "ct EUR/kWh"
    auto reading = PriceReading(is_hundredth ? 0.01 : 1.0, currency, energy,
                                std::string(currency->code()) + (is_hundredth ? " ct" : ""));
    reading.has_assumed_currency = is_sign;
    return reading;
  }
  // "eurcent", "eurct"
  if (last.size() > 3 && CurrencyOf(last.substr(0, 3)) && HundredthOf(last.substr(3))) {
    const auto currency = CurrencyOf(last.substr(0, 3));
    return PriceReading(0.01, currency, energy, std::string(currency->code()) + " ct");
  }
  return std::nullopt;
}

std::optional<UnitReading> MassBefore(const Words& words, std::size_t end, const Scaled& energy, bool is_divided) {
  while (end > 1 && IsOneOf(words[end - 1], kCarbonDioxide) && !MassOf(words[end - 1])) --end;
  const auto mass = MassOf(words[end - 1]);
  if (!mass || (!is_divided && mass->text == "t")) return std::nullopt;
  UnitReading reading;
  reading.kind = Kind::kCarbonIntensity;
  reading.unit = Unit::kGramsPerKwh;
  reading.factor = mass->amount / energy.amount;
  reading.text = fmt::format("{}/{}", mass->text, energy.text);
  return reading;
}

// Something per energy, whose energy is word `at`.
std::optional<UnitReading> PerEnergy(const Words& words, std::size_t at, const Scaled& energy) {
  std::size_t end = at;
  constexpr std::array<std::string_view, 3> kPer{"per", "/", "pro"};
  while (end > 0 && IsOneOf(words[end - 1], kPer)) end -= 1;
  const bool is_divided = end < at;
  if (end > 0) {
    if (auto price = MoneyBefore(words, end, energy, is_divided)) return price;
    if (auto carbon = MassBefore(words, end, energy, is_divided)) return carbon;
  }
  const bool is_price = HasAnyOf(words, kPriceWords) || (is_divided && end == 0);
  if (is_price && !HasAnyOf(words, kCarbonWords)) return PriceReading(1.0, std::nullopt, energy, "money");
  return std::nullopt;
}

UnitReading PowerReading(const Scaled& power, bool is_energy_per_step) {
  UnitReading reading;
  reading.kind = Kind::kPower;
  reading.unit = power.amount >= 1e3 ? Unit::kMegawatt : power.amount >= 1.0 ? Unit::kKilowatt : Unit::kWatt;
  reading.factor = power.amount / (power.amount >= 1e3 ? 1e3 : power.amount >= 1.0 ? 1.0 : 1e-3);
  reading.is_energy_per_step = is_energy_per_step;
  reading.text = power.text;
  return reading;
}

std::optional<UnitReading> PowerIn(const Words& words) {
  for (std::size_t i = words.size(); i-- > 0;) {
    const auto power = PowerOf(words[i]);
    if (!power || (words[i] == "w" && i + 1 != words.size())) continue;
    const std::string_view before = i > 0 ? std::string_view(words[i - 1]) : "";
    const std::string_view after = i + 1 < words.size() ? std::string_view(words[i + 1]) : "";
    const auto divides = [](std::string_view word) { return word == "/" || word == "per"; };
    if (divides(before) || divides(after) || after == "m2") return std::nullopt;  // EUR/MW, W/m2
    return PowerReading(*power, false);
  }
  return std::nullopt;
}

UnitReading ShareReading(Kind kind, Unit unit, std::string_view text) {
  UnitReading reading;
  reading.kind = kind;
  reading.unit = unit;
  reading.text = text;
  return reading;
}

std::optional<UnitReading> UnitIn(const Words& words) {
  for (std::size_t i = words.size(); i-- > 0;) {
    const auto energy = EnergyOf(words[i]);
    if (!energy) continue;
    if (auto found = PerEnergy(words, i, *energy)) return found;
    const bool is_divided = i > 0 && (words[i - 1] == "/" || words[i - 1] == "per");
    if (is_divided || HasAnyOf(words, kCarbonWords)) return std::nullopt;
    // Energy of each step; "mwh" is named like its power.
    return PowerReading({"", energy->amount, energy->text}, true);
  }
  if (auto power = PowerIn(words)) return power;
  if (words.empty()) return std::nullopt;
  const std::string& last = words.back();
  const bool is_pair = words.size() >= 2;
  if ((is_pair && words[words.size() - 2] == "capacity" && last == "factor") || last == "cf" ||
      (is_pair && words[words.size() - 2] == "per" && last == "unit") ||
      (is_pair && words[words.size() - 2] == "p" && last == "u")) {
    return ShareReading(Kind::kCapacityFactor, Unit::kPerUnit, "per unit");
  }
  constexpr std::array<std::string_view, 4> kPercents{"%", "percent", "pct", "percentage"};
  if (HasAnyOf(words, kPercents)) return ShareReading(Kind::kShare, Unit::kPercent, "%");
  return std::nullopt;
}

double Quantile(std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

double PerEuro(const std::optional<Currency>& currency) {
  if (!currency) return 1.0;
  const auto* const found = std::ranges::find(kMoneys, currency->code(), &Money::code);
  return found == kMoneys.end() ? 0.0 : found->per_euro;
}

}  // namespace

std::optional<UnitReading> UnitInName(std::string_view name) {
  if (name.size() > 400) return std::nullopt;
  return UnitIn(JoinHours(WordsOf(name)));
}

std::optional<UnitReading> UnitOfColumn(std::string_view name) {
  if (auto unit = UnitInName(name)) return unit;
  const Meaning meaning = MeaningOfCanonicalName(name);
  if (meaning.kind == Kind::kOther) return std::nullopt;
  UnitReading unit;
  unit.kind = meaning.kind;
  unit.unit = meaning.unit;
  unit.text = UnitText(meaning);
  return unit;
}

Result<UnitReading> ParseUnit(std::string_view text, std::string_view where) {
  const Words words = JoinHours(WordsOf(text.substr(0, 100)));
  auto reading = UnitIn(words);
  // A user writes a unit and not a sentence that contains one.
  if (reading && words.size() <= 6 && text.size() <= 100 && !HasAnyOf(words, kPriceWords)) return *reading;
  return Fail(ErrorCode::kInvalidArgument, std::string(where),
              fmt::format("'{}' is not a known unit", Printable(text, 40)),
              "such as EUR/MWh, USD/kWh, ct/kWh, p/kWh, g/kWh, kg/MWh, lb/MWh, t/MWh, W, kW, MW, MWh (per step), %");
}

Kind KindInName(std::string_view name) {
  const Words words = WordsOf(name.substr(0, 400));
  if (HasAnyOf(words, kPriceWords)) return Kind::kPrice;
  if (HasAnyOf(words, kCarbonWords)) return Kind::kCarbonIntensity;
  if (HasAnyOf(words, kPowerWords)) return Kind::kPower;
  return Kind::kOther;
}

std::string UnitItLooksLike(const UnitReading& reading, const std::optional<Currency>& currency,
                            std::span<const double> cells) {
  constexpr std::size_t kFewest = 6;
  std::vector<double> sizes;
  for (const double cell : cells) {
    if (!IsMissing(cell) && cell != 0.0) sizes.push_back(std::abs(cell));
  }
  if (sizes.size() < kFewest) return "";
  std::ranges::sort(sizes);
  const double middle = Quantile(sizes, 0.5) * reading.factor;
  const double most = sizes.back() * reading.factor;
  if (reading.kind == Kind::kCarbonIntensity) {
    // Even oil and coal stay below 1500 g/kWh, and no grid below 1.5 g/kWh at all times.
    if (reading.factor == 1.0 && most < 1.5 && middle > 0.01) return "t/MWh or kg/kWh";
    if (middle > 3000.0 && reading.factor > 1.0) return "g/kWh";
    if (middle > 5000.0) return "g/MWh";
    return "";
  }
  if (reading.kind != Kind::kPrice) return "";
  const double per_euro = PerEuro(currency ? currency : reading.currency);
  if (per_euro == 0.0) return "";
  const std::string code = currency           ? std::string(currency->code())
                           : reading.currency ? std::string(reading.currency->code())
                                              : "money";
  if (reading.unit == Unit::kPerKwh && middle / per_euro > 3.0) return code + "/MWh";
  // A wholesale price below 1 EUR/MWh at all times does not occur; a price per kWh is always below 1 EUR.
  if (reading.unit == Unit::kPerMwh && most / per_euro < 1.0) return code + "/kWh";
  return "";
}

}  // namespace heliostat::signal
