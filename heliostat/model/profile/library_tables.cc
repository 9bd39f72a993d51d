#include "heliostat/model/profile/library_tables.h"

#include <array>

namespace heliostat::profile {
namespace {

// Speed-up by workers: Gavel's P100 runs in one server, where the model or its like is among them (ResNet-50 b128 0.88,
// Transformer b256 0.82, LM b80 0.66). Memory shares of the single-precision models: what explains their speeds on A40
// and V100; of the others, assumed by kind. Fixed time: V100 and RTX 8000 network kernels 0.13 to 0.27, GPT-3 on A100
// 0.14; more for models of many small layers.
constexpr std::array<TrainingModelFacts, 10> kTrainingModels{{
    {"resnet50", Precision::kSingle, 0.91, 0.25, 0.88},
    {"bert-base", Precision::kSingle, 0.50, 0.15, 0.82},
    {"shufflenet", Precision::kSingle, 0.94, 0.40, 0.77},
    {"deepspeech2", Precision::kSingle, 0.79, 0.35, 0.82},
    {"ncf", Precision::kSingle, 1.00, 1.00, 0.66},
    {"resnet50-bf16", Precision::kHalf, 0.70, 0.25, 0.88},
    {"vgg16-bf16", Precision::kHalf, 0.40, 0.20, 0.80},
    {"mobilenet-v3-bf16", Precision::kHalf, 0.90, 0.40, 0.85},
    {"vit-b16-bf16", Precision::kHalf, 0.40, 0.15, 0.90},
    {"transformer-lm-bf16", Precision::kHalf, 0.30, 0.14, 0.82},
}};

// All in fp16 or bf16. An LLM request has 200 output tokens, the mean of Azure's conversations; its batch is the number
// of simultaneous conversations.
constexpr std::array<InferenceModelFacts, 5> kInferenceModels{{
    {"resnet50", 0.70, 0.25, 2.0, true},
    {"vit-b16", 0.40, 0.15, 2.0, true},
    {"clip-vit-b16", 0.40, 0.15, 2.0, true},
    {"llama-8b", 0.60, 0.55, 1.0, false},
    {"sd-3.5-medium", 0.30, 0.14, 1.0, true},
}};

constexpr std::string_view kZeus = "fitted to Zeus' power-limit traces, real input, fp32";
constexpr std::string_view kOurs = "measured by us on one H200 SXM, synthetic input, bf16";
constexpr std::string_view kOursServing = "measured by us on one H200 SXM, synthetic input, fp16";
constexpr std::string_view kLambda = "speed published by Lambda Labs; draw assumed";
constexpr std::string_view kMlEnergy = "fitted to ML.ENERGY v3, default clocks";
constexpr std::string_view kClip = "vit-b16's image tower with a text tower of a fifth of its work";

// Batches: resnet50 256, bert-base 32 (SQuAD), shufflenet 1024, deepspeech2 64 (LibriSpeech), ncf 8192 (MovieLens with
// four negatives per positive); H200 256, 128, 256, 128 and 16 x 1024 tokens. Samples are images, examples, utterances
// or ratings, and tokens for the language model.
constexpr std::array<TrainingFacts, 18> kTraining{{
    {"resnet50", "A40", Origin::kMeasured, 342, 235, LimitCurve{{38, 0.70, 121, 235}, {118, 117, 0.71}, {0.911, 0.089}},
     0.026, 0.004, kZeus},
    {"bert-base", "A40", Origin::kMeasured, 100, 267, LimitCurve{{16, 0.86, 106, 267}, {91, 176, 0.71}, {0.831, 0.169}},
     0.027, 0.003, kZeus},
    {"shufflenet", "A40", Origin::kMeasured, 5912, 219,
     LimitCurve{{17, 0.82, 107, 219}, {105, 114, 0.94}, {0.883, 0.117}}, 0.019, 0.009, kZeus},
    {"deepspeech2", "A40", Origin::kMeasured, 57.9, 177,
     LimitCurve{{66, 0.39, 105, 177}, {103, 74, 0.80}, {0.888, 0.112}}, 0.031, 0.013, kZeus},
    {"ncf", "A40", Origin::kMeasured, 556000, 85, LimitCurve{{71, 0.05, 81, 85}, {81, 4, 1.0}, {1.0, 0.0}}, 0.046,
     0.009, kZeus},
    {"resnet50", "V100", Origin::kMeasured, 362, 220, LimitCurve{{13, 0.87, 98, 220}, {55, 165, 0.39}, {0.951, 0.049}},
     0.008, 0.009, kZeus},
    {"bert-base", "V100", Origin::kMeasured, 50.1, 228,
     LimitCurve{{8, 0.92, 99, 228}, {22, 206, 0.30}, {0.9445, 0.0555}}, 0.008, 0.006, kZeus},
    {"shufflenet", "V100", Origin::kMeasured, 6757, 195,
     LimitCurve{{17, 0.73, 91, 195}, {87, 108, 5.68}, {0.390, 0.610}}, 0.006, 0.015, kZeus},
    {"deepspeech2", "V100", Origin::kMeasured, 49.9, 191,
     LimitCurve{{28, 0.65, 95, 191}, {87, 104, 3.41}, {0.608, 0.392}}, 0.005, 0.009, kZeus},
    {"ncf", "V100", Origin::kMeasured, 624000, 37, LimitCurve{{35.6, 0.0065, 35.6, 38.5}, {35, 3.5, 1.0}, {1.0, 0.0}},
     0.013, 0.016, kZeus},
    {"resnet50-bf16", "H200", Origin::kTopOnly, 4706, 622.8, std::nullopt, 0.05, 0.10, kOurs},
    {"vgg16-bf16", "H200", Origin::kTopOnly, 3474, 672.1, std::nullopt, 0.05, 0.10, kOurs},
    {"mobilenet-v3-bf16", "H200", Origin::kTopOnly, 8418, 488.2, std::nullopt, 0.05, 0.10, kOurs},
    {"vit-b16-bf16", "H200", Origin::kTopOnly, 2214, 679.7, std::nullopt, 0.05, 0.10, kOurs},
    {"transformer-lm-bf16", "H200", Origin::kTopOnly, 106060, 693.9, std::nullopt, 0.05, 0.10, kOurs},
    // Half of the predicted values of the first two: another program on another host.
    {"resnet50", "RTX4090", Origin::kTopOnly, 224, 390, std::nullopt, 0.50, 0.20, kLambda},
    {"resnet50-bf16", "RTX4090", Origin::kTopOnly, 379, 390, std::nullopt, 0.50, 0.20, kLambda},
    {"bert-base", "RTX4090", Origin::kTopOnly, 137, 400, std::nullopt, 0.25, 0.20, kLambda},
}};

// The power without a limit may be above the limit of the GPU; points stop there.
constexpr std::array<InferenceFacts, 5> kInference{{
    {"resnet50", "H200", Origin::kTopOnly, 5.08, 0.0563, 120, 697, 0.05, 0.10, kOursServing},
    {"vit-b16", "H200", Origin::kTopOnly, 3.50, 0.0955, 131, 700, 0.05, 0.10, kOursServing},
    {"clip-vit-b16", "H200", Origin::kPredicted, 5.60, 0.115, 131, 700, 0.25, 0.15, kClip},
    {"llama-8b", "H100", Origin::kTopOnly, 1380, 17.3, 465, 740, 0.05, 0.10, kMlEnergy},
    {"sd-3.5-medium", "H100", Origin::kTopOnly, 560, 2990, 60, 532, 0.05, 0.10, kMlEnergy},
}};

}  // namespace

std::span<const TrainingModelFacts> AllTrainingModels() { return kTrainingModels; }
std::span<const InferenceModelFacts> AllInferenceModels() { return kInferenceModels; }
std::span<const TrainingFacts> AllTrainingFacts() { return kTraining; }
std::span<const InferenceFacts> AllInferenceFacts() { return kInference; }

}  // namespace heliostat::profile
