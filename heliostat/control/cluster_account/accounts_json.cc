#include <charconv>

#include <fmt/format.h>

#include "heliostat/control/cluster_account/accounts.h"

namespace heliostat::cluster_account {

using account::Balance;
using cluster::JobKey;
using io::Json;

std::string TextOf(const JobKey& key) {
  return fmt::format("{}@{}", NumberText(key), key.submit.time_since_epoch().count());
}

namespace {

template <typename Number>
bool ReadNumber(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Status ReadNumbers(const Json& json, std::initializer_list<std::pair<std::string_view, double*>> members) {
  for (const auto& [key, into] : members) {
    const auto member = json.Get(key);
    if (!member) return Propagate(member);
    const auto number = (*member)->Number();
    if (!number) return Propagate(number);
    *into = *number;
  }
  return {};
}

Result<const Json::Object*> MembersOf(const Json& json, std::string_view key) {
  const auto member = json.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Members();
}

Result<JobKey> KeyIn(const std::string& text, const Json& json) {
  if (const auto key = KeyOf(text)) return *key;
  return Fail(ErrorCode::kCorrupt, json.where(), "\"" + text + "\" is no job");
}

}  // namespace

std::optional<JobKey> KeyOf(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view number = text.substr(0, at);
  JobKey key;
  if (const std::size_t line = number.find('_'); line != std::string_view::npos) {
    int element = 0;
    if (!ReadNumber(number.substr(line + 1), element)) return std::nullopt;
    key.element = element;
    number = number.substr(0, line);
  }
  std::int64_t submit = 0;
  if (!ReadNumber(number, key.number) || !ReadNumber(text.substr(at + 1), submit)) return std::nullopt;
  key.submit = Instant{std::chrono::seconds{submit}};
  return key;
}

Json ToJson(const Balance& balance) {
  return Json()
      .Set("it_j", balance.it.value)
      .Set("facility_j", balance.facility.value)
      .Set("grid_j", balance.grid.value)
      .Set("renewable_used_j", balance.renewable_used.value)
      .Set("carbon_g", balance.carbon.value)
      .Set("cost", balance.cost);
}

Result<Balance> BalanceFromJson(const Json& json) {
  Balance balance;
  const Status read = ReadNumbers(json, {{"it_j", &balance.it.value},
                                         {"facility_j", &balance.facility.value},
                                         {"grid_j", &balance.grid.value},
                                         {"renewable_used_j", &balance.renewable_used.value},
                                         {"carbon_g", &balance.carbon.value},
                                         {"cost", &balance.cost}});
  if (!read) return Propagate(read);
  return balance;
}

Json Accounts::ToJson() const {
  Json::Object open;
  for (const auto& [key, energy] : open_jobs_) open.emplace_back(TextOf(key), energy.value);
  Json::Object jobs;
  for (const auto& [key, balance] : jobs_) jobs.emplace_back(TextOf(key), cluster_account::ToJson(balance));
  // Not in one expression, which would copy it all.
  Json json;
  json.Set("step_s", static_cast<std::int64_t>(step_.count()))
      .Set("begin", FormatInstant(begin_))
      .Set("until", FormatInstant(until_))
      .Set("open_unused_j", open_unused_.value)
      .Set("open_jobs_j", std::move(open))
      .Set("closed", cluster_account::ToJson(closed_))
      .Set("unused", cluster_account::ToJson(unused_))
      .Set("forgotten", cluster_account::ToJson(forgotten_))
      .Set("jobs", std::move(jobs));
  return json;
}

Result<Accounts> Accounts::FromJson(const Json& json) {
  Accounts accounts({}, Duration{1});
  for (const auto& [key, into] : {std::pair{"begin", &accounts.begin_}, std::pair{"until", &accounts.until_}}) {
    const auto member = json.Get(key);
    if (!member) return Propagate(member);
    const auto text = (*member)->Text();
    if (!text) return Propagate(text);
    const auto time = ParseInstant(*text, (*member)->where());
    if (!time) return Propagate(time);
    *into = *time;
  }
  double step = 0.0;
  if (const Status bad = ReadNumbers(json, {{"step_s", &step}, {"open_unused_j", &accounts.open_unused_.value}}); !bad)
    return Propagate(bad);
  if (step < 1.0) return Fail(ErrorCode::kCorrupt, json.where(), "has slots without a length");
  accounts.step_ = Duration{static_cast<std::int64_t>(step)};
  for (const auto& [key, into] : {std::pair{"closed", &accounts.closed_}, std::pair{"unused", &accounts.unused_},
                                  std::pair{"forgotten", &accounts.forgotten_}}) {
    const auto member = json.Get(key);
    if (!member) return Propagate(member);
    const auto balance = BalanceFromJson(**member);
    if (!balance) return Propagate(balance);
    *into = *balance;
  }
  const auto open = MembersOf(json, "open_jobs_j");
  if (!open) return Propagate(open);
  for (const auto& [text, value] : **open) {
    const auto key = KeyIn(text, value);
    if (!key) return Propagate(key);
    const auto energy = value.Number();
    if (!energy) return Propagate(energy);
    accounts.open_jobs_[*key] = Joules{*energy};
  }
  const auto jobs = MembersOf(json, "jobs");
  if (!jobs) return Propagate(jobs);
  for (const auto& [text, value] : **jobs) {
    const auto key = KeyIn(text, value);
    if (!key) return Propagate(key);
    const auto balance = BalanceFromJson(value);
    if (!balance) return Propagate(balance);
    accounts.jobs_[*key] = *balance;
  }
  return accounts;
}

}  // namespace heliostat::cluster_account
