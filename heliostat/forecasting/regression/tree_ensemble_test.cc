#include "heliostat/forecasting/regression/tree_ensemble.h"

#include <gtest/gtest.h>

namespace heliostat::regression {
namespace {

constexpr const char* kTree =
    "0:[f2<613.5] yes=1,no=2,missing=1\n"
    "\t1:leaf=-0.25\n"
    "\t2:[f0<-0.5] yes=5,no=6,missing=5\n"
    "\t\t5:leaf=0.5\n"
    "\t\t6:leaf=1e-05\n";

TEST(TreeEnsembleTest, WalksByItsThresholds) {
  const auto trees = *TreeEnsemble::Parse({kTree}, 600, 100, "test");
  EXPECT_DOUBLE_EQ(trees.Predict({0, 0, 613}), 575);
  EXPECT_DOUBLE_EQ(trees.Predict({-1, 0, 613.5}), 650);  // a threshold belongs to the upper side
  EXPECT_NEAR(trees.Predict({-0.5, 0, 700}), 600.001, 1e-9);
}

TEST(TreeEnsembleTest, AddsUpItsTrees) {
  const auto trees = *TreeEnsemble::Parse({kTree, "0:leaf=2\n", kTree}, 600, 100, "test");
  EXPECT_DOUBLE_EQ(trees.Predict({0, 0, 613}), 600 - 25 + 200 - 25);
  EXPECT_EQ(TreeEnsemble::Parse({}, 600, 0, "test")->Predict({0, 0, 0}), 600);
}

TEST(TreeEnsembleTest, RefusesEveryCutOfItsText) {
  const std::string whole = kTree;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(TreeEnsemble::Parse({whole.substr(0, length)}, 0, 1, "test")) << length;
  }
}

TEST(TreeEnsembleTest, RefusesWhatIsNoTree) {
  for (const char* text :
       {"0:leaf=nan\n", "0:leaf=1e99\n", "1:leaf=1\n", "0:leaf=1\n0:leaf=1\n", "-1:leaf=1\n",
        "0:[f3<1] yes=1,no=2,missing=1\n1:leaf=1\n2:leaf=1\n", "0:[f0<1] yes=0,no=0,missing=0\n1:leaf=1\n2:leaf=1\n",
        "0:[f0<1] yes=2,no=1,missing=1\n1:leaf=1\n2:leaf=1\n"}) {
    EXPECT_FALSE(TreeEnsemble::Parse({text}, 0, 1, "test")) << text;
  }
}

TEST(TreeEnsembleTest, RefusesABottomlessTree) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "0:[f0<1] yes=0,no=0,missing=0\n";
  EXPECT_FALSE(TreeEnsemble::Parse({text}, 0, 1, "test"));
}

}  // namespace
}  // namespace heliostat::regression
