#include "heliostat/signals/provider/registry.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace heliostat::provider {
namespace {

using ::testing::HasSubstr;

class Silent final : public io::HttpClient {
 public:
  Result<io::HttpResponse> Get(const io::HttpRequest&) override { return Fail(ErrorCode::kInternal, "x", "asked"); }
};

class RegistryTest : public ::testing::Test {
 protected:
  Dependencies With(Environment environment) { return {http_, clock_, RandomStream(1), std::move(environment)}; }
  Silent http_;
  ManualClock clock_{Instant{}};
};

TEST_F(RegistryTest, BuildsEveryProviderItLists) {
  EXPECT_EQ(ProviderList().size(), 6u);
  for (const auto& facts : ProviderList()) {
    const auto provider = MakeProvider(facts.name, With([&](const std::string& variable) -> std::optional<std::string> {
                                         const bool is_key =
                                             std::ranges::find(facts.keys, variable) != facts.keys.end();
                                         return is_key ? std::optional<std::string>("k") : std::nullopt;
                                       }));
    ASSERT_TRUE(provider) << provider.error().Line();
    EXPECT_EQ(provider->name, facts.name);
    EXPECT_EQ(provider->measured != nullptr, facts.measures) << facts.name;
    EXPECT_EQ(provider->forecast != nullptr, facts.forecasts) << facts.name;
    EXPECT_FALSE(facts.description.empty());
  }
  EXPECT_TRUE(std::ranges::is_sorted(ProviderList(), {}, &ProviderFacts::name));
}

TEST_F(RegistryTest, ListsTheKeysThatAreNeeded) {
  for (const auto& facts : ProviderList()) {
    const auto keyless = MakeProvider(facts.name, With([](const std::string&) { return std::nullopt; }));
    EXPECT_EQ(keyless.has_value(), facts.keys.empty()) << facts.name;
  }
}

TEST_F(RegistryTest, NamesTheProvidersThereAre) {
  const auto provider = MakeProvider("delphi", With([](const std::string&) { return std::nullopt; }));
  ASSERT_FALSE(provider);
  EXPECT_EQ(provider.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(provider.error().Line(), HasSubstr("neso"));
  EXPECT_THAT(FindProvider("nseo").error().Line(), HasSubstr("'nseo' is not known; did you mean neso? One of eia"));
}

}  // namespace
}  // namespace heliostat::provider
