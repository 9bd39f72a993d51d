#pragma once

#include <string>
#include <vector>

#include "heliostat/ui/experiments/finding.h"

namespace heliostat::experiments {

// Findings as one page. `about` are paragraphs on the method and the data.
inline constexpr const char* kPoliciesTitle = "Policies compared";
std::string MarkdownPage(const std::vector<Finding>& findings, const std::vector<std::string>& about,
                         const std::string& title = kPoliciesTitle);
// Fails if a picture cannot be drawn.
Result<std::string> HtmlPage(const std::vector<Finding>& findings, const std::vector<std::string>& about,
                             const report::MadeBy& made_by, const std::string& title = kPoliciesTitle);

}  // namespace heliostat::experiments
