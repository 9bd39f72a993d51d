#include "heliostat/ui/user_config/edit.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "heliostat/base/io/file.h"

namespace heliostat::user_config {
namespace {

TEST(EditTest, KeepsCommentsAndOtherLines) {
  const std::string file = "# site\n\nzone = \"DE\"   # home\npue = 1.2\n";
  EXPECT_EQ(*Edited(file, "c", Key::kZone, "FR"), "# site\n\nzone = \"FR\"   # home\npue = 1.2\n");
  EXPECT_EQ(*Edited(file, "c", Key::kZone, std::nullopt), "# site\n\npue = 1.2\n");
  EXPECT_EQ(*Edited(file, "c", Key::kEta, "0.7"), file + "eta = 0.7\n");
  EXPECT_EQ(*Edited(file, "c", Key::kEta, std::nullopt), file);
  EXPECT_EQ(*Edited("", "c", Key::kCarbon, "/a \"b\"\\c"), "carbon = \"/a \\\"b\\\"\\\\c\"\n");
  EXPECT_EQ(*Edited("zone='#1' # two", "c", Key::kZone, "GB"), "zone = \"GB\" # two\n");
}

TEST(EditTest, RefusesWhatALineCannotExpress) {
  const auto spanning = Edited("zone = \"\"\"\nDE\"\"\"\npue = 1\n", "c", Key::kZone, "FR");
  ASSERT_FALSE(spanning);
  EXPECT_EQ(spanning.error().Line(), "c:1: zone spans several lines, or shares its line; edit the file by hand");
  EXPECT_FALSE(Edited("zone = ", "c", Key::kZone, "FR")) << "a file that is not valid is not touched";
}

TEST(EditTest, MakesTheFileAndFollowsALink) {
  namespace fs = std::filesystem;
  const std::string folder = testing::TempDir() + "edit-follows";
  fs::remove_all(folder);
  const std::string path = folder + "/a/config.toml";
  EXPECT_TRUE(EditFile(path, Key::kZone, std::nullopt));
  EXPECT_FALSE(fs::exists(path)) << "nothing to remove, nothing to make";
  ASSERT_TRUE(EditFile(path, Key::kZone, "DE"));
  EXPECT_EQ(*io::ReadFile(path), "zone = \"DE\"\n");
  fs::create_symlink(path, folder + "/link");
  ASSERT_TRUE(EditFile(folder + "/link", Key::kZone, "FR"));
  EXPECT_TRUE(fs::is_symlink(folder + "/link"));
  EXPECT_EQ(*io::ReadFile(path), "zone = \"FR\"\n");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace heliostat::user_config
