#include "heliostat/control/cluster/noted_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "heliostat/control/cluster/action_rules.h"

namespace heliostat::cluster {
namespace {

constexpr std::size_t kMostUnsure = 10'000;

// The record of a job: its own, or that of the array in which its element waits. `is_any_run`: also after a requeue.
const JobRecord* RecordOf(const std::vector<JobRecord>& records, const JobKey& key, bool is_any_run) {
  for (const JobRecord& record : records) {
    if (record.key.number != key.number) continue;
    if (record.key.submit != key.submit && !is_any_run) continue;
    if (record.key.element == key.element) return &record;
    if (key.element && record.is_array() && record.Has(*key.element)) return &record;
  }
  return nullptr;
}

std::vector<std::int64_t> NumbersOf(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

bool IsBelowZero(const JobVerb& verb) {
  const auto* const order = std::get_if<Order>(&verb);
  return order != nullptr && order->nice < 0;
}

}  // namespace

// One action that is under way.
struct NotedActions::Work {
  JobKey key;
  JobRecord record;  // as last read
  ActionResult* result = nullptr;
  Step step;
  std::optional<std::string> comment_before;
  std::optional<std::string> comment_after;
  std::optional<std::string> comment_of_others;  // as it was, to take ours back
  bool is_over = false;

  void End(Outcome outcome, std::string why) {
    *result = {outcome, std::move(why)};
    is_over = true;
  }
};

Rights NotedActions::AskRights() {
  missing_.Clear();
  return mechanism_.AskRights();
}

Result<std::vector<Pin>> NotedActions::Pins() {
  auto situation = mechanism_.Nodes();
  if (!situation) return Propagate(situation);
  return std::move(situation->pins);
}

std::vector<NotedActions::Work> NotedActions::Begin(const std::vector<JobAction>& actions,
                                                    std::vector<ActionResult>& results) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(actions.size());
  for (const JobAction& action : actions) numbers.push_back(action.job.number);
  const auto records = mechanism_.Records(NumbersOf(std::move(numbers)));
  std::vector<Work> works;
  std::set<JobKey> seen;
  std::map<std::int64_t, bool> is_whole;  // by number: the whole of an array, or elements
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const auto& [key, verb] = actions[i];
    ActionResult& result = results[i];
    const auto [whole, is_first] = is_whole.emplace(key.number, !key.element.has_value());
    const JobRecord* const record = records ? RecordOf(*records, key, false) : nullptr;
    if (!records) {
      result = {Outcome::kNotSent, records.error().Line()};
    } else if (!seen.insert(key).second || (!is_first && whole->second != !key.element.has_value())) {
      result = {Outcome::kNotSent, "the batch has another action for this job"};
    } else if (record == nullptr) {
      result = {Outcome::kNotThatJob, "there is no such job any more"};
    } else if (missing_.Has(Right::kJobs) || (IsBelowZero(verb) && missing_.Has(Right::kNegativeNice))) {
      result = {Outcome::kNoRight, "refused before"};
    } else {
      Step step = StepFor(*record, verb, clock_.Now(), unsure_.contains(key));
      if (step.decided) {
        result = *step.decided;
        continue;
      }
      Work work{.key = key, .record = *record, .result = &result, .step = std::move(step)};
      work.comment_before = work.step.comment_before;
      work.comment_after = work.step.comment_after;
      works.push_back(std::move(work));
    }
  }
  return works;
}

void NotedActions::Judge(Work& work, const RecordChange& change, const Said& said,
                         const Result<std::vector<JobRecord>>& after) {
  if (!after) {
    unsure_.insert(work.key);
    return work.End(Outcome::kNotKnown, after.error().Line());
  }
  const bool is_requeued = change.signal == Signal::kRequeue;
  const JobRecord* const record = RecordOf(*after, work.key, is_requeued);
  if (record == nullptr) return work.End(Outcome::kNotThatJob, "it started, or there is no such job any more");
  const bool is_new_run = record->key.submit != work.key.submit;
  if (IsFulfilled(change, work.record, *record, clock_.Now())) {
    work.record = *record;
    unsure_.erase(work.key);
    return;
  }
  if (is_new_run) return work.End(Outcome::kNotThatJob, "there is no such job any more");
  const bool had_waited = work.record.is_waiting();
  work.record = *record;
  if (!said.is_answered) {
    unsure_.insert(work.key);
    return work.End(Outcome::kNotKnown, said.words);
  }
  if (said.lacks_right) {
    const bool is_nice = change.nice && *change.nice < 0;
    missing_.Add(is_nice ? Right::kNegativeNice : Right::kJobs, said.words);
    return work.End(Outcome::kNoRight, said.words);
  }
  if (had_waited && !record->is_waiting()) return work.End(Outcome::kWrongState, "it has started");
  work.End(Outcome::kRefused, said.words.empty() ? "it is not as wanted" : said.words);
}

void NotedActions::Phase(std::vector<Work*> works, const std::vector<RecordChange>& changes) {
  if (works.empty()) return;
  std::vector<RecordOrder> orders;
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const Work& work = *works[i];
    orders.push_back({work.record, work.record.is_array() ? work.key.element : std::nullopt, changes[i]});
    numbers.push_back(work.key.number);
  }
  const std::vector<Said> said = mechanism_.Send(orders);
  const auto after = mechanism_.Records(NumbersOf(std::move(numbers)));
  for (std::size_t i = 0; i < works.size(); ++i) Judge(*works[i], changes[i], said[i], after);
  if (unsure_.size() > kMostUnsure) unsure_.clear();
}

void NotedActions::WriteComments(std::vector<Work*> works, std::optional<std::string> Work::*comment) {
  std::erase_if(works,
                [&](const Work* work) { return !(work->*comment) || *(work->*comment) == work->record.admin_comment; });
  std::vector<RecordChange> changes;
  changes.reserve(works.size());
  for (const Work* work : works) changes.push_back({.admin_comment = work->*comment});
  Phase(works, changes);
}

std::vector<ActionResult> NotedActions::Do(const std::vector<JobAction>& actions) {
  std::vector<ActionResult> results(actions.size());
  if (actions.empty()) return results;
  std::vector<Work> works = Begin(actions, results);
  std::vector<Work*> open;
  open.reserve(works.size());
  for (Work& work : works) open.push_back(&work);
  const auto leave_out_ended = [&] { std::erase_if(open, [](const Work* work) { return work->is_over; }); };

  for (Work* work : open) work->comment_of_others = work->record.admin_comment;
  WriteComments(open, &Work::comment_before);
  leave_out_ended();

  std::vector<Work*> changing;
  std::vector<RecordChange> changes;
  for (Work* work : open) {
    if (work->step.change.empty()) continue;
    changing.push_back(work);
    changes.push_back(work->step.change);
  }
  Phase(changing, changes);
  leave_out_ended();

  WriteComments(open, &Work::comment_after);
  leave_out_ended();
  for (Work* work : open) *work->result = work->step.at_success;

  // What was refused for certain has no note either.
  std::vector<Work*> refused;
  std::vector<ActionResult> kept;
  for (Work* work : changing) {
    const Outcome outcome = work->result->outcome;
    const bool is_certain =
        outcome == Outcome::kRefused || outcome == Outcome::kNoRight || outcome == Outcome::kWrongState;
    if (!work->comment_before || !is_certain) continue;
    refused.push_back(work);
    kept.push_back(*work->result);
  }
  WriteComments(refused, &Work::comment_of_others);
  for (std::size_t i = 0; i < refused.size(); ++i) *refused[i]->result = kept[i];
  return results;
}

}  // namespace heliostat::cluster
