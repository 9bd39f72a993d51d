#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/nearest.h"
#include "heliostat/base/io/file.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/progress_bar.h"
#include "heliostat/ui/experiments/chase_study.h"
#include "heliostat/ui/experiments/finding.h"
#include "heliostat/ui/experiments/page.h"
#include "heliostat/ui/experiments/sweep.h"

namespace heliostat::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string study;
  std::string data;
  std::string report;
  std::string html;
  std::string journal;
  bool quick = false;
  bool full = false;
  unsigned threads = 0;
};

constexpr const char* kAbout = R"(Studies:
  ca-rm        the three formulations of CA-RM against nine policies, as published and with node sleep for all
  ce-dla       cost of electricity with and without right-sizing, against three policies that ignore prices
  limit        a rolling policy against a plan with perfect knowledge, and the cost of a forecast error
  sensitivity  effect of forecast error, deadlines, on-site power, wake-up cost and PUE
  all          the four studies above
  chase        power limits by carbon intensity: Zeus' profiles in the controller of `heliostat run`; takes seconds

With --data or HELIOSTAT_DATA the grids are real; without, they are the nine built-in zones. An interrupted run
continues when it is started again with the same --journal.

Examples:
  heliostat reproduce ca-rm --quick
  heliostat reproduce all --data traces --journal sweep.jsonl --report results
  heliostat reproduce ce-dla --full --threads 8 --html ce-dla.html --json ce-dla.json)";

constexpr const char* kChase = "chase";

Result<std::vector<experiments::Study>> StudiesOf(const std::string& name) {
  std::vector<experiments::Study> chosen;
  std::vector<std::string_view> names{"all", kChase};
  const std::vector<experiments::Study> all = experiments::Studies();
  for (const experiments::Study& one : all) {
    names.push_back(one.id);
    if (name == "all" || name == one.id) chosen.push_back(one);
  }
  if (!chosen.empty()) return chosen;
  return Fail(ErrorCode::kInvalidArgument, "STUDY", fmt::format("'{}' is unknown", Printable(name, 40)),
              OneOf(name, names));
}

// The folder of public traces, checked; empty for built-in data.
Result<std::string> FolderOf(const Arguments& arguments) {
  const std::string named = ProcessEnvironment()("HELIOSTAT_DATA").value_or("");
  const std::string& folder = arguments.data.empty() ? named : arguments.data;
  std::error_code ignored;
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    return Fail(ErrorCode::kInvalidArgument, arguments.data.empty() ? "HELIOSTAT_DATA" : "--data",
                Printable(folder) + " is not a folder", "a folder of public traces, or unset for the built-in zones");
  }
  return folder;
}

Result<experiments::StudyPlaces> WorldOf(const Arguments& arguments) {
  const auto folder = FolderOf(arguments);
  if (!folder) return Propagate(folder);
  if (folder->empty()) return experiments::BuiltInWorld();
  return experiments::RealWorld(*folder);
}

experiments::Size SizeOf(const Arguments& arguments) {
  return arguments.quick  ? experiments::Size::kQuick
         : arguments.full ? experiments::Size::kFull
                          : experiments::Size::kUsual;
}

std::vector<std::string> AboutOf(const experiments::StudyPlaces& world, experiments::Size size, std::size_t cases,
                                 const std::string& study) {
  const char* const option = size == experiments::Size::kQuick  ? " --quick"
                             : size == experiments::Size::kFull ? " --full"
                                                                : "";
  return {
      fmt::format("Made by `heliostat reproduce {}{}`, {} simulated case{}; the same command gives the same numbers.",
                  study, option, cases, cases == 1 ? "" : "s"),
      fmt::format("Grids: {}.", world.about),
      size == experiments::Size::kQuick
          ? "A tiny design for tests: its numbers mean nothing."
          : "A case is a week of a cluster of 64 GPUs (32 A40, 32 V100) with 40 to 64 jobs and a service. Policies "
            "see jobs when they arrive, and forecasts that learn from the six weeks before, unless stated otherwise. "
            "Savings are for the same work: carbon or cost over work done."};
}

struct Answered {
  std::vector<experiments::Finding> findings;
  std::vector<std::string> about;
  std::string title = experiments::kPoliciesTitle;
  std::string page = "policies.md";
};

std::string AsText(const Answered& result) {
  std::string text;
  for (const std::string& line : result.about) text += line + "\n";
  for (const experiments::Finding& finding : result.findings) {
    text += "\n" + finding.title + "\n" + std::string(finding.title.size(), '=') + "\n" + finding.verdict + "\n";
    for (const experiments::Passage& passage : finding.passages) {
      text += "\n" + passage.heading + "\n";
      if (!passage.text.empty()) text += passage.text + "\n";
      if (passage.table) text += "\n" + TextOf(*passage.table);
    }
  }
  return text;
}

Result<Answered> Study(const Arguments& arguments, const std::vector<experiments::Study>& studies,
                       const experiments::StudyPlaces& world, const Options& options) {
  const experiments::Size size = SizeOf(arguments);
  std::vector<experiments::Case> cases;
  std::vector<std::size_t> ends;
  for (const experiments::Study& one : studies) {
    const auto more = one.design(world, size);
    cases.insert(cases.end(), more.begin(), more.end());
    ends.push_back(cases.size());
  }
  ProgressBar progress("simulating", cases.size(), options.quiet);
  const auto outcomes = experiments::RunSweep(cases, world, {arguments.journal, arguments.threads, HELIOSTAT_VERSION},
                                              [&progress](std::size_t done, std::size_t total) {
                                                progress.Show(static_cast<double>(done) / static_cast<double>(total),
                                                              fmt::format("{}/{}", done, total));
                                              });
  if (!outcomes) return Propagate(outcomes);
  Answered result{{}, AboutOf(world, size, cases.size(), arguments.study)};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const auto from = static_cast<std::ptrdiff_t>(begin);
    const auto to = static_cast<std::ptrdiff_t>(ends[i]);
    auto finding = studies[i].conclude(world, {cases.begin() + from, cases.begin() + to},
                                       {outcomes->begin() + from, outcomes->begin() + to}, size);
    if (!finding) return Propagate(finding);
    result.findings.push_back(*std::move(finding));
    begin = ends[i];
  }
  return result;
}

Status WriteReport(const std::string& folder, const Answered& result) {
  if (auto made = io::MakeDirectories(folder); !made) return made;
  std::vector<OutputFile> files{
      {"--report", folder + "/" + result.page, experiments::MarkdownPage(result.findings, result.about, result.title)}};
  for (const experiments::Finding& finding : result.findings) {
    for (const experiments::Passage& passage : finding.passages) {
      for (const experiments::Picture& picture : passage.pictures) {
        files.push_back({"--report", folder + "/" + picture.name + ".svg", picture.svg});
      }
    }
  }
  return WriteAll(files);
}

io::Json JsonOf(const Answered& result, const experiments::StudyPlaces& world) {
  io::Json json;
  json.Set("grids", world.is_real ? "real" : "built-in");
  io::Json studies;
  for (const experiments::Finding& finding : result.findings) {
    io::Json one = finding.json;
    one.Set("verdict", finding.verdict);
    studies.Set(finding.id, std::move(one));
  }
  json.Set("studies", std::move(studies));
  return json;
}

Status WritePages(const Arguments& arguments, const Answered& result, const report::MadeBy& made_by) {
  if (!arguments.report.empty()) {
    if (auto bad = WriteReport(arguments.report, result); !bad) return bad;
  }
  if (arguments.html.empty()) return {};
  const auto page = experiments::HtmlPage(result.findings, result.about, made_by, result.title);
  if (!page) return Propagate(page);
  return io::WriteFileAtomically(arguments.html, *page);
}

// The study chase replays profiles of single GPUs: it has no cluster, no cases and no journal.
Result<Output> AnswerChase(const Arguments& arguments, const report::MadeBy& made_by) {
  const auto folder = FolderOf(arguments);
  if (!folder) return Propagate(folder);
  const auto input = folder->empty() ? experiments::BuiltInChase() : experiments::RealChase(*folder);
  if (!input) return Propagate(input);
  auto finding = experiments::ChaseFinding(*input, SizeOf(arguments));
  if (!finding) return Propagate(finding);
  io::Json json;
  json.Set("grids", input->is_real ? "real" : "built-in");
  const auto members = finding->json.Members();
  if (!members) return Propagate(members);
  for (const auto& [key, value] : **members) json.Set(key, value);
  json.Set("studies", io::Json().Set(kChase, io::Json().Set("verdict", finding->verdict)));
  const Answered result{
      {*std::move(finding)},
      {fmt::format("Made by `heliostat reproduce chase{}{}`; the same command gives the same numbers.",
                   input->is_real ? " --data DIR" : "", arguments.quick ? " --quick" : ""),
       fmt::format("Data: {}.", input->about)},
      "Chase, replayed",
      "chase.md"};
  if (const auto bad = WritePages(arguments, result, made_by); !bad) return Propagate(bad);
  return Output{AsText(result), std::move(json)};
}

Result<Output> Answer(const Arguments& arguments, const Options& options) {
  if (arguments.quick && arguments.full) {
    return Fail(ErrorCode::kInvalidArgument, "--full", "cannot be combined with --quick", "omit one of the two");
  }
  std::vector<OutputFile> targets{{"--html", arguments.html, ""}, {"--journal", arguments.journal, ""}};
  if (!arguments.report.empty()) targets.push_back({"--report", arguments.report + "/policies.md", "", true});
  if (const auto bad = RefuseTargets(targets, {}, options); !bad) return Propagate(bad);
  if (arguments.study == kChase) return AnswerChase(arguments, options.made_by);
  const auto studies = StudiesOf(arguments.study);
  if (!studies) return Propagate(studies);
  const auto world = WorldOf(arguments);
  if (!world) return Propagate(world);
  const auto result = Study(arguments, *studies, *world, options);
  if (!result) return Propagate(result);
  if (const auto bad = WritePages(arguments, *result, options.made_by); !bad) return Propagate(bad);
  return Output{AsText(*result), JsonOf(*result, *world)};
}

}  // namespace

Command InstallReproduce(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("STUDY", arguments->study, "Study: ca-rm, ce-dla, limit, sensitivity, all (these four) or chase")
      .Required();
  syntax.AddOption("--data DIR", arguments->data,
                   "Folder of public traces (default: HELIOSTAT_DATA, else the built-in zones)");
  syntax.AddFlag("--quick", arguments->quick, "Run a tiny design in seconds; its numbers mean nothing");
  syntax.AddFlag("--full", arguments->full, "Run all combinations; takes hours");
  syntax.AddOption("--report DIR", arguments->report, "Write policies.md or chase.md and its charts into this folder");
  syntax.AddOption("--html FILE", arguments->html, "Write one HTML page to this file");
  syntax.AddOption("--journal FILE", arguments->journal,
                   "File that keeps finished cases; an interrupted run continues from it");
  syntax.AddOption("--threads N", arguments->threads, "Number of cases at a time; 0: one per core")
      .Between(0, 1024)
      .ShowDefault();
  syntax.Footer(kAbout);
  return [arguments, &options] { return Answer(*arguments, options); };
}

}  // namespace heliostat::cli
