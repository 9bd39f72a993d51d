#include "heliostat/model/workload/catalogue.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <tuple>

#include "heliostat/base/core/check.h"
#include "heliostat/model/profile/transfer.h"
#include "heliostat/model/profile/worker_scaling.h"
#include "heliostat/model/profile/write_profiles.h"

namespace heliostat::workload {
namespace {

using profile::Measurement;

// Names in public traces and the nearest model: the same, or of the same kind and size.
struct Alias {
  std::string_view name;
  std::string_view model;
};
constexpr std::array<Alias, 10> kAliases{{
    {"imagenet", "resnet50"},
    {"resnet101", "resnet50"},
    {"inception_v3", "resnet50"},
    {"yolov3", "resnet50"},
    {"cifar10", "shufflenet"},
    {"bert", "bert-base"},
    {"vgg16", "vgg16-bf16"},
    {"alexnet", "vgg16-bf16"},
    {"mobilenet_v2", "mobilenet-v3-bf16"},
    {"transformer", "transformer-lm-bf16"},
}};

// Words that say how or on what a model was trained, not which model it is.
constexpr std::array<std::string_view, 26> kAdditions{
    "imagenet", "imagenet1k",   "cifar10",  "cifar100", "movielens", "1m",          "20m",     "librispeech", "squad",
    "squad2",   "sentiment140", "coco",     "wikitext", "wikitext2", "openwebtext", "c4",      "mnist",       "voc",
    "uncased",  "cased",        "training", "train",    "fp32",      "tf32",        "pytorch", "torchvision"};
constexpr std::array<std::string_view, 4> kPrecisions{"bf16", "fp16", "amp", "half"};

// Plain names of the same model.
constexpr std::array<Alias, 4> kSynonyms{{
    {"shufflenetv2", "shufflenet"},
    {"bert", "bertbase"},
    {"resnet50v15", "resnet50"},
    {"neumf", "ncf"},
}};

template <typename Words>
bool IsOneOf(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string WithoutPrecision(std::string plain) {
  for (const std::string_view precision : kPrecisions) {
    if (plain.size() > precision.size() && plain.ends_with(precision)) plain.resize(plain.size() - precision.size());
  }
  return plain;
}

std::vector<std::string> Strings(const std::vector<std::string_view>& names) { return {names.begin(), names.end()}; }

// Evenly spread over the sweep, with the highest setting.
std::vector<Measurement> Thinned(const std::vector<Measurement>& sweep, int most) {
  const auto count = static_cast<int>(sweep.size());
  if (count <= most) return sweep;
  std::vector<Measurement> kept;
  for (int i = 0; i < most; ++i) {
    const double share = most == 1 ? 1.0 : static_cast<double>(i) / (most - 1);
    kept.push_back(sweep[static_cast<std::size_t>(std::lround(share * (count - 1)))]);
  }
  return kept;
}

// Each training model with one batch, each sweep with few settings; serving on one GPU.
std::vector<Measurement> Usable(std::span<const Measurement> rows, int knob_steps) {
  std::vector<Measurement> training;
  std::vector<Measurement> kept;
  for (const Measurement& row : rows) {
    if (row.is_training) training.push_back(row);
  }
  for (const Measurement& row : rows) {
    const bool fits = row.is_training ? row.batch == profile::BatchOf(training, row.model) : row.workers == 1;
    if (fits && row.power) kept.push_back(row);
  }
  std::vector<Measurement> thinned;
  for (const profile::Sweep& sweep : profile::SweepsOf(kept)) {
    const auto few = Thinned(sweep.points, knob_steps);
    thinned.insert(thinned.end(), few.begin(), few.end());
  }
  return thinned;
}

profile::ErrorBar BarOf(const Measurement& row, profile::Margin margin) {
  const bool is_used = margin == profile::Margin::kErrorBar && row.origin != profile::Origin::kScaled;
  return is_used ? profile::ErrorBar{row.speed_error, row.power_error} : profile::ErrorBar{};
}

// Rounded to six digits, as files have them.
double Rounded(double value) {
  const double unit = std::pow(10.0, 5.0 - std::floor(std::log10(value)));
  return std::round(value * unit) / unit;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::string PlainModelName(std::string_view name) {
  const std::string lower = LowerCase(name.substr(name.rfind('/') + 1));
  std::string plain;
  std::string word;
  for (std::size_t i = 0; i <= lower.size(); ++i) {
    const char c = i < lower.size() ? lower[i] : ' ';
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      word += c;
      continue;
    }
    // A data set that comes first is the name itself.
    if (plain.empty() || !IsOneOf(kAdditions, word)) plain += word;
    word.clear();
  }
  const auto* const synonym = std::ranges::find(kSynonyms, plain, &Alias::name);
  return synonym == kSynonyms.end() ? plain : std::string(synonym->model);
}

std::optional<std::string> MatchModel(std::string_view name, std::span<const std::string> models) {
  if (IsOneOf(models, name)) return std::string(name);
  const std::string plain = PlainModelName(name);
  if (plain.empty()) return std::nullopt;
  for (const std::string& model : models) {
    if (PlainModelName(model) == plain) return model;
  }
  for (const std::string& model : models) {
    if (WithoutPrecision(PlainModelName(model)) == WithoutPrecision(plain)) return model;
  }
  return std::nullopt;
}

Catalogue::Catalogue(std::span<const Measurement> own, int knob_steps, profile::Margin margin)
    : own_(Usable(own, knob_steps)), knob_steps_(knob_steps), margin_(margin) {
  for (const Measurement& row : own) {
    if (!IsOneOf(own_gpus_, row.gpu)) own_gpus_.push_back(row.gpu);
  }
}

bool Catalogue::HasGpu(std::string_view gpu) const {
  return IsOneOf(own_gpus_, gpu) || IsOneOf(profile::LibraryGpus(), gpu);
}

bool Catalogue::HasTraining(std::string_view gpu) const {
  return HasOwn(gpu, true) || IsOneOf(profile::LibraryGpus(), gpu);
}

bool Catalogue::HasOwn(std::string_view gpu, bool is_training) const {
  return std::ranges::any_of(own_,
                             [&](const Measurement& row) { return row.gpu == gpu && row.is_training == is_training; });
}

std::vector<std::string> Catalogue::OwnModels(bool is_training, std::span<const scenario::Group> groups) const {
  std::vector<std::string> models;
  for (const Measurement& row : own_) {
    const bool is_here = std::ranges::any_of(groups, [&](const auto& group) { return group.gpu == row.gpu; });
    if (is_here && row.is_training == is_training && !IsOneOf(models, row.model)) models.push_back(row.model);
  }
  return models;
}

std::vector<std::string> Catalogue::ModelsFor(std::span<const scenario::Group> groups) const {
  if (auto own = OwnModels(true, groups); !own.empty()) return own;
  std::set<std::string_view> seen;
  for (const profile::LibraryEntry& entry : profile::LibraryEntries()) {
    const bool is_here = std::ranges::any_of(groups, [&](const auto& group) { return group.gpu == entry.gpu; });
    if (is_here && entry.is_training && entry.origin != profile::Origin::kPredicted) seen.insert(entry.model);
  }
  std::vector<std::string> models;
  for (const std::string_view model : profile::TrainingModels()) {
    if (seen.empty() || seen.contains(model)) models.emplace_back(model);
  }
  return models;
}

std::optional<std::string> Catalogue::ModelNamed(std::string_view name, std::span<const scenario::Group> groups) const {
  const std::vector<std::string> own = OwnModels(true, groups);
  const std::vector<std::string> known = own.empty() ? Strings(profile::TrainingModels()) : own;
  if (IsOneOf(known, name)) return std::string(name);
  const auto* const alias = std::ranges::find(kAliases, name, &Alias::name);
  // A model of that very name counts above a similar one.
  if (!own.empty() || alias == kAliases.end()) {
    if (auto match = MatchModel(name, known)) return match;
  }
  return alias == kAliases.end() ? std::nullopt : MatchModel(alias->model, known);
}

std::vector<std::string> Catalogue::ServingModelsFor(std::span<const scenario::Group> groups) const {
  std::vector<std::string> models = OwnModels(false, groups);
  const bool has_library =
      std::ranges::any_of(groups, [](const auto& group) { return IsOneOf(profile::LibraryGpus(), group.gpu); });
  return models.empty() && has_library ? Strings(profile::InferenceModels()) : models;
}

bool Catalogue::CanTrain(const std::string& model, const std::string& gpu) const {
  constexpr std::array kOne{1};
  return !TrainingPoints(model, gpu, kOne).empty();
}

std::vector<scenario::TrainingPoint> Catalogue::TrainingPoints(const std::string& model, const std::string& gpu,
                                                               std::span<const int> workers) const {
  if (!HasOwn(gpu, true)) {
    const auto library = MatchModel(model, Strings(profile::TrainingModels()));
    return profile::TrainingPoints(library.value_or(model), gpu, Knob::kPowerLimit, knob_steps_, workers, margin_);
  }
  std::vector<Measurement> rows;
  for (const Measurement& row : own_) {
    if (row.is_training && row.model == model && row.gpu == gpu) rows.push_back(row);
  }
  std::vector<scenario::TrainingPoint> points;
  for (const Measurement& row : profile::ScaleWorkers(rows, workers)) {
    if (std::ranges::find(workers, row.workers) == workers.end()) continue;
    const profile::ErrorBar bar = BarOf(row, margin_);
    points.push_back({.knob = row.knob,
                      .workers = row.workers,
                      .samples_per_s = Rounded(row.per_s / (1.0 + bar.speed)),
                      .power = Watts{Rounded(row.power->value * (1.0 + bar.power))}});
  }
  return points;
}

std::vector<scenario::InferencePoint> Catalogue::InferencePoints(const std::string& model, const std::string& gpu,
                                                                 int clock_steps) const {
  if (!HasOwn(gpu, false)) {
    const auto library = MatchModel(model, Strings(profile::InferenceModels()));
    return profile::InferencePoints(library.value_or(model), gpu, clock_steps, profile::kBatches, margin_);
  }
  std::vector<scenario::InferencePoint> points;
  for (const Measurement& row : own_) {
    if (row.is_training || row.model != model || row.gpu != gpu || !row.latency) continue;
    const profile::ErrorBar bar = BarOf(row, margin_);
    points.push_back({.knob = row.knob,
                      .batch = row.batch,
                      .latency = Seconds{Rounded(row.latency->count() * 1e3 * (1.0 + bar.speed)) / 1e3},
                      .requests_per_s = Rounded(row.per_s / (1.0 + bar.speed)),
                      .power = Watts{Rounded(row.power->value * (1.0 + bar.power))}});
  }
  return points;
}

scenario::Group Catalogue::GroupOf(const std::string& gpu, int nodes, int gpus_per_node) const {
  Check(HasGpu(gpu), "there is no profile of this GPU");
  if (IsOneOf(profile::LibraryGpus(), gpu)) return profile::GroupOf(gpu, nodes, gpus_per_node);
  // The servers of the A40, which is a PCIe card.
  scenario::Group group = profile::GroupOf("A40", nodes, gpus_per_node);
  double highest = 0.0;
  for (const Measurement& row : own_) {
    if (row.gpu == gpu && row.power) highest = std::max(highest, row.power->value / row.workers);
  }
  group.name = LowerCase(gpu);
  group.gpu = gpu;
  group.gpu_idle = Watts{std::round(kIdleShare * highest)};
  return group;
}

}  // namespace heliostat::workload
