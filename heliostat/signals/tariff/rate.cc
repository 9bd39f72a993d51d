#include "heliostat/signals/tariff/rate.h"

#include <fmt/format.h>

#include <cmath>

namespace heliostat::tariff {

Result<double> CheckedRate(double rate, const std::string& where) {
  if (std::abs(rate) < 1e6) return rate;
  return Fail(ErrorCode::kInvalidArgument, where, fmt::format("rate {} is out of range", rate),
              "its magnitude must be below a million");
}

Result<double> RateMember(const io::Json& object, std::string_view key) {
  const auto member = object.Get(key);
  if (!member) return Propagate(member);
  const auto number = (*member)->Number();
  if (!number) return Propagate(number);
  return CheckedRate(*number, (*member)->where());
}

Result<double> RateMemberOrZero(const io::Json& object, std::string_view key) {
  if (object.Find(key) == nullptr) return 0.0;
  return RateMember(object, key);
}

Result<std::string> TextOrEmpty(const io::Json& object, std::string_view key) {
  const io::Json* member = object.Find(key);
  if (member == nullptr) return std::string();
  return member->Text();
}

}  // namespace heliostat::tariff
