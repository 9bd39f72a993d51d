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
    Add(17, "ann").terms.untouched = cluster::Untouched::kSaysNothing;
    Add(18, "bob").terms.slack = Duration{600};
  }
  ~AnswersTest() override { std::filesystem::remove_all(folder_); }
  JobReport& Add(std::int64_t number, const std::string& user) {
    JobReport& job = report_.jobs.emplace_back();
    job.job.key = {number, {}, kNow};
    job.job.user = user;
    job.job.name = "train";
    job.job.state = cluster::JobState::kWaiting;
    job.job.reason = "Resources";
    job.terms.start = kNow;
    return job;
  }
  io::Json To(const std::string& request, const std::string& user, bool is_operator = false) {
    const Answers answers(
        {[this] { return std::make_shared<const Report>(report_); }, [this](Mode mode) { asked_ = mode; }, folder_});
    return *io::Json::Parse(answers.To({user, is_operator}, request), "answer");
  }
  std::size_t CountOfJobs(const std::string& user, bool is_operator = false) {
    return (*To(R"({"ask":"jobs"})", user, is_operator).Find("answer")->Elements())->size();
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
  EXPECT_NE(advice.find("--slack"), std::string::npos) << advice;
}

TEST_F(AnswersTest, SayUntilWhenAJobMayWaitAndWhatThatSaves) {
  report_.jobs[1].best_start = kNow + Duration{300};
  report_.jobs[1].best_saves = Grams{2500};
  const std::string reason = ReasonOf(report_.jobs[1], Mode::kShadow);
  EXPECT_NE(reason.find(FormatInstant(kNow + Duration{600})), std::string::npos) << reason;
  EXPECT_NE(reason.find("2.5 kg"), std::string::npos) << reason;
}

TEST_F(AnswersTest, LetOnlyOperatorsWrite) {
  EXPECT_NE(ErrorOf(R"({"ask":"mode","mode":"observe"})", "ann"), "");
  EXPECT_FALSE(asked_);
  (void)To(R"({"ask":"mode","mode":"observe"})", "root", true);
  EXPECT_EQ(asked_, Mode::kObserve);
}

TEST_F(AnswersTest, AreErrorsForWhatCannotBeAsked) {
  for (const char* request : {"", "{", "[]", "{}", R"({"ask":3})", R"({"ask":"x"})", R"({"ask":"why"})"}) {
    EXPECT_NE(ErrorOf(request, "ann"), "") << request;
  }
}

}  // namespace
}  // namespace heliostat::controller
