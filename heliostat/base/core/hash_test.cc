#include "heliostat/base/core/hash.h"

#include <gtest/gtest.h>

namespace heliostat {
namespace {

// Test values published with the algorithm. Files on disk are named by such hashes.
static_assert(Hash64("") == 0xcbf29ce484222325ULL);
static_assert(Hash64("a") == 0xaf63dc4c8601ec8cULL);
static_assert(Hash64("foobar") == 0x85944171f73967e8ULL);

TEST(HashTest, GoesOnWhereAnotherEnded) {
  EXPECT_EQ(Hash64("bar", Hash64("foo")), Hash64("foobar"));
  EXPECT_EQ(Hash64('r', Hash64("fooba")), Hash64("foobar"));
}

TEST(HashTest, TakesBytesAsTheyAre) {
  EXPECT_EQ(Hash64("\xff"), Hash64(std::uint64_t{0xff}, kHashOfNothing));
  EXPECT_NE(Hash64(std::string_view("\0", 1)), Hash64(""));
}

}  // namespace
}  // namespace heliostat
