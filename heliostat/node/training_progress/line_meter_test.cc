#include "heliostat/node/training_progress/line_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

namespace heliostat::training_progress {
namespace {

struct Example {
  const char* name;
  std::string output;
  LineStyle style;
  std::uint64_t steps;
  std::optional<std::uint64_t> total;
  std::optional<double> steps_per_s;
  std::optional<double> samples_per_s;
  bool is_evaluating;
};

const std::vector<Example>& Examples() {
  static const std::vector<Example> kExamples{
      {"tqdm, its line not ended",
       "\r 45%|████▌     | 450/1000 [00:12<00:15, 36.1it/s, loss=0.3]",
       LineStyle::kTqdm,
       450,
       1000,
       36.1,
       {},
       false},
      {"tqdm, slow", "Train:   1%|  | 3/250 [00:07<10:22,  2.50s/it]\r", LineStyle::kTqdm, 3, 250, 0.4, {}, false},
      {"tqdm, before the first step", "  0%|          | 0/50 [00:00<?, ?it/s]", LineStyle::kTqdm, 0, 50, {}, {}, false},
      {"tqdm, scaled unit", " 24%|##4  | 1.20k/5.00k [00:10<00:30, 1.25kimg/s]", LineStyle::kTqdm, 1200, 5000, 1250.0,
       1250.0, false},
      {"tqdm without a total", "1234it [00:12, 98.5it/s]\r", LineStyle::kTqdm, 1234, {}, 98.5, {}, false},
      {"tqdm, epochs joined",
       "Epoch 1: 100%|██| 100/100 [00:01<00:00, 99.0it/s]\nEpoch 2:  40%|█ | 40/100 [00:00<00:01, 98.0it/s]",
       LineStyle::kTqdm,
       140,
       100,
       98.0,
       {},
       false},
      {"tqdm, nested",
       "Epochs:   0%|  | 0/3 [00:00<?, ?it/s]\n\r 50%|█ | 5/10 [00:00<00:00, 50.0it/s]\x1b[A\n"
       "\r100%|██| 10/10 [00:00<00:00, 50.0it/s]\x1b[A\rEpochs:  33%|  | 1/3 [00:01<00:02, 1.00s/it]\n"
       "\r 20%| | 2/10 [00:00<00:00, 50.0it/s]",
       LineStyle::kTqdm,
       12,
       10,
       50.0,
       {},
       false},
      {"Hugging Face, in its evaluation",
       " 10%|█ | 500/5000 [01:00<09:00,  8.3it/s]\n{'loss': 0.31, 'learning_rate': 4e-05, 'epoch': 0.5}\n"
       "  0%|  | 0/50 [00:00<?, ?it/s]\r  4%| | 2/50 [00:00<00:02, 20.0it/s]\r 10%| | 5/50 [00:00<00:02, 20.0it/s]",
       LineStyle::kTqdm,
       500,
       5000,
       8.3,
       {},
       true},
      {"Hugging Face, after its evaluation",
       " 10%|█ | 500/5000 [01:00<09:00,  8.3it/s]\r 10%| | 5/50 [00:00<00:02, 20.0it/s]\r 20%| | 10/50 [00:00<00:02, "
       "20.0it/s]\r{'eval_loss': 0.4, 'epoch': 0.5}\n 10%|█ | 501/5000 [01:03<09:00,  8.2it/s]",
       LineStyle::kTqdm,
       501,
       5000,
       8.2,
       {},
       false},
      {"Lightning, validating",
       "Epoch 0:  50%|█ | 90/180 [00:09<00:09, 10.00it/s, v_num=3]\nValidation DataLoader 0:  30%| | 6/20 "
       "[00:00<00:00, "
       "60.0it/s]",
       LineStyle::kTqdm,
       90,
       180,
       10.0,
       {},
       true},
      {"Lightning, rich",
       "\x1b[2KEpoch 0/9 \x1b[35m━━━━━╸\x1b[0m━━━━ 450/1000 0:00:12 • 0:00:15 36.10it/s v_num: 3.000\n",
       LineStyle::kRich,
       450,
       1000,
       36.1,
       {},
       false},
      {"Keras 2",
       "Epoch 1/5\n 156/1875 [=>............................] - ETA: 4s - loss: 0.31\r",
       LineStyle::kKeras,
       156,
       1875,
       {},
       {},
       false},
      {"Keras 2, epoch done and the next begun",
       "1875/1875 [==============================] - 5s 3ms/step - loss: 0.2\nEpoch 2/5\n 10/1875 [....] - ETA: 5s\r",
       LineStyle::kKeras,
       1885,
       1875,
       1e3 / 3.0,
       {},
       false},
      {"Keras 3",
       "\x1b[1m 156/1875\x1b[0m \x1b[32m━━\x1b[0m\x1b[37m━━━━━━━━\x1b[0m \x1b[1m4s\x1b[0m 4ms/step - accuracy: 0.3\r",
       LineStyle::kKeras,
       156,
       1875,
       250.0,
       {},
       false},
      {"torchvision",
       "Epoch: [0]  [ 100/5005]  eta: 0:35:01  lr: 0.1  img/s: 812.3  loss: 6.9 (7.0)  time: 0.31  max mem: 9000\n",
       LineStyle::kBracketed,
       100,
       5005,
       {},
       812.3,
       false},
      {"PyTorch's ImageNet example",
       "Epoch: [0][ 110/5005]\tTime  0.312 ( 0.350)\tLoss 6.9e+00 (7.0e+00)\n",
       LineStyle::kBracketed,
       110,
       5005,
       {},
       {},
       false},
      {"ImageNet example, testing",
       "Epoch: [0][5004/5005]\tTime  0.3\nTest: [ 10/196]\tTime  0.3\n",
       LineStyle::kBracketed,
       5004,
       5005,
       {},
       {},
       true},
      {"timm",
       "Train: 0 [  50/1251 (  4%)]  Loss: 6.94 (6.95)  Time: 0.312s,  820.51/s  (0.315s,  812.70/s)  LR: 1.0e-05\n",
       LineStyle::kBracketed,
       50,
       1251,
       {},
       820.51,
       false},
      {"Megatron",
       " iteration      100/    5000 | consumed samples:        25600 | elapsed time per iteration (ms): 500.0 | "
       "learning rate: 1.5E-04 | lm loss: 7.1E+00 |\n",
       LineStyle::kCounter,
       100,
       5000,
       2.0,
       {},
       false},
      {"DeepSpeed",
       "[2024-01-02 10:11:12,345] [INFO] [timer.py:260:stop] epoch=0/micro_step=40/global_step=20, "
       "RunningAvgSamplesPerSec=212.4, CurrSamplesPerSec=213.0\n",
       LineStyle::kCounter,
       20,
       {},
       {},
       212.4,
       false},
      {"nanoGPT", "iter 120: loss 2.31, time 150.20ms, mfu 31.00%\n", LineStyle::kCounter, 120, {}, {}, {}, false},
      {"plain steps", "step 120/5000 loss=0.3 1,234.5 tokens/s\n", LineStyle::kCounter, 120, 5000, {}, 1234.5, false},
      {"plain steps, in words",
       "INFO Step 7 of 90, samples/sec: 212.4\n",
       LineStyle::kCounter,
       7,
       90,
       {},
       212.4,
       false},
      {"a rate alone", "throughput 36.5 it/s\n", LineStyle::kRate, 0, {}, 36.5, {}, false},
  };
  return kExamples;
}

auto Told(const LineMeter& meter) {
  const LineProgress& p = meter.progress();
  return std::tuple(p.steps, p.position, p.total, p.steps_per_s, p.samples_per_s, p.epoch, p.style, p.is_evaluating);
}

LineMeter Read(std::string_view text) {
  LineMeter meter;
  meter.Feed(text, Seconds(1.0));
  return meter;
}

TEST(LineMeterTest, ReadsEveryStyle) {
  for (const Example& example : Examples()) {
    const LineProgress told = Read(example.output).progress();
    EXPECT_EQ(NameOf(told.style), NameOf(example.style)) << example.name;
    EXPECT_EQ(told.steps, example.steps) << example.name;
    EXPECT_EQ(told.total, example.total) << example.name;
    EXPECT_EQ(told.is_evaluating, example.is_evaluating) << example.name;
    EXPECT_EQ(told.steps_per_s.has_value(), example.steps_per_s.has_value()) << example.name;
    EXPECT_NEAR(told.steps_per_s.value_or(0), example.steps_per_s.value_or(0), 1e-9) << example.name;
    EXPECT_EQ(told.samples_per_s.has_value(), example.samples_per_s.has_value()) << example.name;
    EXPECT_NEAR(told.samples_per_s.value_or(0), example.samples_per_s.value_or(0), 1e-9) << example.name;
  }
}

TEST(LineMeterTest, SplitAtEveryByteItReadsTheSame) {
  for (const Example& example : Examples()) {
    const auto whole = Told(Read(example.output));
    for (std::size_t cut = 0; cut <= example.output.size(); ++cut) {
      LineMeter meter;
      meter.Feed(std::string_view(example.output).substr(0, cut), Seconds(1.0));
      meter.Feed(std::string_view(example.output).substr(cut), Seconds(2.0));
      ASSERT_EQ(Told(meter), whole) << example.name << ", cut at " << cut;
    }
  }
}

TEST(LineMeterTest, WhatTellsOfNoProgressIsLeftAlone) {
  for (const char* line : {"Epoch 3/10\n", "loading 12/40 shards from /data/step/7\n", "accuracy 93%|done\n",
                           "version 1.2/3.4 [x]\n", "Downloading https://host/s/it/2.5\n",
                           "2024-01-02 10:11:12 INFO start\n", "lr=0.1 loss=7\n", "\x1b]0;title 5/9\a\n"}) {
    EXPECT_EQ(NameOf(Read(line).progress().style), "none") << line;
    EXPECT_EQ(Read(line).progress().steps, 0U) << line;
  }
}

TEST(LineMeterTest, ALineWithoutEndCostsNothingAndHidesNothing) {
  LineMeter meter;
  const std::string much(1U << 20U, 'x');
  meter.Feed(much, Seconds(1.0));
  meter.Feed("\nstep 5/10\n", Seconds(2.0));
  EXPECT_EQ(meter.progress().steps, 5U);
  EXPECT_EQ(meter.progress().at, Seconds(2.0));
}

TEST(LineMeterTest, RanksThatTalkAcrossEachOtherCountOnce) {
  LineMeter meter;
  for (int step = 10; step < 100; ++step) {
    for (const int lag : {0, 2, 1}) meter.Feed("step " + std::to_string(step - lag) + "/100\n", Seconds(step));
  }
  EXPECT_EQ(meter.progress().steps, 99U);
}

TEST(LineMeterTest, AUsersPatternReplacesAllElse) {
  auto meter = LineMeter::WithPattern(R"(done (\d+) von (\d+))");
  ASSERT_TRUE(meter);
  meter->Feed("step 900/1000\n*** done 12 von 80 ***\ndone twelve\n", Seconds(1.0));
  EXPECT_EQ(meter->progress().steps, 12U);
  EXPECT_EQ(meter->progress().total, 80U);
  EXPECT_EQ(meter->progress().style, LineStyle::kPattern);
  EXPECT_EQ(LineMeter::WithPattern("(").error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(LineMeter::WithPattern("abc").error().Line(), ::testing::HasSubstr("no group"));
}

TEST(LineMeterTest, APatternThatCouldRunForEverDoesNot) {
  auto meter = LineMeter::WithPattern("(a+)+(a+)+(a+)+b");
  ASSERT_TRUE(meter);
  meter->Feed(std::string(4000, 'a') + "\n", Seconds(1.0));
  EXPECT_EQ(meter->progress().steps, 0U);
}

RC_GTEST_PROP(LineMeterTest, CountsNeverFallAndPiecesDoNotMatter, ()) {
  std::string text;
  const auto picks = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, Examples().size()));
  for (const std::size_t pick : picks) {
    const std::string& output = Examples()[pick].output;
    text += output.substr(*rc::gen::inRange<std::size_t>(0, output.size()));
  }
  LineMeter pieces;
  std::uint64_t before = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t size = std::min<std::size_t>(rest.size(), *rc::gen::inRange<std::size_t>(1, 60));
    pieces.Feed(rest.substr(0, size), Seconds(1.0));
    rest.remove_prefix(size);
    RC_ASSERT(pieces.progress().steps >= before);
    before = pieces.progress().steps;
  }
  RC_ASSERT(Told(pieces) == Told(Read(text)));
}

}  // namespace
}  // namespace heliostat::training_progress
