#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::scenario {

// The groups of a shape, each with another GPU; the nodes are divided among them.
std::vector<Group> MakeGroups(const Shape& shape);

// Names of the synthetic models, in a fixed order.
std::vector<std::string> TrainingModels();
std::vector<std::string> ServingModels();

// Points of every model on the GPU of every group.
Profiles<TrainingPoint> MakeTraining(const Shape& shape, const std::vector<Group>& groups, RandomStream random);
Profiles<InferencePoint> MakeInference(const std::vector<Group>& groups, RandomStream random);

}  // namespace heliostat::scenario
