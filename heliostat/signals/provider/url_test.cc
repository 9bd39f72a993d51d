#include "heliostat/signals/provider/url.h"

#include <gtest/gtest.h>

namespace heliostat::provider {
namespace {

TEST(UrlTest, EncodesSegmentsAndQuery) {
  Url url("https://a.example/v2");
  url.Segment("2018-01-20T12:00Z").Segment("a/b?c").Query("facets[x][]", "É&=").Query("n", "1");
  EXPECT_EQ(url.full(), "https://a.example/v2/2018-01-20T12:00Z/a%2Fb%3Fc?facets%5Bx%5D%5B%5D=%C3%89%26%3D&n=1");
  EXPECT_EQ(url.shown(), url.full());
  EXPECT_FALSE(url.has_secret());
}

TEST(UrlTest, ShowsNoSecret) {
  Url url("https://a.example");
  url.Query("a", "1").Query("key", Secret("s3cret")).Query("b", "2");
  EXPECT_EQ(url.full(), "https://a.example?a=1&key=s3cret&b=2");
  EXPECT_EQ(url.shown(), "https://a.example?a=1&key=REDACTED&b=2");
  EXPECT_TRUE(url.has_secret());
}

}  // namespace
}  // namespace heliostat::provider
