// Any bytes are a comment of a job or one error. What a comment allows is the same when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/model/workload/job_comment.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using heliostat::Check;
  using heliostat::workload::FormatJobComment;
  using heliostat::workload::HasHeliostatPart;
  using heliostat::workload::ParseJobComment;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto comment = ParseJobComment(text);
  if (!comment) {
    Check(HasHeliostatPart(text), "a comment without a part of ours is refused");
    Check(!comment.error().Line().empty(), "an error has no text");
    return 0;
  }
  Check(comment->empty() || HasHeliostatPart(text), "a comment without a part of ours allows something");
  const auto back = ParseJobComment(FormatJobComment(*comment));
  Check(back.has_value() && *back == *comment, "a comment changes when it is written and read again");
  return 0;
}
