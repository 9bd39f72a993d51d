#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::scenario {

// Groups of the shape, each of another GPU, with the nodes shared out among them.
std::vector<Group> MakeGroups(const Shape& shape);

// Names of the made-up models, in a fixed order.
std::vector<std::string> TrainingModels();
std::vector<std::string> ServingModels();

// Points of every model on every group's GPU.
Profiles<TrainingPoint> MakeTraining(const Shape& shape, const std::vector<Group>& groups, RandomStream random);
Profiles<InferencePoint> MakeInference(const std::vector<Group>& groups, RandomStream random);

}  // namespace heliostat::scenario
