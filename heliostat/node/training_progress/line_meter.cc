#include "heliostat/node/training_progress/line_meter.h"

#include <algorithm>
#include <regex>
#include <utility>

#include "heliostat/base/core/hash.h"
#include "heliostat/node/training_progress/line_scan.h"

namespace heliostat::training_progress {
namespace {

// The rest of a longer line is ignored.
constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kMostTracks = 8;
// A user's expression may take time that grows with the square of the line.
constexpr std::size_t kLongestForPattern = 512;
// A second bar counts as evaluation when it moves this often while the first stands still.
constexpr int kMovesOfEvaluation = 2;
// How far the counts of ranks that log independently may be apart.
constexpr std::uint64_t kRankLag = 8;

// By style and name without numbers ("Epoch 3"), and by the total where there is no name: Hugging Face's bars for
// training and evaluation have none.
std::uint64_t KeyOf(const LineFacts& facts) {
  std::uint64_t key = Hash64(static_cast<std::uint64_t>(facts.style), kHashOfNothing);
  bool has_name = false;
  for (const char c : facts.name) {
    if (IsDigit(c) || c == ' ' || c == '.' || c == '-') continue;
    has_name = true;
    key = Hash64(static_cast<unsigned char>(c), key);
  }
  if (!has_name) key = Hash64(facts.total.value_or(0), key);
  return key;
}

bool IsLineEnd(char byte) { return byte == '\n' || byte == '\r'; }

// The number of bytes before the first control character.
std::size_t PlainLength(std::string_view bytes) {
  std::size_t length = 0;
  while (length < bytes.size() && (static_cast<unsigned char>(bytes[length]) > '\x1b' || bytes[length] == '\t')) {
    ++length;
  }
  return length;
}

std::regex::flag_type PatternFlags() {
#ifdef __GLIBCXX__
  // Time and stack depend on the length of the line, not on the expression.
  return std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
  return std::regex::ECMAScript;
#endif
}

}  // namespace

struct LineMeter::Pattern {
  std::regex expression;

  LineFacts Read(std::string_view line) const {
    LineFacts facts;
    std::match_results<std::string_view::const_iterator> match;
    try {
      if (!std::regex_search(line.begin(), line.end(), match, expression)) return facts;
    } catch (const std::regex_error&) {  // too complex for this line: as if it did not match
      return facts;
    }
    const auto number = [&](std::size_t group) -> std::optional<std::uint64_t> {
      if (group >= match.size() || !match[group].matched) return std::nullopt;
      const auto text =
          line.substr(static_cast<std::size_t>(match.position(group)), static_cast<std::size_t>(match.length(group)));
      const auto counter = CounterAt(text, SkipBlanks(text, 0));
      if (!counter) return std::nullopt;
      return counter->count;
    };
    facts.count = number(1);
    if (!facts.count) return facts;
    facts.total = number(2);
    facts.style = LineStyle::kPattern;
    return facts;
  }
};

LineMeter::LineMeter() = default;
LineMeter::LineMeter(LineMeter&&) noexcept = default;
LineMeter& LineMeter::operator=(LineMeter&&) noexcept = default;
LineMeter::~LineMeter() = default;

Result<LineMeter> LineMeter::WithPattern(const std::string& pattern) {
  LineMeter meter;
  try {
    meter.pattern_ = std::make_unique<Pattern>(Pattern{std::regex(pattern, PatternFlags())});
  } catch (const std::regex_error& error) {
    return Fail(ErrorCode::kInvalidArgument, "progress pattern", pattern + ": " + error.what(),
                "an ECMAScript regular expression");
  }
  if (meter.pattern_->expression.mark_count() < 1) {
    return Fail(ErrorCode::kInvalidArgument, "progress pattern", pattern + " has no group",
                "one group for the count, and a second for the total if there is one");
  }
  return meter;
}

void LineMeter::Feed(std::string_view bytes, Seconds now) {
  now_ = now;
  while (!bytes.empty()) {
    const std::size_t plain = escape_ == Escape::kNone ? PlainLength(bytes) : 0;
    PutPlain(bytes.substr(0, plain), plain < bytes.size() && IsLineEnd(bytes[plain]));
    bytes.remove_prefix(plain);
    if (bytes.empty()) return;
    if (!Skip(bytes.front())) Put(bytes.front());
    bytes.remove_prefix(1);
  }
}

// Does what Put() does for each byte, for bytes that neither end a line nor begin an escape sequence.
void LineMeter::PutPlain(std::string_view bytes, bool is_at_line_end) {
  // Only a bar has this character, and is read before its line ends.
  if (bytes.find('|') != std::string_view::npos) {
    for (const char byte : bytes) Put(byte);
    return;
  }
  if (line_.empty() && is_at_line_end && !bytes.empty()) {
    Read(bytes.substr(0, kLongestLine));  // without a copy
    return;
  }
  const std::size_t before = line_.size();
  line_.append(bytes.substr(0, kLongestLine - std::min(before, kLongestLine)));
  for (std::size_t at = line_.find(']', before); at != std::string::npos; at = line_.find(']', at + 1)) {
    TryBar(std::string_view(line_).substr(0, at + 1));
  }
}

// Skips escape sequences. Those that move to another line end this one: bars redraw themselves that way.
bool LineMeter::Skip(char byte) {
  switch (escape_) {
    case Escape::kNone:
      if (byte != '\x1b') return false;
      escape_ = Escape::kBegun;
      return true;
    case Escape::kBegun:
      escape_ = byte == '[' ? Escape::kSequence : byte == ']' ? Escape::kText : Escape::kNone;
      return true;
    case Escape::kSequence:
      if (byte == '\n' || byte == '\r') {  // cut off
        escape_ = Escape::kNone;
        return false;
      }
      if (byte < '@' || byte > '~') return true;
      escape_ = Escape::kNone;
      if (std::string_view("ABEFHJf").find(byte) != std::string_view::npos) EndLine();
      return true;
    case Escape::kText:
      if (byte == '\x1b') escape_ = Escape::kTextEnd;
      if (byte == '\a' || byte == '\n') escape_ = Escape::kNone;
      return true;
    case Escape::kTextEnd:
      escape_ = Escape::kNone;
      return true;
  }
  return false;
}

void LineMeter::Put(char byte) {
  if (IsLineEnd(byte)) return EndLine();
  if (line_.size() >= kLongestLine) return;
  line_.push_back(byte);
  if (byte == ']') TryBar(line_);
}

// tqdm does not end a line until it draws the next one, which may take minutes. The first bracket that closes a bar
// completes it.
void LineMeter::TryBar(std::string_view line) {
  if (is_bar_read_ || pattern_ || line.find("%|") == std::string::npos) return;
  if (const auto facts = ReadTqdm(line)) {
    is_bar_read_ = true;
    Count(*facts);
  }
}

void LineMeter::EndLine() {
  if (!line_.empty() && !is_bar_read_) Read(line_);
  line_.clear();
  is_bar_read_ = false;
}

void LineMeter::Read(std::string_view line) {
  if (pattern_) {
    const LineFacts facts = pattern_->Read(line.substr(0, kLongestForPattern));
    if (facts.count) Count(facts);
    return;
  }
  const LineFacts facts = ReadLine(line);
  if (facts.epoch) {
    progress_.epoch = facts.epoch;
    progress_.is_evaluating = false;  // both kinds of line come at the end of the work that they report
  }
  if (facts.count) return Count(facts);
  if (facts.steps_per_s) progress_.steps_per_s = facts.steps_per_s;
  if (facts.samples_per_s) progress_.samples_per_s = facts.samples_per_s;
  if (progress_.style == LineStyle::kNone) progress_.style = facts.style;
}

const LineMeter::Track* LineMeter::Training() const {
  const Track* best = nullptr;
  for (const Track& track : tracks_) {
    if (!track.is_evaluation && (best == nullptr || track.done > best->done)) best = &track;
  }
  return best;
}

LineMeter::Track& LineMeter::TrackOf(const LineFacts& facts) {
  const std::uint64_t key = KeyOf(facts);
  for (Track& track : tracks_) {
    if (track.key == key) return track;
  }
  const Track fresh{key, facts.style, IsEvaluationName(facts.name), 0, 0, 0};
  if (tracks_.size() < kMostTracks) {
    tracks_.push_back(fresh);
    return tracks_.back();
  }
  // The track with the lowest count is replaced; the training track never, unless all are evaluations.
  const auto less = [](const Track& a, const Track& b) {
    return std::pair(!a.is_evaluation, a.done) < std::pair(!b.is_evaluation, b.done);
  };
  Track& least = *std::min_element(tracks_.begin(), tracks_.end(), less);
  least = fresh;
  return least;
}

void LineMeter::Count(const LineFacts& facts) {
  Track& track = TrackOf(facts);
  const std::uint64_t count = *facts.count;
  // A count that fell a little is another rank's or an older line; one that fell far, or after its end, starts again.
  const bool was_complete = facts.total && track.last >= *facts.total;
  const bool fell_far = count <= track.last - track.last / 4 && (count == 0 || track.last - count > kRankLag);
  const bool is_anew = count < track.last && (was_complete || fell_far);
  const bool has_moved = is_anew || count > track.last;
  if (has_moved) {
    track.done += is_anew ? count : count - track.last;
    track.last = count;
  }
  if (&track != Training()) {
    if (has_moved && !is_anew) ++track.moves_alone;
    if (track.is_evaluation ? has_moved : track.moves_alone >= kMovesOfEvaluation) progress_.is_evaluating = true;
    return;
  }
  if (has_moved) {
    for (Track& other : tracks_) other.moves_alone = 0;
    progress_.is_evaluating = false;
  }
  if (track.done > progress_.steps) {
    progress_.steps = track.done;
    progress_.at = now_;
  }
  progress_.style = track.style;
  progress_.position = count;
  progress_.total = facts.total;
  if (facts.steps_per_s) progress_.steps_per_s = facts.steps_per_s;
  if (facts.samples_per_s) progress_.samples_per_s = facts.samples_per_s;
}

}  // namespace heliostat::training_progress
