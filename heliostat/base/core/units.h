#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace heliostat {

// A number with a physical dimension. Distinct tags are distinct types: adding watts to joules does not compile. Values
// are in SI units; other units exist only in parsers and formatters. Prices are plain numbers (decision 0090).
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

// Conversions from other units to SI, and back as plain numbers.
inline constexpr double kJoulesPerKwh = 3.6e6;

constexpr Watts Kilowatts(double kw) { return Watts{kw * 1e3}; }
constexpr Joules KilowattHours(double kwh) { return Joules{kwh * kJoulesPerKwh}; }
constexpr Hertz Megahertz(double mhz) { return Hertz{mhz * 1e6}; }
constexpr CarbonIntensity GramsPerKwh(double g) { return CarbonIntensity{g / kJoulesPerKwh}; }

constexpr double InKilowatts(Watts p) { return p.value / 1e3; }
constexpr double InKilowattHours(Joules e) { return e.value / kJoulesPerKwh; }
constexpr double InKilograms(Grams m) { return m.value / 1e3; }
constexpr double InMegahertz(Hertz f) { return f.value / 1e6; }
constexpr double InGramsPerKwh(CarbonIntensity i) { return i.value * kJoulesPerKwh; }

// Products and quotients that have a meaning; all others do not compile.
constexpr Joules operator*(Watts p, Seconds dt) { return Joules{p.value * dt.count()}; }
constexpr Joules operator*(Seconds dt, Watts p) { return p * dt; }
constexpr Watts operator/(Joules e, Seconds dt) { return Watts{e.value / dt.count()}; }
constexpr Seconds operator/(Joules e, Watts p) { return Seconds{e.value / p.value}; }
constexpr Grams operator*(Joules e, CarbonIntensity i) { return Grams{e.value * i.value}; }
constexpr Grams operator*(CarbonIntensity i, Joules e) { return e * i; }
constexpr CarbonIntensity operator/(Grams m, Joules e) { return CarbonIntensity{m.value / e.value}; }

// An ISO 4217 code such as "EUR". The currency of a price is known only when a file is read, so it is a value and not a
// type. A scenario, series or run stores it once for all its prices. A plain value type: safe to read from several
// threads.
class Currency {
 public:
  // Accepts three capital letters, whether or not the code is assigned; std::nullopt for any other text.
  static std::optional<Currency> Parse(std::string_view code);
  static constexpr Currency Usd() { return Currency({'U', 'S', 'D'}); }
  static constexpr Currency Eur() { return Currency({'E', 'U', 'R'}); }

  std::string_view code() const { return {code_.data(), code_.size()}; }
  friend constexpr bool operator==(const Currency&, const Currency&) = default;

 private:
  constexpr explicit Currency(std::array<char, 3> code) : code_(code) {}
  std::array<char, 3> code_;
};

}  // namespace heliostat
