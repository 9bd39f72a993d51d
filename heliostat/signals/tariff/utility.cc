#include "heliostat/signals/tariff/utility.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace heliostat::tariff {
namespace {

struct KnownName {
  std::string_view words;  // in the form of Words()
  Utility utility;
};

constexpr Utility kPge{"Pacific Gas and Electric", "America/Los_Angeles"};
constexpr Utility kSce{"Southern California Edison", "America/Los_Angeles"};
constexpr Utility kPnm{"Public Service Company of New Mexico", "America/Denver"};
constexpr Utility kDte{"DTE Electric", "America/Detroit"};

constexpr std::array kKnown{
    KnownName{" pge ", kPge},
    KnownName{" pacific gas and electric ", kPge},
    KnownName{" pacific gas electric ", kPge},
    KnownName{" sce ", kSce},
    KnownName{" southern california edison ", kSce},
    KnownName{" pnm ", kPnm},
    KnownName{" public service company of new mexico ", kPnm},
    KnownName{" public service co of nm ", kPnm},
    KnownName{" dte ", kDte},
    KnownName{" detroit edison ", kDte},
};

// Lower case, one blank between words and at both ends. "PG&E" becomes "pge".
std::string Words(std::string_view text) {
  std::string words = " ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool joins = c == '&' && i > 0 && i + 1 < text.size() && text[i - 1] != ' ' && text[i + 1] != ' ';
    if (joins) continue;
    if (std::isalnum(c) != 0) {
      words += static_cast<char>(std::tolower(c));
    } else if (words.back() != ' ') {
      words += ' ';
    }
  }
  if (words.back() != ' ') words += ' ';
  return words;
}

std::string_view FileName(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::optional<Utility> FindUtility(std::string_view text) {
  const std::string words = Words(text);
  for (const KnownName& known : kKnown) {
    if (words.find(known.words) != std::string::npos) return known.utility;
  }
  return std::nullopt;
}

void AddTimeZone(Tariff& tariff) {
  for (const std::string_view text :
       {std::string_view(tariff.utility), std::string_view(tariff.name), FileName(tariff.file)}) {
    if (const auto found = FindUtility(text)) {
      tariff.time_zone = found->time_zone;
      if (tariff.utility.empty()) tariff.utility = found->name;
      tariff.notes.push_back(
          fmt::format("time zone {} is derived from the name '{}'", found->time_zone, Printable(text, 80)));
      return;
    }
  }
  tariff.notes.emplace_back("the time zone is not known: neither the file nor its names give it");
}

}  // namespace heliostat::tariff
