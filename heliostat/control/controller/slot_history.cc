#include "heliostat/control/controller/slot_history.h"

#include <algorithm>

#include "heliostat/control/cluster_account/accounts.h"
#include "heliostat/control/loop/fields.h"

namespace heliostat::controller {

using account::Balance;
using io::Json;

namespace {

std::optional<Balance> Since(const std::optional<Balance>& before, const std::optional<Balance>& now) {
  if (!now) return std::nullopt;
  return cluster_account::Difference(*now, before.value_or(Balance{}));
}

}  // namespace

// What ran at the last look runs until the next.
void SlotHistory::Run(Instant until) {
  const double seconds = Seconds(until - looked_).count();
  gpu_seconds_was_ += running_was_ * seconds;
  gpu_seconds_would_ += running_would_ * seconds;
  looked_ = until;
}

PastSlot SlotHistory::Between(Instant end, const Balance& was, const std::optional<Balance>& would,
                              const SignalOutlook& signals) const {
  const double seconds = std::max(1.0, Seconds(end - *begin_).count());
  PastSlot slot;
  slot.span = {*begin_, end};
  slot.was = was;
  slot.would_have_been = would;
  slot.gpus_was = gpu_seconds_was_ / seconds;
  if (would) slot.gpus_would_have_been = gpu_seconds_would_ / seconds;
  slot.carbon = signals.CarbonAt(*begin_);
  slot.price_per_kwh = signals.PriceAt(*begin_);
  slot.renewable = signals.RenewableAt(*begin_);
  return slot;
}

std::optional<PastSlot> SlotHistory::Look(Instant now, Instant open, const Totals& closed,
                                          const SignalOutlook& signals) {
  std::optional<PastSlot> ended;
  if (begin_ && before_.would_have_been.has_value() != closed.would_have_been.has_value()) Reset();
  if (begin_ && open > *begin_) {
    Run(std::max(looked_, open));
    ended = Between(open, cluster_account::Difference(closed.was, before_.was),
                    Since(before_.would_have_been, closed.would_have_been), signals);
  }
  if (!begin_ || ended) {
    begin_ = ended ? open : std::min(now, std::max(open, closed.since));
    looked_ = *begin_;
    before_ = closed;
    gpu_seconds_was_ = gpu_seconds_would_ = 0.0;
  }
  Run(now);
  running_was_ = closed.gpus_was;
  running_would_ = closed.gpus_would_have_been.value_or(0.0);
  return ended;
}

std::optional<PastSlot> SlotHistory::Present(const Totals& open, const SignalOutlook& signals) const {
  if (!begin_ || looked_ <= *begin_) return std::nullopt;
  return Between(looked_, open.was, open.would_have_been, signals);
}

Json SlotHistory::Keep() const {
  if (!begin_) return {};
  Json json = Json()
                  .Set("begin", FormatInstant(*begin_))
                  .Set("looked", FormatInstant(looked_))
                  .Set("was", cluster_account::ToJson(before_.was))
                  .Set("gpu_seconds", gpu_seconds_was_)
                  .Set("gpu_seconds_would", gpu_seconds_would_)
                  .Set("running", running_was_)
                  .Set("running_would", running_would_);
  if (before_.would_have_been) json.Set("would", cluster_account::ToJson(*before_.would_have_been));
  return json;
}

Status SlotHistory::Restore(const Json& kept) {
  if (kept.is_null()) return {};
  loop::LogFields fields(kept);
  SlotHistory restored;
  restored.begin_ = fields.Time("begin");
  restored.looked_ = fields.Time("looked");
  restored.gpu_seconds_was_ = fields.Number("gpu_seconds");
  restored.gpu_seconds_would_ = fields.Number("gpu_seconds_would");
  restored.running_was_ = fields.Number("running");
  restored.running_would_ = fields.Number("running_would");
  if (!fields.status()) return fields.status();
  const auto was = kept.Get("was");
  if (!was) return Propagate(was);
  const auto balance = cluster_account::BalanceFromJson(**was);
  if (!balance) return Propagate(balance);
  restored.before_.was = *balance;
  if (const Json* const would = kept.Find("would")) {
    const auto read = cluster_account::BalanceFromJson(*would);
    if (!read) return Propagate(read);
    restored.before_.would_have_been = *read;
  }
  *this = restored;
  return {};
}

}  // namespace heliostat::controller
