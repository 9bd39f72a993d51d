#include "heliostat/node/munge_channel/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "heliostat/node/munge_channel/munge_commands.h"

namespace heliostat::munge_channel {
namespace {

using ::testing::HasSubstr;

const std::string kNonce(32, 'a');

Request Sample() { return {"controller", "ctl1", kNonce, Instant(Duration(1'795'000'000)), R"({"ask":"status"})"}; }

TEST(EnvelopeTest, ARequestAndAPartAreReadAsTheyWereWritten) {
  for (const std::string& text : {std::string(), std::string("\n\n{}"), std::string(kMostRequestBytes, '\0')}) {
    Request request = Sample();
    request.text = text;
    EXPECT_TRUE(ReadRequest(WriteRequest(request)) == request);
    const AnswerPart part{kNonce, 2, 3, text};
    EXPECT_TRUE(ReadPart(WritePart(part)) == part);
  }
}

TEST(EnvelopeTest, NeitherKindPassesAsTheOther) {
  EXPECT_THAT(ReadRequest(WritePart({kNonce, 1, 1, "{}"})).error().Line(), HasSubstr("heliostat answer 1"));
  EXPECT_THAT(ReadPart(WriteRequest(Sample())).error().Line(), HasSubstr("heliostat request 1"));
}

TEST(EnvelopeTest, RefusesWhatIsNotWrittenSo) {
  const std::string whole = WriteRequest(Sample());
  EXPECT_FALSE(ReadRequest(whole + std::string(kMostRequestBytes, 'x')));
  EXPECT_FALSE(ReadRequest(whole.substr(0, whole.find('\n')))) << "without the end of its line";
  EXPECT_FALSE(ReadRequest(std::string(5000, ' ') + whole));
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"ctl1", ""},
                                 {"ctl1", "CTL1"},
                                 {"ctl1", "../x"},
                                 {kNonce, "12"},
                                 {kNonce, std::string(32, 'A')},
                                 {"1795000000", "-1"},
                                 {"1795000000", "9e15"},
                                 {"1795000000", "true"},
                                 {R"("service")", R"("servant")"}}) {
    std::string changed = whole;
    changed.replace(changed.find(from), from.size(), to);
    EXPECT_FALSE(ReadRequest(changed)) << changed;
  }
  for (const auto& [number, of] : {std::pair<std::size_t, std::size_t>{0, 1}, {2, 1}, {1, kMostParts + 1}}) {
    EXPECT_FALSE(ReadPart(WritePart({kNonce, number, of, ""}))) << number << " of " << of;
  }
}

TEST(EnvelopeTest, ThePartsOfAnAnswerMakeItUpAndFitIntoCredentials) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kMostPartBytes - 1, kMostPartBytes,
                                  kMostPartBytes + 1, 3 * kMostPartBytes + 5}) {
    std::string answer(bytes, ' ');
    for (std::size_t i = 0; i < bytes; i += 1000) answer[i] = static_cast<char>(i / 1000);
    std::string together;
    const std::size_t of = PartsOf(bytes);
    for (std::size_t number = 1; number <= of; ++number) {
      const std::string payload = WritePart({kNonce, number, of, std::string(TextOfPart(answer, number))});
      EXPECT_LE(payload.size(), kMostPayloadBytes);
      const auto part = ReadPart(payload);
      ASSERT_TRUE(part) << part.error().Line();
      EXPECT_TRUE(bytes == 0 || !part->text.empty()) << "no part more than needed";
      together += part->text;
    }
    EXPECT_TRUE(together == answer) << bytes;
  }
}

TEST(EnvelopeTest, EachNonceIsAnother) {
  std::set<std::string> nonces;
  for (int i = 0; i < 1000; ++i) nonces.insert(NewNonce());
  EXPECT_EQ(nonces.size(), 1000U);
  Request request = Sample();
  request.nonce = *nonces.begin();
  EXPECT_TRUE(ReadRequest(WriteRequest(request)));
}

}  // namespace
}  // namespace heliostat::munge_channel
