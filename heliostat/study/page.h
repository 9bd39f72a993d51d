#pragma once

#include <string>
#include <vector>

#include "heliostat/study/finding.h"

namespace heliostat::study {

// Findings as one page. `about` says how they came to be.
std::string MarkdownPage(const std::vector<Finding>& findings, const std::vector<std::string>& about);
std::string HtmlPage(const std::vector<Finding>& findings, const std::vector<std::string>& about);

}  // namespace heliostat::study
