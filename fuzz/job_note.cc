// Any bytes are a comment of operators. A note and an annotation are put into it, read back, and taken out without a
// trace.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/control/cluster/job_note.h"

namespace {

using namespace heliostat;

constexpr std::size_t kLongest = 16384;

void CheckOthers(const std::string& text) {
  const cluster::JobNote note{.run = Instant(Duration(1)), .is_suspended = true};
  const std::string noted = cluster::WithNote(text, note);
  Check(cluster::ParseNote(noted) == note, "a note is not read back");
  const std::string both = cluster::WithAnnotation(noted, text);
  Check(cluster::AnnotationIn(both) == text, "an annotation is not read back");
  Check(cluster::ParseNote(both) == note, "an annotation changes the note");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kLongest) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckOthers(text);
  // Without our words it is the text of others, which stays as it is.
  const std::string others = cluster::WithAnnotation(cluster::WithNote(text, {}), "");
  Check(!cluster::ParseNote(others) && cluster::AnnotationIn(others).empty(), "a word of ours is left");
  const cluster::JobNote note{.run = Instant(Duration(1)), .is_let_go = true};
  Check(cluster::WithNote(cluster::WithNote(others, note), {}) == others, "the text of others changes");
  if (const auto read = cluster::ParseNote(text)) {
    Check(!read->empty(), "an empty note is read");
    Check(cluster::ParseNote(cluster::WithNote("", *read)) == *read, "a note changes when it is written again");
  }
  return 0;
}
