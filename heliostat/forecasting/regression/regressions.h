#pragma once

#include <memory>

#include "heliostat/forecasting/regression/regressor.h"

namespace heliostat::regression {

// Support vectors with a radial kernel, as Chase set it: C 100, gamma 1e-4,
// a tube of 0.1, features as they are.
std::unique_ptr<Regressor> MakeSvr();
// Ordinary least squares; of many equally good answers the one of least norm.
std::unique_ptr<Regressor> MakeLinear();
// The three ensembles of trees, with scikit-learn's defaults where XGBoost has
// the same knob. Each draws from a stream of fixed seed: same rows, same trees.
std::unique_ptr<Regressor> MakeGradientBoosting();
std::unique_ptr<Regressor> MakeAdaboost();
std::unique_ptr<Regressor> MakeRandomForest();

}  // namespace heliostat::regression
