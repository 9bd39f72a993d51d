#include "heliostat/node/ledger/writer.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>

#include "heliostat/base/core/home_path.h"
#include "heliostat/base/io/checksum.h"
#include "heliostat/base/io/file.h"

namespace heliostat::ledger {
namespace {

constexpr std::size_t kLongestName = 24;
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kMostWords = 200;
constexpr std::size_t kLongestWord = 200;
constexpr int kMostTries = 1000;
constexpr mode_t kOwnerOnly = 0700;

std::string Cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  // Does not cut within a character of several bytes.
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  text.resize(most);
  return text + "…";
}

// A command may be longer than a record may be; its beginning is kept.
void CutLongTexts(Begin& begin) {
  if (begin.command.size() > kMostWords) {
    begin.command.resize(kMostWords);
    begin.command.emplace_back("…");
  }
  for (std::string& word : begin.command) word = Cut(std::move(word), kLongestWord);
}

// A name for folders and command lines: lower-case letters, digits and dashes.
std::string IdOf(const Begin& begin, std::uint32_t salt) {
  std::string name;
  for (const char c : ProgramName(begin.command)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
    if (name.size() == kLongestName) break;
  }
  while (name.ends_with('-')) name.pop_back();
  // "2026-11-15T18:45:00Z" without its punctuation.
  std::string time = FormatInstant(begin.start);
  std::erase_if(time, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) == 0; });
  return fmt::format("{}-{}-{}-{:04x}", time.substr(0, 8), time.substr(8), name.empty() ? "run" : name, salt & 0xffffU);
}

std::uint32_t SaltOf(const Begin& begin) {
  return io::Crc32(fmt::format("{} {} {}", begin.host, begin.author.pid, begin.author.start_ticks));
}

// Creates a folder with a name that is not in use.
Result<std::string> MakeRunFolder(const std::string& folder, const Begin& begin) {
  if (auto made = io::MakeDirectories(folder); !made) return Propagate(made);
  const std::uint32_t salt = SaltOf(begin);
  for (std::uint32_t i = 0; i < kMostTries; ++i) {
    std::string id = IdOf(begin, salt + i);
    const std::string path = fmt::format("{}/{}", folder, id);
    if (::mkdir(path.c_str(), kOwnerOnly) == 0) return id;
    if (errno != EEXIST) {
      const ErrorCode code = errno == EACCES || errno == EROFS ? ErrorCode::kPermissionDenied : ErrorCode::kInternal;
      return Fail(code, path, fmt::format("cannot be made: {}", std::strerror(errno)),
                  "set HELIOSTAT_RUNS to a folder");
    }
  }
  return Fail(ErrorCode::kInternal, folder, "has no free name for a run that starts in this second", "try again");
}

}  // namespace

Result<Writer> Writer::Create(const std::string& folder, Begin begin) {
  CutLongTexts(begin);
  if (auto bad = CheckBegin(begin, "run"); !bad) return Propagate(bad);
  Run run;
  run.id = IdOf(begin, SaltOf(begin));
  run.begin = std::move(begin);
  Writer writer(folder, std::move(run));
  writer.waiting_.push_back(ToJson(writer.run_.begin));
  (void)writer.Flush();  // The caller asks again.
  return writer;
}

Status Writer::Open() {
  if (journal_) return {};
  auto id = MakeRunFolder(folder_, run_.begin);
  if (!id) return Propagate(id);
  io::Journal::Found none;
  auto journal = io::Journal::Open(folder_ + "/" + *id + "/ledger.journal", none);
  if (!journal) {
    (void)::rmdir((folder_ + "/" + *id).c_str());  // An empty folder would count as a run.
    return Propagate(journal);
  }
  run_.id = *std::move(id);
  journal_.emplace(*std::move(journal));
  return {};
}

Status Writer::Add(Period period) {
  if (auto bad = RefuseAfterEnd(); !bad) return bad;
  period.why = Cut(std::move(period.why), kLongestText);
  if (auto bad = CheckPeriod(period, run_.begin, "period"); !bad) return bad;
  run_.periods.push_back(std::move(period));
  return Append(ToJson(run_.periods.back()));
}

Status Writer::Add(Note note) {
  if (auto bad = RefuseAfterEnd(); !bad) return bad;
  note.text = Cut(std::move(note.text), kLongestText);
  run_.notes.push_back(std::move(note));
  return Append(ToJson(run_.notes.back()));
}

Status Writer::Finish(EndRecord end) {
  if (auto bad = RefuseAfterEnd(); !bad) return bad;
  end.reason = Cut(std::move(end.reason), kLongestText);
  run_.end = std::move(end);
  return Append(ToJson(*run_.end));
}

Status Writer::RefuseAfterEnd() const {
  if (!run_.end) return {};
  return Fail(ErrorCode::kInvalidArgument, run_.id, "has ended", "nothing is added after the end");
}

Status Writer::Append(io::Json record) {
  waiting_.push_back(std::move(record));
  return Flush();
}

Status Writer::Flush() {
  if (waiting_.empty()) return {};
  if (auto opened = Open(); !opened) return opened;
  auto written = journal_->Append(waiting_);
  if (written) waiting_.clear();
  return written;
}

Result<std::string> RunsFolder(const Environment& environment) {
  return HomePath({"folder of runs", "HELIOSTAT_RUNS", HomeFolder::kData, "runs"}, environment);
}

}  // namespace heliostat::ledger
