// Any bytes are a plan of the small scenario or one error. A plan that is read can be checked and scored, and does not
// change when it is written and read again.
#include "heliostat/planning/plan/plan_json.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/placement.h"
#include "heliostat/planning/plan/testing/small_scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heliostat;
  static const scenario::Scenario kScenario = plan::testing::SmallScenario();
  const auto document = io::Json::Parse(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.json");
  if (!document) return 0;
  const auto read = plan::FromJson(kScenario, *document);
  if (!read) {
    Check(!read.error().Line().empty(), "an error has no text");
    return 0;
  }
  (void)plan::Violations(kScenario, {}, *read);
  (void)plan::Place(kScenario, *read);
  plan::Outcome outcome{.status = plan::Termination::kFeasible, .planned = {{*read, plan::ScoreOf(kScenario, *read)}}};
  const io::Json written = plan::ToJson(kScenario, {"min-carbon", "exact", 0.0, std::move(outcome)});
  const auto again = plan::FromJson(kScenario, written);
  Check(again.has_value(), "the written text cannot be read");
  Check(again->nodes_on == read->nodes_on, "nodes change when a plan is written and read again");
  for (std::size_t job = 0; job < read->jobs.size(); ++job) {
    Check(again->jobs[job].segments == read->jobs[job].segments,
          "segments change when a plan is written and read again");
  }
  return 0;
}
