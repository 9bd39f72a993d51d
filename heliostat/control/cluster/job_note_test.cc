#include "heliostat/control/cluster/job_note.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::cluster {
namespace {

constexpr Instant kRun{Duration{1'795'020'020}};

rc::Gen<JobNote> AnyNote() {
  return rc::gen::exec([] {
    const auto time = [] { return Instant(Duration(*rc::gen::inRange<std::int64_t>(1, 4'000'000'000))); };
    const auto number = [] {
      return JobNote::Number{*rc::gen::inRange(-2'147'483'645, 2'147'483'645), *rc::gen::inRange(-100, 100)};
    };
    JobNote note{.run = time()};
    if (*rc::gen::arbitrary<bool>()) note.begin = JobNote::Begin{time(), {}, {}};
    if (note.begin && *rc::gen::arbitrary<bool>()) note.begin->was = time();
    if (note.begin && *rc::gen::arbitrary<bool>()) note.begin->before = time();
    if (*rc::gen::arbitrary<bool>()) note.nice = number();
    if (*rc::gen::arbitrary<bool>()) note.throttle = number();
    note.is_suspended = *rc::gen::arbitrary<bool>();
    note.is_let_go = *rc::gen::arbitrary<bool>() || note.empty();
    return note;
  });
}

TEST(JobNoteTest, IsOneWordThatPeopleCanRead) {
  const JobNote note{.run = kRun,
                     .begin = JobNote::Begin{kRun + Duration(3600), {}, {}},
                     .nice = JobNote::Number{-5, 20},
                     .is_suspended = true};
  EXPECT_EQ(WithNote("ticket 17", note),
            "ticket 17 heliostat:run=1795020020;begin=1795023620;begin-was=none;nice=-5;nice-was=20;suspended=yes");
}

RC_GTEST_PROP(JobNoteTest, IsReadBackFromAnyText, ()) {
  const auto text = *rc::gen::arbitrary<std::string>();
  const JobNote note = *AnyNote();
  const std::string comment = WithNote(text, note);
  RC_ASSERT(ParseNote(comment) == note);
  const JobNote another = *AnyNote();
  RC_ASSERT(WithNote(comment, another) == WithNote(text, another));
}

RC_GTEST_PROP(JobNoteTest, TakenOutTheTextOfOthersIsAsBefore, ()) {
  const auto text = *rc::gen::arbitrary<std::string>();
  const auto says = *rc::gen::arbitrary<std::string>();
  const std::string noted = WithNote(text, *AnyNote());
  RC_ASSERT(WithNote(noted, {}) == text);
  const std::string both = WithAnnotation(noted, says);
  RC_ASSERT(AnnotationIn(both) == says);
  RC_ASSERT(ParseNote(both) == ParseNote(noted));
  RC_ASSERT(WithNote(WithAnnotation(both, ""), {}) == text);
}

TEST(JobNoteTest, ADamagedNoteIsTextOfOthers) {
  for (const std::string text :
       {"", "heliostat:", "heliostat:seen", "heliostat:run=1", "heliostat:run=0;let-go=yes", "heliostat:let-go=yes",
        "heliostat:run=1;let-go=no", "heliostat:run=1;nice=1", "heliostat:run=1;nice=1;nice-was=99999999999",
        "heliostat:run=1;begin=2", "heliostat:run=1;begin=2;begin-was=x", "heliostat:run=1;let-go=yes;other=1",
        "heliostat:run=1;let-go=yes;let-go=yes", "x\nheliostat:run=1;let-go=yes"}) {
    EXPECT_FALSE(ParseNote(text)) << text;
    const std::string noted = WithNote(text, {.run = kRun, .is_let_go = true});
    EXPECT_EQ(WithNote(noted, {}), text);
  }
  EXPECT_TRUE(ParseNote("heliostat:run=1;let-go=yes"));
}

TEST(JobNoteTest, ADamagedAnnotationIsNone) {
  for (const std::string text : {"heliostat-info:", "heliostat-info:%", "heliostat-info:%4", "heliostat-info:%41",
                                 "heliostat-info:%zz", "heliostat-info:\n"}) {
    EXPECT_EQ(AnnotationIn(text), "") << text;
  }
  EXPECT_EQ(AnnotationIn("a heliostat-info:x%20y b"), "x y");
}

}  // namespace
}  // namespace heliostat::cluster
