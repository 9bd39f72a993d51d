#include "heliostat/signals/synthetic/quantile_map.h"

#include <gtest/gtest.h>

#include <limits>

#include "heliostat/signals/synthetic/zone_parameters.h"

namespace heliostat::synthetic {
namespace {

QuantileMap Squares() {
  QuantileMap map{};
  for (std::size_t i = 0; i < QuantileMap::kKnots; ++i) {
    map.z[i] = static_cast<double>(i);
    map.x[i] = static_cast<double>(i * i);
  }
  return map;
}

TEST(QuantileMapTest, JoinsKnotsByLines) {
  const QuantileMap map = Squares();
  EXPECT_EQ(map(3), 9);
  EXPECT_EQ(map(3.5), 12.5);
  EXPECT_EQ(map(22.75), 22 * 22 + 0.75 * (23 * 23 - 22 * 22));
}

TEST(QuantileMapTest, IsFlatOutside) {
  const QuantileMap map = Squares();
  EXPECT_EQ(map(-std::numeric_limits<double>::infinity()), map.lowest());
  EXPECT_EQ(map(1e9), map.highest());
  EXPECT_EQ(map(23), map.highest());
}

TEST(QuantileMapTest, EveryFittedMapRises) {
  for (const ZoneParameters& zone : AllZoneParameters()) {
    for (const LatentParameters* latent : {&zone.cloud, &zone.wind, &zone.carbon, &zone.price}) {
      for (std::size_t i = 1; i < QuantileMap::kKnots; ++i) {
        EXPECT_LT(latent->map.z[i - 1], latent->map.z[i]) << zone.name;
        EXPECT_LE(latent->map.x[i - 1], latent->map.x[i]) << zone.name;
      }
    }
  }
}

}  // namespace
}  // namespace heliostat::synthetic
