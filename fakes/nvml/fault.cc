#include "fakes/nvml/fault.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace heliostat::nvml_double {
namespace {

// The functions of one GPU. The others hang only by name, so that hanging one GPU does not affect the rest.
constexpr std::uint64_t kOfNoGpu = BitOf(Function::k_nvmlInit_v2) | BitOf(Function::k_nvmlShutdown) |
                                   BitOf(Function::k_nvmlDeviceGetCount_v2) | BitOf(Function::k_nvmlErrorString) |
                                   BitOf(Function::k_nvmlSystemGetDriverVersion);
constexpr std::uint64_t kOfOneGpu = ((std::uint64_t{1} << static_cast<unsigned>(kFunctions)) - 1) & ~kOfNoGpu;

tl::unexpected<Error> Refuse(std::string_view kind, std::string_view value, std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, std::string(kind), fmt::format("'{}'", Printable(value)),
              std::move(allowed));
}

std::optional<double> Positive(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !std::isfinite(value) || value <= 0.0) return std::nullopt;
  return value;
}

Status AddHang(Faults& faults, std::string_view value, double real_s) {
  const auto colon = value.find(':');
  const std::string_view name = value.substr(0, colon);
  const auto function = FunctionOf(name);
  if (!function && !name.empty() && name != "all")
    return Refuse("hang", value, "FUNCTION, all, :SECONDS or FUNCTION:SECONDS");
  double until = 0.0;
  if (colon != std::string_view::npos) {
    const auto seconds = Positive(value.substr(colon + 1));
    if (!seconds) return Refuse("hang", value, "seconds above 0 behind the colon");
    until = real_s + *seconds;
  }
  faults.hanging |= function ? BitOf(*function) : kOfOneGpu;
  faults.hangs_until_real_s = until;
  return {};
}

Status AddClamp(Faults& faults, std::string_view value) {
  const auto colon = value.find(':');
  const auto low = Positive(value.substr(0, colon));
  const auto high = Positive(colon == std::string_view::npos ? std::string_view() : value.substr(colon + 1));
  if (!low || !high || *low > *high) return Refuse("clamp", value, "LOW:HIGH in watts");
  faults.clamp_low_mw = std::llround(*low * 1e3);
  faults.clamp_high_mw = std::llround(*high * 1e3);
  return {};
}

Status AddUnsupported(Faults& faults, std::string_view value) {
  const auto function = FunctionOf(value);
  if (!function) return Refuse("unsupported", value, "a function of the library");
  faults.unsupported |= BitOf(*function);
  return {};
}

// A whole number of milliwatts, from `value` in units of `unit_mw`.
Status AddMilliwatts(std::int64_t& where, std::string_view kind, std::string_view value, double unit_mw) {
  const auto number = Positive(value);
  if (!number || std::llround(*number * unit_mw) < 1)
    return Refuse(kind, value, unit_mw > 1.0 ? "watts" : "milliwatts");
  where = std::llround(*number * unit_mw);
  return {};
}

}  // namespace

Status AddFault(Faults& faults, std::string_view kind, std::string_view value, double real_s) {
  if (kind == "hang") return AddHang(faults, value, real_s);
  if (kind == "clamp") return AddClamp(faults, value);
  if (kind == "unsupported") return AddUnsupported(faults, value);
  if (kind == "round") return AddMilliwatts(faults.round_mw, kind, value, 1.0);
  if (kind == "out-of-band") return AddMilliwatts(faults.out_of_band_mw, kind, value, 1e3);
  bool* const flag = kind == "no-permission"       ? &faults.refuses_writes
                     : kind == "lost"              ? &faults.is_lost
                     : kind == "ignore"            ? &faults.ignores_writes
                     : kind == "no-energy-counter" ? &faults.has_no_counter
                     : kind == "mig"               ? &faults.is_mig
                                                   : nullptr;
  if (flag == nullptr) {
    return Fail(
        ErrorCode::kInvalidArgument, "fault", fmt::format("no kind '{}'", Printable(kind)),
        "no-permission, lost, hang, clamp, round, ignore, unsupported, out-of-band, no-energy-counter, mig, reload");
  }
  if (!value.empty()) return Refuse(kind, value, "no value");
  *flag = true;
  return {};
}

std::optional<Function> FunctionOf(std::string_view name) {
  for (int i = 0; i < kFunctions; ++i) {
    const auto function = static_cast<Function>(i);
    if (NameOf(function) == name) return function;
  }
  return std::nullopt;
}

bool Hangs(const Faults& faults, Function function, double real_s) {
  if ((faults.hanging & BitOf(function)) == 0) return false;
  return faults.hangs_until_real_s == 0.0 || real_s < faults.hangs_until_real_s;
}

}  // namespace heliostat::nvml_double
