#include "heliostat/node/ledger/bill.h"

#include <algorithm>
#include <cmath>

#include "heliostat/model/account/energy_carbon_cost.h"

namespace heliostat::ledger {
namespace {

constexpr double kRounding = 1e-12;  // sums of equal terms differ by less

enum class Otherwise { kDefault, kOptimum, kShadow };

// A sum, and how far it would move if power, or speed, were off by one standard error everywhere.
struct Sum {
  double value = 0.0;
  double by_power = 0.0;
  double by_speed = 0.0;

  void Add(const Sum& other, double factor = 1.0) {
    value += other.value * factor;
    by_power += other.by_power * factor;
    by_speed += other.by_speed * factor;
  }
  Estimate estimate() const { return {value, std::hypot(by_power, by_speed)}; }
};

double KwhOf(const Joules& energy) { return InKilowattHours(energy); }

// Carbon and price of a kilowatt-hour.
struct Charge {
  std::optional<double> carbon_g;
  std::optional<double> money;
};

// A charge that is not known counts as 0.
account::Supply SupplyAt(const Charge& charge, const Begin& begin) {
  return {.grid = GramsPerKwh(charge.carbon_g.value_or(0.0)),
          .renewable = {},
          .renewable_carbon = {},
          .price_per_kwh = charge.money.value_or(0.0),
          .pue = begin.pue};
}

Joules ItEnergy(const Joules& gpus, const Seconds& time, const Begin& begin) { return gpus + begin.node_power * time; }

const std::optional<LevelPrediction>& PredictionIn(const Period& period, Otherwise otherwise) {
  return otherwise == Otherwise::kDefault   ? period.at_default
         : otherwise == Otherwise::kOptimum ? period.at_optimum
                                            : period.at_shadow;
}

// Absent where a prediction is not needed or does not exist: the period is compared with itself.
const LevelPrediction* PredictionFor(const Period& period, const Begin& begin, Otherwise otherwise) {
  const auto& prediction = PredictionIn(period, otherwise);
  if (!prediction || period.progress == ProgressSource::kNone) return nullptr;
  // A measurement at this level is better than a prediction.
  const double level = otherwise == Otherwise::kDefault ? begin.default_level : prediction->level;
  return period.level == level ? nullptr : &*prediction;
}

bool IsKnown(const Period& period, const Begin& begin, Otherwise otherwise) {
  if (otherwise == Otherwise::kDefault && period.level == begin.default_level) return true;
  const auto& prediction = PredictionIn(period, otherwise);
  return prediction && (period.progress != ProgressSource::kNone || period.level == prediction->level);
}

// Time in seconds and IT energy in joules of a period's steps at another level.
struct Redone {
  Sum time_s;
  Sum it_j;
};

Redone Redo(const Period& period, const Begin& begin, Otherwise otherwise) {
  const LevelPrediction* const prediction = PredictionFor(period, begin, otherwise);
  if (prediction == nullptr) {
    return {{period.elapsed.count()}, {ItEnergy(period.total_energy(), period.elapsed, begin).value}};
  }
  const double speed = prediction->steps_per_s.value;
  const double power = prediction->power_w.value;
  const double stepping_s = period.steps / speed;
  // The relative error of the time equals that of the speed.
  const double stepping_error_s = -stepping_s * (prediction->steps_per_s.error / speed);
  const Seconds time = period.aside + Seconds(stepping_s);
  const Joules gpus = period.aside_energy + Watts{power} * Seconds(stepping_s);
  return {{time.count(), 0.0, stepping_error_s},
          {ItEnergy(gpus, time, begin).value, stepping_s * prediction->power_w.error,
           (power + begin.node_power.value) * stepping_error_s}};
}

// Sums over periods at another level.
class OtherSums {
 public:
  explicit OtherSums(Otherwise otherwise) : otherwise_(otherwise) {}

  // Charged at the times when the run did the work.
  void Add(const Period& period, const Begin& begin) {
    Add(period, begin, Redo(period, begin, otherwise_), {period.carbon_g_per_kwh, period.price_per_kwh});
  }
  void Add(const Period& period, const Begin& begin, const Redone& redone, const Charge& charge) {
    // Linear in the energy, so that the charge of one joule scales the errors too.
    const account::Balance joule = account::Settle(Joules{1.0}, SupplyAt(charge, begin));
    time_s_.Add(redone.time_s);
    energy_j_.Add(redone.it_j, joule.facility.value);
    carbon_g_.Add(redone.it_j, joule.carbon.value);
    cost_.Add(redone.it_j, joule.cost);
    if (IsKnown(period, begin, otherwise_)) known_ += period.elapsed;
  }
  Estimate carbon_g() const { return carbon_g_.estimate(); }
  Seconds time() const { return Seconds(time_s_.value); }

  Counterfactual Finish(const Totals& run) const {
    Counterfactual other;
    other.energy_j = energy_j_.estimate();
    other.carbon_g = carbon_g_.estimate();
    other.cost = cost_.estimate();
    other.time_s = time_s_.estimate();
    other.energy_saved_percent = Saved(run.energy.value, other.energy_j);
    other.carbon_saved_percent = Saved(run.carbon.value, other.carbon_g);
    other.cost_saved_percent = Saved(run.cost, other.cost);
    other.slowdown_percent = Saved(run.time.count(), other.time_s);
    if (other.slowdown_percent) other.slowdown_percent->value = 0.0 - other.slowdown_percent->value;
    other.known_share = run.time.count() > 0 ? known_ / run.time : 0.0;
    return other;
  }

 private:
  // The run's own values are measured; the error is that of the counterfactual.
  static std::optional<Estimate> Saved(double used, const Estimate& other) {
    if (!(other.value > 0.0)) return std::nullopt;
    const double share = used / other.value;
    const bool is_same = std::abs(1.0 - share) < kRounding;
    return Estimate{is_same ? 0.0 : 100.0 * (1.0 - share), 100.0 * std::abs(share) * other.error / other.value};
  }

  Otherwise otherwise_;
  Sum time_s_;
  Sum energy_j_;
  Sum carbon_g_;
  Sum cost_;
  Seconds known_{};
};

// Carbon and price of a kilowatt-hour over the run, by seconds from its start. After its end: the last value.
class ChargesOverTime {
 public:
  explicit ChargesOverTime(const std::vector<Period>& periods) : periods_(&periods) {}

  // The mean over a time that begins where the previous one ended. Unknown where it is unknown for a part of it.
  Charge Next(double seconds) {
    double left = seconds;
    Charge sum{0.0, 0.0};
    do {
      while (index_ + 1 < periods_->size() && used_ >= (*periods_)[index_].elapsed.count()) {
        used_ = 0.0;
        ++index_;
      }
      const Period& period = (*periods_)[index_];
      const bool is_last = index_ + 1 == periods_->size();
      const double part = is_last ? left : std::min(left, period.elapsed.count() - used_);
      const double share = seconds > 0.0 ? part / seconds : 1.0;
      Add(sum.carbon_g, period.carbon_g_per_kwh, share);
      Add(sum.money, period.price_per_kwh, share);
      used_ += part;
      left -= part;
    } while (left > kRounding * seconds);
    return sum;
  }

 private:
  static void Add(std::optional<double>& sum, const std::optional<double>& value, double share) {
    sum = sum && value ? std::optional(*sum + *value * share) : std::nullopt;
  }

  const std::vector<Period>* periods_;
  std::size_t index_ = 0;
  double used_ = 0.0;  // s of that period
};

// Receives the sums after each period.
template <typename Tell>
OtherSums FromStart(const Run& run, Tell tell) {
  OtherSums sums(Otherwise::kDefault);
  ChargesOverTime charges(run.periods);
  for (const Period& period : run.periods) {
    const Redone redone = Redo(period, run.begin, Otherwise::kDefault);
    sums.Add(period, run.begin, redone, charges.Next(redone.time_s.value));
    tell(sums);
  }
  return sums;
}

io::Json ToJson(const Counterfactual& other, bool has_price) {
  io::Json json;
  const auto add = [&json](const std::string& name, const Estimate& estimate, double unit = 1.0) {
    json.Set(name, estimate.value / unit).Set(name + "_error", estimate.error / unit);
  };
  const auto add_if = [&](const std::string& name, const std::optional<Estimate>& estimate) {
    if (estimate) return add(name, *estimate);
    json.Set(name, nullptr).Set(name + "_error", nullptr);
  };
  add("energy_kwh", other.energy_j, kJoulesPerKwh);
  add("carbon_g", other.carbon_g);
  if (has_price) add("cost", other.cost);
  add("time_s", other.time_s);
  add_if("energy_saved_percent", other.energy_saved_percent);
  add_if("carbon_saved_percent", other.carbon_saved_percent);
  if (has_price) add_if("cost_saved_percent", other.cost_saved_percent);
  add_if("slowdown_percent", other.slowdown_percent);
  json.Set("known_share", other.known_share);
  return json;
}

io::Json ToJson(const std::optional<Shadow>& shadow) {
  if (!shadow) return {};
  io::Json json;
  const auto add = [&json](const std::string& name, const Estimate& estimate) {
    json.Set(name, estimate.value).Set(name + "_error", estimate.error);
  };
  add("carbon_saved_percent", shadow->carbon_saved_percent);
  add("energy_saved_percent", shadow->energy_saved_percent);
  add("slowdown_percent", shadow->slowdown_percent);
  return json.Set("known_share", shadow->known_share);
}

}  // namespace

Totals TotalsOf(const Period& period, const Begin& begin) {
  const account::Balance balance = account::Settle(ItEnergy(period.total_energy(), period.elapsed, begin),
                                                   SupplyAt({period.carbon_g_per_kwh, period.price_per_kwh}, begin));
  return {balance.facility, balance.carbon, balance.cost, period.elapsed};
}

Bill BillOf(const Run& run) {
  Bill bill;
  OtherSums at_default(Otherwise::kDefault);
  OtherSums at_optimum(Otherwise::kOptimum);
  OtherSums at_shadow(Otherwise::kShadow);
  for (const Period& period : run.periods) {
    const Totals one = TotalsOf(period, run.begin);
    bill.run.energy += one.energy;
    bill.run.carbon += one.carbon;
    bill.run.cost += one.cost;
    bill.run.time += one.time;
    bill.steps += period.steps;
    if (!period.carbon_g_per_kwh) bill.uncharged_energy += one.energy;
    if (!period.price_per_kwh) bill.unpriced_energy += one.energy;
    if (period.is_probe) bill.probing += period.elapsed;
    if (period.progress == ProgressSource::kCounters) bill.estimated += period.elapsed;
    at_default.Add(period, run.begin);
    at_optimum.Add(period, run.begin);
    at_shadow.Add(period, run.begin);
    bill.others += period.others_energy();
    if (period.others_energy().value > 0.0) bill.shared += period.elapsed;
  }
  bill.steps_done = run.end && run.end->steps_done ? *run.end->steps_done : bill.steps;
  bill.at_shadow = at_shadow.Finish(bill.run);
  bill.from_start = FromStart(run, [](const OtherSums&) {}).Finish(bill.run);
  bill.at_default = at_default.Finish(bill.run);
  bill.at_optimum = at_optimum.Finish(bill.run);
  return bill;
}

std::optional<Shadow> WouldHaveSaved(const Bill& bill) {
  const Counterfactual& other = bill.at_shadow;
  if (other.known_share <= 0.0 || !(bill.run.energy.value > 0.0) || !(bill.run.time.count() > 0.0)) return std::nullopt;
  const auto saved = [](double run, const Estimate& would) {
    if (!(run > 0.0)) return Estimate{};
    return Estimate{100.0 * (1.0 - would.value / run), 100.0 * would.error / run};
  };
  Estimate longer = saved(bill.run.time.count(), other.time_s);
  longer.value = 0.0 - longer.value;
  return Shadow{saved(bill.run.carbon.value, other.carbon_g), saved(bill.run.energy.value, other.energy_j), longer,
                other.known_share};
}

CarbonSoFar CarbonSoFarOf(const Run& run) {
  CarbonSoFar so_far;
  Grams total;
  OtherSums at_default(Otherwise::kDefault);
  OtherSums at_optimum(Otherwise::kOptimum);
  for (const Period& period : run.periods) {
    total += TotalsOf(period, run.begin).carbon;
    at_default.Add(period, run.begin);
    at_optimum.Add(period, run.begin);
    so_far.run.push_back(total);
    so_far.at_default_g.push_back(at_default.carbon_g());
    so_far.at_optimum_g.push_back(at_optimum.carbon_g());
  }
  return so_far;
}

std::vector<CarbonAt> DefaultFromStart(const Run& run) {
  std::vector<CarbonAt> points;
  (void)FromStart(run, [&](const OtherSums& sums) { points.push_back({sums.time(), Grams{sums.carbon_g().value}}); });
  return points;
}

io::Json ToJson(const Bill& bill, const Begin& begin) {
  const bool has_price = begin.currency.has_value();
  io::Json json;
  if (IsOnMadeUpGpu(begin)) json.Set("made_up_gpu", true);
  json.Set("energy_kwh", KwhOf(bill.run.energy)).Set("carbon_g", bill.run.carbon.value);
  if (has_price) json.Set("cost", bill.run.cost).Set("currency", begin.currency->code());
  json.Set("time_s", bill.run.time.count()).Set("steps", bill.steps).Set("steps_done", bill.steps_done);
  json.Set("step_name", begin.step_name);
  json.Set("uncharged_kwh", KwhOf(bill.uncharged_energy));
  if (has_price) json.Set("unpriced_kwh", KwhOf(bill.unpriced_energy));
  json.Set("probing_s", bill.probing.count()).Set("estimated_s", bill.estimated.count());
  json.Set("pue", begin.pue).Set("node_w", begin.node_power.value);
  json.Set("shadow", begin.is_shadow).Set("only_measures", begin.only_measures);
  json.Set("energy_of", begin.has_gpus() ? "gpus" : "machine");
  json.Set("shared_s", bill.shared.count()).Set("others_kwh", KwhOf(bill.others));
  if (begin.is_shadow) json.Set("would_have_saved", ToJson(WouldHaveSaved(bill)));
  json.Set("default_same_start", ToJson(bill.from_start, has_price));
  json.Set("default_same_moment", ToJson(bill.at_default, has_price));
  json.Set("energy_optimal", ToJson(bill.at_optimum, has_price));
  return json;
}

}  // namespace heliostat::ledger
