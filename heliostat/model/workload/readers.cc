#include "heliostat/model/workload/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

constexpr double kMostGpus = 1e6;

std::string TextAt(const Rows& rows, std::size_t column) {
  return column == kNoColumn ? std::string() : std::string(rows.Text(column));
}

int Gpus(Rows& rows, std::size_t column) {
  const double gpus = rows.Number(column, kMostGpus);
  if (gpus != std::floor(gpus)) rows.Refuse(column, "must be a whole number");
  return static_cast<int>(gpus);
}

// GPU-hours that each application of the Pollux workloads takes. The workloads have times and numbers of GPUs but no
// lengths, so these are estimates: samples to the end of training, divided by samples per second and GPU. Samples are
// steps times batch as the artifact recorded them at batches of 384 (bert), 2048 (cifar10), 320 and 640 (deepspeech2),
// 800 (imagenet), 8192 (ncf) and 64 (yolov3); larger batches need more, so that cifar10 and imagenet, which the
// workloads run at up to 4096 and 6400, are low. Speeds are its measured step times with four GPUs per node. They
// differ by at most 9 % (cifar10: 14 %) between the numbers of GPUs in the workloads; this is ignored.
struct PolluxApplication {
  std::string_view name;
  double gpu_hours;
};
constexpr std::array<PolluxApplication, 6> kPolluxApplications{{
    {"bert", 5.4},
    {"cifar10", 1.6},
    {"deepspeech2", 7.7},
    {"imagenet", 189.0},
    {"ncf", 0.009},
    {"yolov3", 14.3},
}};

void RefuseApplication(Rows& rows, std::size_t column) {
  std::string names;
  for (const PolluxApplication& one : kPolluxApplications) names += (names.empty() ? "" : ", ") + std::string(one.name);
  rows.Refuse(column, "must be one of " + names);
}

}  // namespace

void Keep(const Rows& rows, TraceJob job, Trace& trace) {
  if (rows.is_row_bad()) return;
  if (job.gpus == 0 || job.length == 0s) {
    ++trace.dropped;
  } else {
    trace.jobs.push_back(std::move(job));
  }
}

std::string NameByLine(std::int64_t line) { return fmt::format("job-{}", line - 1); }

void BeginAtMidnight(Trace& trace) {
  if (trace.jobs.empty()) return;
  const Duration first = std::ranges::min_element(trace.jobs, {}, &TraceJob::submit)->submit;
  const Duration midnight = std::chrono::floor<std::chrono::days>(first);
  for (TraceJob& job : trace.jobs) job.submit -= midnight;
}

Trace ReadPhilly(Rows& rows) {
  Trace trace;
  const std::size_t time = rows.Need("timestamp");
  const std::size_t length = rows.Need("duration");
  const std::size_t gpus = rows.Need("num_gpus");
  const std::size_t account = rows.Find("cluster");
  while (rows.Next()) {
    TraceJob job{.id = NameByLine(rows.line()), .length = rows.Length(length, 1s), .gpus = Gpus(rows, gpus)};
    job.submit = rows.Clock(time).time_since_epoch();
    job.account = TextAt(rows, account);
    Keep(rows, std::move(job), trace);
  }
  BeginAtMidnight(trace);
  return trace;
}

Trace ReadChronus(Rows& rows) {
  Trace trace;
  const std::size_t id = rows.Need("job_id");
  const std::size_t gpus = rows.Need("num_gpu");
  const std::size_t submit = rows.Need("submit_time");
  const std::size_t length = rows.Need("duration");
  const std::size_t model = rows.Need("model_name");
  const std::size_t deadline = rows.Need("expect_time_list");
  const std::size_t best_effort = rows.Find("best_effort");
  const std::size_t user = rows.Find("user");
  while (rows.Next()) {
    TraceJob job{.id = std::string(rows.Text(id)),
                 .submit = rows.Length(submit, 1min),
                 .length = rows.Length(length, 1min),
                 .gpus = Gpus(rows, gpus)};
    if (!rows.Text(model).empty()) job.model = std::string(rows.Text(model));
    job.is_best_effort = rows.OptionalNumber(best_effort, 1.0).value_or(0.0) > 0.0;
    if (!job.is_best_effort) job.deadline = rows.Length(deadline, 1min);
    job.account = TextAt(rows, user);  // its values are virtual clusters, such as vc_103959
    Keep(rows, std::move(job), trace);
  }
  return trace;
}

Trace ReadPollux(Rows& rows) {
  Trace trace;
  const std::size_t id = rows.Need("name");
  const std::size_t time = rows.Need("time");
  const std::size_t application = rows.Need("application");
  const std::size_t replicas = rows.Need("num_replicas");
  while (rows.Next()) {
    const std::string_view name = rows.Text(application);
    const auto* const found = std::ranges::find(kPolluxApplications, name, &PolluxApplication::name);
    if (found == kPolluxApplications.end()) {
      RefuseApplication(rows, application);
      continue;
    }
    TraceJob job{.id = std::string(rows.Text(id)),
                 .submit = rows.Length(time, 1s),
                 .gpus = Gpus(rows, replicas),
                 .model = std::string(name)};
    if (job.gpus > 0) job.length = Duration{std::max(1LL, std::llround(found->gpu_hours * 3600.0 / job.gpus))};
    Keep(rows, std::move(job), trace);
  }
  return trace;
}

Trace ReadPai(Rows& rows) {
  Trace trace;
  const std::size_t arrival = rows.Need("arrival_time");
  const std::size_t length = rows.Need("length");
  const std::size_t units = rows.Need("cpus");
  while (rows.Next()) {
    // Units count as GPUs; a fraction is rounded up to a whole GPU.
    const double cpus = std::ceil(rows.Number(units, kMostGpus));
    Keep(rows,
         {.id = NameByLine(rows.line()),
          .submit = rows.Length(arrival, 1h),
          .length = rows.Length(length, 1h),
          .gpus = static_cast<int>(cpus)},
         trace);
  }
  return trace;
}

namespace {

// The optional columns of the own format that say whose job it is and how it went.
struct OwnDetails {
  explicit OwnDetails(const Rows& rows)
      : wait(rows.Find("wait_s")),
        user(rows.Find("user")),
        account(rows.Find("account")),
        name(rows.Find("name")),
        state(rows.Find("state")),
        time_limit(rows.Find("time_limit_s")) {}

  void Read(Rows& rows, TraceJob& job) const {
    if (!TextAt(rows, wait).empty()) job.wait = rows.Length(wait, 1s);
    job.user = TextAt(rows, user);
    job.account = TextAt(rows, account);
    job.name = TextAt(rows, name);
    job.state = TextAt(rows, state);
    if (TextAt(rows, time_limit).empty()) return;
    job.time_limit = rows.Length(time_limit, 1s);
    if (*job.time_limit == 0s) rows.Refuse(time_limit, "must be above 0, or empty for none");
  }

  std::size_t wait, user, account, name, state, time_limit;
};

}  // namespace

Trace ReadOwn(Rows& rows) {
  Trace trace;
  const std::size_t id = rows.Need("id");
  const std::size_t length = rows.Need("length_s");
  const std::size_t gpus = rows.Need("gpus");
  const std::size_t model = rows.Find("model");
  const std::size_t date = rows.Find("submit");
  const std::size_t submit = date == kNoColumn ? rows.Need("submit_s") : kNoColumn;
  const std::size_t due_date = rows.Find("deadline");
  const std::size_t deadline = rows.Find("deadline_s");
  const std::size_t best_effort = rows.Find("best_effort");
  const OwnDetails details(rows);
  while (rows.Next()) {
    TraceJob job{.id = std::string(rows.Text(id)), .length = rows.Length(length, 1s), .gpus = Gpus(rows, gpus)};
    job.submit = date == kNoColumn ? rows.Length(submit, 1s) : rows.Clock(date).time_since_epoch();
    if (model != kNoColumn && !rows.Text(model).empty()) job.model = std::string(rows.Text(model));
    job.is_best_effort = rows.OptionalNumber(best_effort, 1.0).value_or(0.0) > 0.0;
    if (date != kNoColumn && due_date != kNoColumn && !rows.Text(due_date).empty()) {
      job.deadline = rows.Clock(due_date).time_since_epoch() - job.submit;
      if (*job.deadline <= 0s) rows.Refuse(due_date, "must be later than submit");
    } else if (deadline != kNoColumn && !rows.Text(deadline).empty()) {
      job.deadline = rows.Length(deadline, 1s);
    }
    details.Read(rows, job);
    Keep(rows, std::move(job), trace);
  }
  if (date != kNoColumn) BeginAtMidnight(trace);
  return trace;
}

}  // namespace heliostat::workload
