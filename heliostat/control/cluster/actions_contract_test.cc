#include "heliostat/control/cluster/testing/actions_contract.h"

#include "heliostat/control/cluster/testing/toy_stage.h"

namespace heliostat::cluster::testing {

INSTANTIATE_TEST_SUITE_P(Fake, ActionsContract, ::testing::Values([] { return std::make_unique<NotedStage>(); }));
INSTANTIATE_TEST_SUITE_P(Toy, ActionsContract, ::testing::Values([] { return std::make_unique<ToyStage>(); }));

}  // namespace heliostat::cluster::testing
