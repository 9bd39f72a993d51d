#include "heliostat/signals/store/default_path.h"

#include <gtest/gtest.h>

#include <map>

namespace heliostat::store {
namespace {

Result<std::string> PathIn(const std::map<std::string, std::string>& environment) {
  return DefaultStorePath([&](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(DefaultStorePathTest, IsWhereTheUserSaysOrInTheCache) {
  EXPECT_EQ(*PathIn({{"HELIOSTAT_STORE", "here.db"}, {"XDG_CACHE_HOME", "/c"}, {"HOME", "/h"}}), "here.db");
  EXPECT_EQ(*PathIn({{"XDG_CACHE_HOME", "/c"}, {"HOME", "/h"}}), "/c/heliostat/signals.db");
}

}  // namespace
}  // namespace heliostat::store
