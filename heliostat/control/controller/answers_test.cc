#include "heliostat/control/controller/answers.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "heliostat/control/controller/job_words.h"
#include "heliostat/control/controller/state_store.h"

namespace heliostat::controller {
namespace {

constexpr Instant kNow{std::chrono::seconds{1'795'000'000}};

class AnswersTest : public ::testing::Test {
 protected:
  AnswersTest() {
    std::filesystem::remove_all(folder_);
    (void)*StateStore::Open(folder_);
    report_.mode = Mode::kShadow;
    report_.begun = kNow;
    report_.version = "slurm 22.05.8";
    Add(17, "ann").terms.Own().untouched = cluster::Untouched::kSaysNothing;
    Add(18, "bob").terms.Own().slack = Duration{600};
  }
  ~AnswersTest() override { std::filesystem::remove_all(folder_); }
  JobReport& Add(std::int64_t number, const std::string& user) {
    cluster::ClusterJob job;
    job.key = {number, {}, kNow};
    job.user = user;
    job.name = "train";
    job.state = cluster::JobState::kWaiting;
    job.reason = "Resources";
    job.gpus_requested = {{"a40", 2}};
    JobTerms terms;
    terms.start = kNow;
    return report_.jobs.emplace_back(JobReport{std::move(job), std::move(terms)});
  }
  io::Json To(const std::string& request, const std::string& user, bool is_operator = false) {
    const Answers answers(
        {[this] { return std::make_shared<const Report>(report_); }, [this](Mode mode) { asked_ = mode; }, folder_});
    return *io::Json::Parse(answers.To({user, is_operator}, request), "answer");
  }
  std::size_t CountOfJobs(const std::string& user, bool is_operator = false) {
    return (*To(R"({"ask":"jobs"})", user, is_operator).Find("answer")->Elements())->size();
  }
  std::size_t CountOfEnded(const std::string& user, bool is_operator = false) {
    return (*To(R"({"ask":"ended"})", user, is_operator).Find("answer")->Elements())->size();
  }
  std::string ErrorOf(const std::string& request, const std::string& user) {
    const io::Json answer = To(request, user);
    const io::Json* const error = answer.Find("error");
    return error == nullptr ? "" : *(*error->Get("what"))->Text();
  }

  const std::string folder_ = ::testing::TempDir() + "answers-" + std::to_string(::getpid());
  Report report_;
  std::optional<Mode> asked_;
};

TEST_F(AnswersTest, HaveAllThatAStatusPromises) {
  const io::Json answer = To(R"({"ask":"status"})", "ann");
  const io::Json* const status = answer.Find("answer");
  ASSERT_NE(status, nullptr);
  for (const char* key :
       {"mode", "policy", "cluster", "jobs", "nodes", "power_kw", "saved", "last_cycle_s", "healthy", "problems"}) {
    EXPECT_NE(status->Find(key), nullptr) << key;
  }
  EXPECT_EQ(*(*status->Find("jobs")->Get("waiting"))->Integer(), 2);
}

TEST_F(AnswersTest, HideWhatTheClusterHides) {
  EXPECT_EQ(CountOfJobs("ann"), 2U);
  report_.private_data = {"jobs"};
  EXPECT_EQ(CountOfJobs("ann"), 1U);
  EXPECT_EQ(CountOfJobs("eve"), 0U);
  EXPECT_EQ(CountOfJobs("eve", true), 2U);
  EXPECT_EQ(ErrorOf(R"({"ask":"why","job":"18"})", "ann"), ErrorOf(R"({"ask":"why","job":"99"})", "ann"));
  EXPECT_EQ(ErrorOf(R"({"ask":"why","job":"17"})", "ann"), "");
}

TEST_F(AnswersTest, SayWhyAJobWaits) {
  const io::Json answer = To(R"({"ask":"why","job":"17"})", "ann");
  const std::string reason = *(*answer.Find("answer")->Get("reason"))->Text();
  EXPECT_NE(reason.find("no free nodes"), std::string::npos) << reason;
  EXPECT_NE(reason.find("says nothing about slack"), std::string::npos) << reason;
  const std::string advice = *(*answer.Find("answer")->Get("advice"))->Text();
  EXPECT_NE(advice.find("JobId=17 Comment='heliostat:slack=50%'"), std::string::npos) << advice;
}

TEST_F(AnswersTest, FindAJobByAnyNumberThatTheClusterShows) {
  report_.jobs[0].job.Own().key.element = 3;
  report_.jobs[0].job.Own().run_number = 20;
  for (const auto& [shown, id] : {std::pair{"17_3", "17_3"}, std::pair{"20", "17_3"}, std::pair{"18", "18"},
                                  std::pair{"17+1", "18"}, std::pair{"18_[1-4]", "18"}}) {
    const io::Json answer = To(io::Json().Set("ask", "why").Set("job", shown).Line(), "ann");
    ASSERT_NE(answer.Find("answer"), nullptr) << shown;
    EXPECT_EQ(*(*answer.Find("answer")->Get("id"))->Text(), id) << shown;
  }
  for (const char* shown : {"", "+", "17+", "17+x", "17_4", "99999999999999999999+1"}) {
    EXPECT_NE(ErrorOf(io::Json().Set("ask", "why").Set("job", shown).Line(), "ann"), "") << shown;
  }
}

TEST_F(AnswersTest, SayUntilWhenAJobMayWaitAndWhatThatSaves) {
  report_.jobs[1].best_start = kNow + Duration{300};
  report_.jobs[1].best_saves = Grams{2500};
  const std::string reason = ReasonOf(report_.jobs[1], Mode::kShadow);
  EXPECT_NE(reason.find(FormatInstant(kNow + Duration{600})), std::string::npos) << reason;
  EXPECT_NE(reason.find("2.5 kg"), std::string::npos) << reason;
  for (const auto& [grams, words] :
       {std::pair{0.2, "no later start is better"}, std::pair{4.26, "about 4.3 g"}, std::pair{99.7, "about 100 g"},
        std::pair{997.0, "about 1 kg"}, std::pair{2.5e6, "about 2500 kg"}}) {
    report_.jobs[1].best_saves = Grams{grams};
    const std::string told = ReasonOf(report_.jobs[1], Mode::kShadow);
    EXPECT_NE(told.find(words), std::string::npos) << told;
  }
}

TEST_F(AnswersTest, CountTheSlackOfAHeldJobFromItsRelease) {
  JobReport& job = report_.jobs[1];
  job.job.Own().state = cluster::JobState::kHeld;
  job.terms.Own().slack = Duration{5400};
  job.terms.Own().has_start = false;
  EXPECT_FALSE(LatestStartOf(job));
  EXPECT_NE(ReasonOf(job, Mode::kShadow).find("it may wait 1 h 30 min more"), std::string::npos);
  job.terms.Own().wishes.deadline = kNow + Duration{9000};
  EXPECT_EQ(LatestStartOf(job), kNow + Duration{5400});
}

TEST_F(AnswersTest, PromiseNothingToAJobWithoutGpus) {
  JobReport& job = report_.jobs[1];
  EXPECT_EQ(StandingOf(job, Mode::kShadow), "may wait");
  job.job.Own().gpus_requested = {};
  EXPECT_FALSE(MayWait(job));
  EXPECT_EQ(StandingOf(job, Mode::kShadow), "alone: no GPUs");
  EXPECT_NE(ReasonOf(job, Mode::kShadow).find("no GPUs"), std::string::npos);
}

TEST_F(AnswersTest, SayOfEveryReasonWhyAJobIsLeftAloneAndWhatWouldChangeThat) {
  JobReport& job = report_.jobs[0];
  using cluster::Untouched;
  for (const Untouched reason :
       {Untouched::kUnknownState, Untouched::kInteractive, Untouched::kHeterogeneous, Untouched::kInReservation,
        Untouched::kForeignPartition, Untouched::kUnlimited, Untouched::kNoSlack, Untouched::kSaysNothing}) {
    job.terms.Own().untouched = reason;
    EXPECT_NE(ReasonOf(job, Mode::kShadow).find(Sentence(reason)), std::string::npos) << NameOf(reason);
    EXPECT_TRUE(StandingOf(job, Mode::kShadow).starts_with("alone: ")) << NameOf(reason);
    EXPECT_NE(AdviceFor(job), "") << NameOf(reason);
  }
}

TEST_F(AnswersTest, CompareTheStartOfAJobWithThatInTheShadow) {
  JobReport& job = report_.jobs[1];
  job.job.Own().state = cluster::JobState::kRunning;
  job.job.Own().start = kNow;
  EXPECT_EQ(StandingOf(job, Mode::kObserve), "");
  EXPECT_EQ(StandingOf(job, Mode::kShadow), "not in the shadow");
  job.twin = TwinJob{};
  EXPECT_EQ(StandingOf(job, Mode::kShadow), "would wait");
  EXPECT_EQ(LatestStartOf(job), kNow + Duration{600});
  job.twin->start = kNow + Duration{30};
  EXPECT_EQ(StandingOf(job, Mode::kShadow), "same start");
  EXPECT_FALSE(LatestStartOf(job));
  job.twin->start = kNow + Duration{7260};
  EXPECT_EQ(StandingOf(job, Mode::kShadow), "would start later");
  EXPECT_NE(ReasonOf(job, Mode::kShadow).find("2 h 1 min later"), std::string::npos) << ReasonOf(job, Mode::kShadow);
}

TEST_F(AnswersTest, ListEndedJobsApart) {
  report_.jobs[0].job.Own().state = cluster::JobState::kEnded;
  report_.jobs[0].job.Own().start = kNow;
  report_.jobs[0].job.Own().end = kNow + Duration{60};
  EXPECT_EQ(CountOfJobs("ann"), 1U);
  EXPECT_EQ(CountOfEnded("ann"), 1U);
  report_.private_data = {"jobs"};
  EXPECT_EQ(CountOfEnded("ann"), 1U);
  EXPECT_EQ(CountOfEnded("bob"), 0U);
  EXPECT_EQ(CountOfEnded("root", true), 1U);
}

TEST_F(AnswersTest, HideEverythingUntilTheClusterSaysWhatItHides) {
  report_.version = "";
  EXPECT_EQ(CountOfJobs("ann"), 1U);
  EXPECT_EQ(CountOfJobs("eve"), 0U);
  EXPECT_EQ(CountOfJobs("eve", true), 2U);
}

TEST_F(AnswersTest, LetOnlyOperatorsWrite) {
  EXPECT_NE(ErrorOf(R"({"ask":"mode","mode":"observe"})", "ann"), "");
  EXPECT_FALSE(asked_);
  (void)To(R"({"ask":"mode","mode":"observe"})", "root", true);
  EXPECT_EQ(asked_, Mode::kObserve);
  EXPECT_NE(ErrorOf(R"({"ask":"release"})", "ann"), "");
}

TEST_F(AnswersTest, AreErrorsForWhatCannotBeAsked) {
  for (const char* request : {"", "{", "[]", "{}", R"({"ask":3})", R"({"ask":"x"})", R"({"ask":"why"})"}) {
    EXPECT_NE(ErrorOf(request, "ann"), "") << request;
  }
}

}  // namespace
}  // namespace heliostat::controller
