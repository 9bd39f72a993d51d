#include "heliostat/node/training_progress/line_styles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "heliostat/base/core/names.h"
#include "heliostat/node/training_progress/line_scan.h"

namespace heliostat::training_progress {
namespace {

constexpr auto kStyles = NamesOf<LineStyle>({{LineStyle::kTqdm, "tqdm bar"},
                                             {LineStyle::kKeras, "Keras bar"},
                                             {LineStyle::kRich, "rich bar"},
                                             {LineStyle::kBracketed, "epoch log"},
                                             {LineStyle::kCounter, "step log"},
                                             {LineStyle::kPattern, "pattern"},
                                             {LineStyle::kRate, "rate log"},
                                             {LineStyle::kNone, "none"}});

constexpr std::string_view kHeavyLine = "\xe2\x94\x81";  // ━

void AddRates(std::string_view line, LineFacts& facts) {
  const Rates rates = FindRates(line);
  facts.steps_per_s = rates.steps_per_s;
  facts.samples_per_s = rates.samples_per_s;
}

LineFacts Facts(LineStyle style, const Counter& counter, std::string_view name) {
  LineFacts facts;
  facts.style = style;
  facts.count = counter.count;
  facts.total = counter.total;
  facts.name = name;
  return facts;
}

// "156/1875 [====>....] - ETA: 4s - loss: 0.3" and "156/1875 ━━━━━━ 4s 3ms/step - loss: 0.3".
std::optional<LineFacts> ReadKeras(std::string_view line) {
  std::size_t at = SkipBlanks(line, 0);
  const auto counter = CounterAt(line, at);
  if (!counter || !counter->total) return std::nullopt;
  at = SkipBlanks(line, counter->end);
  const std::string_view rest = line.substr(at);
  const bool is_second = rest.size() > 2 && rest[0] == '[' && (rest[1] == '=' || rest[1] == '>' || rest[1] == '.');
  if (!is_second && !StartsWith(rest, kHeavyLine)) return std::nullopt;
  LineFacts facts = Facts(LineStyle::kKeras, *counter, {});
  AddRates(rest, facts);
  return facts;
}

std::optional<LineFacts> ReadRich(std::string_view line) {
  const std::size_t bar = line.find(kHeavyLine);
  if (bar == std::string_view::npos) return std::nullopt;
  for (std::size_t at = bar; at < line.size(); ++at) {
    if (!IsDigit(line[at]) || IsDigit(line[at - 1])) continue;
    const auto counter = CounterAt(line, at);
    if (!counter || !counter->total) continue;
    LineFacts facts = Facts(LineStyle::kRich, *counter, line.substr(0, bar));
    AddRates(line.substr(counter->end), facts);
    return facts;
  }
  return std::nullopt;
}

// "[ 100/5005]" or "[ 100/5005 (  2%)]" somewhere in the first part of a line that begins with a word.
std::optional<LineFacts> ReadBracketed(std::string_view line) {
  const std::size_t word = SkipBlanks(line, 0);
  if (word >= line.size() || std::isalpha(static_cast<unsigned char>(line[word])) == 0) return std::nullopt;
  for (std::size_t open = line.find('['); open != std::string_view::npos; open = line.find('[', open + 1)) {
    const auto counter = CounterAt(line, SkipBlanks(line, open + 1));
    if (!counter || !counter->total) continue;
    const std::size_t after = SkipBlanks(line, counter->end);
    if (after >= line.size() || (line[after] != ']' && line[after] != '(')) continue;
    LineFacts facts = Facts(LineStyle::kBracketed, *counter, line.substr(0, open));
    AddRates(line.substr(after), facts);
    return facts;
  }
  return std::nullopt;
}

// Faster than a search for the word that begins with it.
bool HasLetter(std::string_view line, char lower) {
  return line.find(lower) != std::string_view::npos ||
         line.find(static_cast<char>(lower - 'a' + 'A')) != std::string_view::npos;
}

// A counter behind one of the words that name steps.
std::optional<LineFacts> ReadCounter(std::string_view line) {
  static constexpr std::array<std::string_view, 8> kWords{"global_step", "global step", "iteration", "iter",
                                                          "step",        "update",      "batch",     "it"};
  for (const std::string_view word : kWords) {
    if (!HasLetter(line, word.front())) continue;
    for (std::size_t at = FindWord(line, word, 0); at != std::string_view::npos; at = FindWord(line, word, at + 1)) {
      std::size_t from = at + word.size();
      if (from < line.size() && line[from] == 's') ++from;
      const std::size_t separated = SkipSeparators(line, from);
      if (separated == from) continue;
      const auto counter = CounterAt(line, separated);
      if (!counter) continue;
      LineFacts facts = Facts(LineStyle::kCounter, *counter, line.substr(0, at));
      AddRates(line, facts);
      return facts;
    }
  }
  return std::nullopt;
}

// {'loss': 0.3, 'learning_rate': 1e-5, 'epoch': 0.12} of Hugging Face's Trainer.
std::optional<double> EpochOf(std::string_view line) {
  static constexpr std::string_view kKey = "'epoch':";
  const std::size_t at = line.find(kKey);
  if (at == std::string_view::npos || line.find('{') > at) return std::nullopt;
  const auto number = NumberAt(line, SkipBlanks(line, at + kKey.size()));
  if (!number) return std::nullopt;
  return number->value;
}

// "1234it [00:12, 36.1it/s]": tqdm that does not know how many there will be.
std::optional<LineFacts> ReadOpenTqdm(std::string_view line) {
  const std::size_t open = line.find("it [");
  if (open == std::string_view::npos) return std::nullopt;
  std::size_t from = open;
  while (from > 0 && IsDigit(line[from - 1])) --from;
  const auto counter = CounterAt(line, from);
  if (!counter || counter->total || counter->end != open || line.find(']', open) == std::string_view::npos) {
    return std::nullopt;
  }
  LineFacts facts = Facts(LineStyle::kTqdm, *counter, line.substr(0, from));
  AddRates(line.substr(open), facts);
  return facts;
}

}  // namespace

std::string_view NameOf(LineStyle style) { return kStyles.NameOf(style); }

std::optional<LineFacts> ReadTqdm(std::string_view line) {
  for (std::size_t bar = line.find("%|"); bar != std::string_view::npos; bar = line.find("%|", bar + 1)) {
    const std::size_t close = line.find('|', bar + 2);
    if (close == std::string_view::npos) return std::nullopt;
    const auto counter = CounterAt(line, SkipBlanks(line, close + 1));
    if (!counter || !counter->total) continue;
    const std::size_t open = SkipBlanks(line, counter->end);
    if (open >= line.size() || line[open] != '[') continue;
    const std::size_t end = line.find(']', open);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view name = line.substr(0, bar);
    while (!name.empty() && (IsDigit(name.back()) || name.back() == '.' || name.back() == ' ')) name.remove_suffix(1);
    LineFacts facts = Facts(LineStyle::kTqdm, *counter, name);
    AddRates(line.substr(open, end - open), facts);
    // Whatever a bar counts, its rate is that of the count.
    if (!facts.steps_per_s) facts.steps_per_s = facts.samples_per_s;
    return facts;
  }
  return std::nullopt;
}

LineFacts ReadLine(std::string_view line) {
  // Every style has a number; most lines of a chatty program have none.
  if (std::none_of(line.begin(), line.end(), IsDigit)) return {};
  using Reader = std::optional<LineFacts> (*)(std::string_view);
  static constexpr std::array<Reader, 6> kReaders{ReadTqdm, ReadOpenTqdm,  ReadKeras,
                                                  ReadRich, ReadBracketed, ReadCounter};
  // Bars first: they may have been read before the rest of their line was there.
  if (line.find("%|") == std::string_view::npos) {
    LineFacts facts;
    facts.epoch = EpochOf(line);
    if (facts.epoch) return facts;
  }
  for (const Reader reader : kReaders) {
    if (auto facts = reader(line)) return *facts;
  }
  LineFacts facts;
  AddRates(line, facts);
  if (facts.steps_per_s || facts.samples_per_s) facts.style = LineStyle::kRate;
  return facts;
}

bool IsEvaluationName(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kWords{"valid", "eval", "test", "val", "predict"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return FindWord(name, word, 0) != std::string_view::npos; });
}

}  // namespace heliostat::training_progress
