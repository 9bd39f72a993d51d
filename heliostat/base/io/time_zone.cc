#include "heliostat/base/io/time_zone.h"

#include <date/tz.h>
#include <fmt/format.h>

namespace heliostat::io {

struct TimeZone::Rules {
  const date::time_zone* zone;
};

TimeZone::TimeZone(std::string name, std::chrono::minutes offset, std::shared_ptr<const Rules> rules)
    : name_(std::move(name)), offset_(offset), rules_(std::move(rules)) {}

TimeZone TimeZone::Fixed(std::chrono::minutes offset) {
  const auto away = offset < std::chrono::minutes{0} ? -offset : offset;
  std::string name = offset.count() == 0 ? std::string("UTC")
                                         : fmt::format("UTC{}{:02}:{:02}", offset.count() < 0 ? '-' : '+',
                                                       away.count() / 60, away.count() % 60);
  return {std::move(name), offset, nullptr};
}

Result<TimeZone> TimeZone::Find(std::string_view name) {
  if (name == "UTC" || name == "Z") return Utc();
  if (!name.empty() && (name[0] == '+' || name[0] == '-')) {
    const auto offset = ParseIsoTime("2000-01-01T00:00" + std::string(name));
    if (offset && offset->utc_offset) return Fixed(*offset->utc_offset);
  } else {
    try {
      return TimeZone(std::string(name), {}, std::make_shared<Rules>(Rules{date::locate_zone(std::string(name))}));
    } catch (const std::exception&) {
      // Fall through: not in the database, or no database on this machine.
    }
  }
  return Fail(ErrorCode::kInvalidArgument, "time zone", fmt::format("'{}' is not known", Printable(name, 60)),
              "a name such as Europe/Berlin (needs the tzdata package), UTC, or an offset such as +10:00");
}

TimeZone::Reading TimeZone::ToUtc(std::chrono::local_seconds local) const {
  const Instant as_if_utc{local.time_since_epoch()};
  if (!rules_) return {as_if_utc - offset_, std::nullopt};
  const date::local_info info = rules_->zone->get_info(date::local_seconds{local.time_since_epoch()});
  switch (info.result) {
    case date::local_info::unique:
      return {as_if_utc - info.first.offset, std::nullopt};
    case date::local_info::ambiguous:
      return {as_if_utc - info.first.offset, as_if_utc - info.second.offset};
    default:
      return {std::nullopt, std::nullopt};
  }
}

std::chrono::local_seconds TimeZone::ToLocal(Instant t) const {
  const auto offset = rules_ ? rules_->zone->get_info(t).offset : std::chrono::seconds{offset_};
  return std::chrono::local_seconds{(t + offset).time_since_epoch()};
}

}  // namespace heliostat::io
