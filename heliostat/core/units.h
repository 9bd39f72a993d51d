#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/core/check.h"

namespace heliostat {

// A number with a physical dimension. Distinct tags are distinct types, so
// watts cannot be added to joules and g/kWh cannot be passed where a price is
// meant. Always SI inside; other units exist only in parsers and formatters.
template <typename Tag>
struct Quantity {
  double value = 0.0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double v) : value(v) {}

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  constexpr Quantity& operator+=(Quantity o) {
    value += o.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value -= o.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value - b.value}; }
  friend constexpr Quantity operator-(Quantity a) { return Quantity{-a.value}; }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity{a.value * k}; }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity{a.value * k}; }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity{a.value / k}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

using Watts = Quantity<struct WattsTag>;
using Joules = Quantity<struct JoulesTag>;
using Hertz = Quantity<struct HertzTag>;
using Grams = Quantity<struct GramsTag>;                      // of CO2-equivalent
using CarbonIntensity = Quantity<struct CarbonIntensityTag>;  // g CO2e per joule
using Seconds = std::chrono::duration<double>;

inline constexpr double kJoulesPerKwh = 3.6e6;

constexpr Watts Kilowatts(double kw) { return Watts{kw * 1e3}; }
constexpr Watts Megawatts(double mw) { return Watts{mw * 1e6}; }
constexpr Joules KilowattHours(double kwh) { return Joules{kwh * kJoulesPerKwh}; }
constexpr Grams Kilograms(double kg) { return Grams{kg * 1e3}; }
constexpr Hertz Megahertz(double mhz) { return Hertz{mhz * 1e6}; }
constexpr CarbonIntensity GramsPerKwh(double g) { return CarbonIntensity{g / kJoulesPerKwh}; }

constexpr double InKilowatts(Watts p) { return p.value / 1e3; }
constexpr double InKilowattHours(Joules e) { return e.value / kJoulesPerKwh; }
constexpr double InKilograms(Grams m) { return m.value / 1e3; }
constexpr double InMegahertz(Hertz f) { return f.value / 1e6; }
constexpr double InGramsPerKwh(CarbonIntensity i) { return i.value * kJoulesPerKwh; }

constexpr Joules operator*(Watts p, Seconds dt) { return Joules{p.value * dt.count()}; }
constexpr Joules operator*(Seconds dt, Watts p) { return p * dt; }
constexpr Watts operator/(Joules e, Seconds dt) { return Watts{e.value / dt.count()}; }
constexpr Seconds operator/(Joules e, Watts p) { return Seconds{e.value / p.value}; }
constexpr Grams operator*(Joules e, CarbonIntensity i) { return Grams{e.value * i.value}; }
constexpr Grams operator*(CarbonIntensity i, Joules e) { return e * i; }
constexpr CarbonIntensity operator/(Grams m, Joules e) { return CarbonIntensity{m.value / e.value}; }

// An ISO 4217 code such as "EUR". Which currency a price is in is known only
// when the file is read, so it is a value and not a type.
class Currency {
 public:
  // Three capital letters, or nothing.
  static std::optional<Currency> Parse(std::string_view code);
  static constexpr Currency Usd() { return Currency({'U', 'S', 'D'}); }
  static constexpr Currency Eur() { return Currency({'E', 'U', 'R'}); }

  std::string_view code() const { return {code_.data(), code_.size()}; }
  friend constexpr bool operator==(const Currency&, const Currency&) = default;

 private:
  constexpr explicit Currency(std::array<char, 3> code) : code_(code) {}
  std::array<char, 3> code_;
};

// An amount of one currency. Mixing currencies is a programmer's error: input
// is checked for it where it is read.
struct Money {
  double amount = 0.0;
  Currency currency;

  Money& operator+=(const Money& o) {
    Check(currency == o.currency, "money of two currencies added");
    amount += o.amount;
    return *this;
  }
  friend Money operator+(Money a, const Money& b) { return a += b; }
  friend Money operator*(Money a, double k) { return {a.amount * k, a.currency}; }
  friend bool operator==(const Money&, const Money&) = default;
};

// What energy costs: money per joule. Negative prices are real.
struct EnergyPrice {
  double per_joule = 0.0;
  Currency currency;
  friend bool operator==(const EnergyPrice&, const EnergyPrice&) = default;
};

constexpr EnergyPrice PricePerKwh(double amount, Currency currency) { return {amount / kJoulesPerKwh, currency}; }
constexpr double InPerKwh(const EnergyPrice& price) { return price.per_joule * kJoulesPerKwh; }
constexpr Money operator*(Joules e, const EnergyPrice& price) { return {e.value * price.per_joule, price.currency}; }

}  // namespace heliostat
