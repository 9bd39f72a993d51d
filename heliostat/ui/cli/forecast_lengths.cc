#include <fmt/format.h>

#include <memory>

#include "heliostat/forecasting/job_length/score.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/scenario_jobs.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {
namespace {

using job_length::PastJob;
using job_length::Score;
using job_length::ScoredGroup;

constexpr const char* kAbout =
    R"(Walks through past jobs in the order of their submission and predicts the length of each from the jobs that had ended
before: 5, 25, 50, 75 and 95 % of such jobs are no longer than predicted. Jobs of the same user, name and number of GPUs count
most, then those of the user, of the account, and all others. A job of which nothing is known gets its time limit.

The answer compares the predictions with two simpler rules, the time limit and the median of earlier jobs: the median of
|predicted - true| / true, the mean pinball loss of the 50, 75 and 95 % quantile (lower is better), and the share of jobs that
took no longer than the 95 % quantile.

Examples:
  sacct -a -X -P -S 2026-01-01 -o JobID,User,Account,JobName,Submit,Start,Elapsed,Timelimit,AllocTRES,State > jobs.txt
  heliostat forecast lengths jobs.txt
  heliostat forecast lengths philly.csv --json)";

// The jobs that have ended.
std::vector<PastJob> PastOf(const workload::Trace& trace) {
  std::vector<PastJob> jobs;
  for (const workload::TraceJob& job : trace.jobs) {
    const auto ending = job_length::EndingOfState(job.state);
    if (!ending) continue;
    job_length::JobTraits traits{job.user, job.account, job.name, job.gpus, job.time_limit};
    jobs.push_back({{std::move(traits), job.length, *ending}, job.submit, job.wait});
  }
  return jobs;
}

std::vector<std::string> CellsOf(const Score& score) {
  std::vector<std::string> cells{fmt::format("{}", score.jobs),
                                 fmt::format("{:.1f}", 100.0 * score.median_relative_error)};
  for (const Seconds& loss : score.pinball) cells.push_back(fmt::format("{:.1f}", loss.count() / 60.0));
  cells.push_back(fmt::format("{:.1f}", 100.0 * score.coverage95));
  return cells;
}

const std::vector<std::string> kScoreHeader{
    "jobs", "median error %", "pinball 50 %, min", "pinball 75 %, min", "pinball 95 %, min", "within 95 %"};

report::HtmlTable EmptyTable(std::string first) {
  report::HtmlTable table{.header = {std::move(first)}, .rows = {}, .text_columns = 1};
  table.header.insert(table.header.end(), kScoreHeader.begin(), kScoreHeader.end());
  return table;
}

void AddRow(const std::string& name, const Score& score, report::HtmlTable& table) {
  table.rows.push_back({name});
  for (std::string& cell : CellsOf(score)) table.rows.back().push_back(std::move(cell));
}

// The rules compared for all jobs, then the predictions for parts of the jobs.
std::string TablesOf(const std::vector<ScoredGroup>& groups) {
  report::HtmlTable rules = EmptyTable("length");
  for (const Score& score : groups.front().scores) AddRow(std::string(NameOf(score.rule)), score, rules);
  report::HtmlTable parts = EmptyTable("jobs by");
  for (const ScoredGroup& group : groups) {
    if (group.by != "all") AddRow(fmt::format("{}: {}", group.by, group.name), group.scores.front(), parts);
  }
  return report::TextOf(rules) + "\n" + report::TextOf(parts);
}

io::Json JsonOf(const Score& score) {
  io::Json json;
  json.Set("rule", std::string(NameOf(score.rule))).Set("jobs", static_cast<std::int64_t>(score.jobs));
  json.Set("median_error_percent", 100.0 * score.median_relative_error);
  json.Set("pinball50_s", score.pinball[0].count()).Set("pinball75_s", score.pinball[1].count());
  json.Set("pinball95_s", score.pinball[2].count()).Set("coverage95_percent", 100.0 * score.coverage95);
  return json;
}

io::Json JsonOf(const std::vector<ScoredGroup>& groups) {
  io::Json list{io::Json::Array{}};
  for (const ScoredGroup& group : groups) {
    io::Json scores{io::Json::Array{}};
    for (const Score& score : group.scores) scores.Append(JsonOf(score));
    io::Json json;
    json.Set("by", group.by).Set("name", group.name).Set("jobs", static_cast<std::int64_t>(group.jobs));
    list.Append(std::move(json.Set("scores", std::move(scores))));
  }
  return list;
}

Result<Output> Answer(const TraceArguments& arguments) {
  const auto trace = ReadTraceOf(arguments);
  if (!trace) return Propagate(trace);
  const std::vector<PastJob> jobs = PastOf(*trace);
  const auto groups = job_length::ScoreAll(job_length::Rehearse(jobs));
  if (groups.empty()) {
    return Fail(ErrorCode::kInvalidArgument, trace->name, "no job was submitted after another one had ended",
                "a longer history is needed");
  }
  const std::size_t scored = groups.front().jobs;
  Output output;
  output.text =
      fmt::format("{}: {} ended jobs, {} predicted when they were submitted, from jobs that had ended before\n",
                  trace->name, jobs.size(), scored);
  output.json.Set("file", trace->name).Set("jobs", static_cast<std::int64_t>(jobs.size()));
  output.json.Set("predicted", static_cast<std::int64_t>(scored));
  output.json.Set("unended", static_cast<std::int64_t>(trace->jobs.size() - jobs.size()));
  TellTrace(*trace, output);
  if (trace->jobs.size() > jobs.size()) {
    output.text += fmt::format("  {} jobs left out: they have not ended\n", trace->jobs.size() - jobs.size());
  }
  output.text += TablesOf(groups);
  output.json.Set("groups", JsonOf(groups));
  return output;
}

}  // namespace

Command InstallForecastLengths(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<TraceArguments>();
  syntax
      .AddOption("FILE", arguments->file, "Trace of jobs: a public one, or what sacct -X -P prints; -: standard input")
      .Required();
  AddFormatArguments(syntax, *arguments);
  syntax.AddOption("--date-order ORDER", arguments->date_order,
                   "Order in dates such as 03/04/2024: day-first or month-first (default: found)");
  syntax.Footer(kAbout);
  return [arguments, &options]() -> Result<Output> {
    if (const Status bad = RefuseOverwrite(arguments->file, options); !bad) return Propagate(bad);
    return Answer(*arguments);
  };
}

}  // namespace heliostat::cli
