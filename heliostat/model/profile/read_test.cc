#include "heliostat/model/profile/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/model/profile/cells.h"
#include "heliostat/model/profile/write_profiles.h"
#include "heliostat/model/scenario/read_parts.h"

namespace heliostat::profile {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kZeus =
    "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\n"
    "cifar100,shufflenetv2,1024,adadelta,100,20,100\n"
    "cifar100,shufflenetv2,1024,adadelta,250,10,180\n"
    "cifar100,shufflenetv2,1024,adam,100,25,100\n"
    "cifar100,shufflenetv2,1024,adam,250,8,190\n";
constexpr const char* kStages =
    "stage,instruction,frequency,time,energy\n"
    "0,forward,1410,0.1,40\n0,backward,1410,0.3,120\n"
    "1,forward,1410,0.1,30\n1,backward,1410,0.1,30\n"
    "0,forward,1005,0.2,50\n0,backward,1005,0.3,100\n"
    "1,forward,1005,0.1,20\n1,backward,1005,0.2,40\n";
constexpr const char* kRtx =
    "gpu,model,engine,load_mode,power_cap_w,sm_clk_mhz,mem_clk_mhz,tput_narr_tps,tput_code_tps,actual_power_w,tps_per_"
    "w\n"
    "RTX4090,Net,llama.cpp,decode-single,230,,,40,41,229,0.18\n";
constexpr const char* kGavel =
    "gpu,job_type,scale_factor,steps_per_s\n"
    "k80,LM (batch size 5),1,10\nk80,A3C,1,3.5\nk80,LM (batch size 5),2,0.0\nk80_unconsolidated,A3C,1,3\n";

std::string LineOf(const Result<std::vector<Measurement>>& result) {
  return result ? "nothing was refused" : result.error().Line();
}

TEST(ReadZeus, SpeedIsTheDataSetOverTheEpochAndTheFasterOptimizerCounts) {
  const auto rows = ReadMeasurements(kZeus, "data/summary_power_v100.csv");
  ASSERT_TRUE(rows) << LineOf(rows);
  ASSERT_THAT(*rows, SizeIs(2));
  const Measurement& low = rows->front();
  EXPECT_EQ(low.model, "shufflenetv2-cifar100");
  EXPECT_EQ(low.gpu, "V100");
  EXPECT_EQ(low.batch, 1024);
  EXPECT_EQ(low.knob.power_limit_w, 100);
  EXPECT_DOUBLE_EQ(low.per_s, 50'000 / 25.0);
  EXPECT_DOUBLE_EQ(rows->back().per_s, 50'000 / 8.0);
  EXPECT_EQ(rows->back().power, Watts{190});
}

constexpr const char* kPlain =
    "model,gpu,workers,power_limit_w,samples_per_s,power_w\n"
    "net,T4,1,70,1234.5,68.5\nnet,T4,1,60,1100.25,59.5\n";

TEST(Read, ATableIsTheSameWithAnyDelimiterAndDecimalMark) {
  const auto plain = ReadMeasurements(kPlain, "own.csv");
  ASSERT_TRUE(plain) << LineOf(plain);
  for (const char* text : {"model;gpu;workers;power_limit_w;samples_per_s;power_w\r\nnet;T4;1;70;1.234,5;68,5\r\nnet;"
                           "T4;1;60;1.100,25;59,5\r\n",
                           "model\tgpu\tworkers\tpower_limit_w\tsamples_per_s\tpower_w\nnet\tT4\t1\t70\t1234,5\t68,"
                           "5\nnet\tT4\t1\t60\t1100,25\t59,5\n",
                           "model, gpu, workers, power_limit_w, samples_per_s, power_w\nnet, T4, 1, 70, 1234.5, 68.5\n"
                           "net, T4, 1, 60, 1100.25, 59.5\n",
                           "\xEF\xBB\xBF\"model\",\"gpu\",\"workers\",\"power_limit_w\",\"samples_per_s\",\"power_w\"\n"
                           "net,T4,1,70,\"1,234.5\",68.5\nnet,T4,1,60,\"1,100.25\",59.5\n"}) {
    const auto rows = ReadMeasurements(text, "own.csv");
    ASSERT_TRUE(rows) << LineOf(rows);
    EXPECT_EQ(*rows, *plain) << text;
  }
}

TEST(Read, NumbersWithTwoReadingsAreRefusedUntilTheUserDecides) {
  constexpr const char* kTwoReadings =
      "model;gpu;workers;power_limit_w;samples_per_s;power_w;torch\n"
      "net;T4;1;70;1.234;68;2.1\nnet;T4;1;60;1.100;59;2.1\n";
  EXPECT_EQ(
      LineOf(ReadMeasurements(kTwoReadings, "own.csv")),
      "own.csv: its numbers can be read with a decimal point or a decimal comma; set option 'decimal' to point or "
      "comma");
  const auto commas = Read(kTwoReadings, "own.csv", {.decimal = "comma"});
  ASSERT_TRUE(commas);
  EXPECT_DOUBLE_EQ(commas->rows.front().per_s, 1234.0);
  const auto points = Read(kTwoReadings, "own.csv", {.decimal = "point"});
  ASSERT_TRUE(points);
  EXPECT_DOUBLE_EQ(points->rows.front().per_s, 1.234);
  EXPECT_FALSE(Read(kTwoReadings, "own.csv", {.decimal = "dot"}));
}

TEST(ReadPerseus, TheSlowestStageSetsThePaceAndEveryStageDraws) {
  const auto rows = ReadMeasurements(kStages, "stage_profile_gpt3-175b_a100_sxm_bf16.csv");
  ASSERT_TRUE(rows) << LineOf(rows);
  ASSERT_THAT(*rows, SizeIs(2));
  const Measurement& top = rows->back();
  EXPECT_EQ(top.model, "gpt3-175b");
  EXPECT_EQ(top.gpu, "A100");
  EXPECT_EQ(top.workers, 2);
  EXPECT_EQ(top.knob.core_mhz, 1410);
  EXPECT_DOUBLE_EQ(top.per_s, 1 / 0.4);
  EXPECT_DOUBLE_EQ(top.power->value, 160 / 0.4 + 60 / 0.2);
}

TEST(ReadPerseus, ReadsOneLimitForAllGpusAndFrontiers) {
  const auto limits = ReadMeasurements(
      "model_name,partition_method,batch_size,power_limit_0,power_limit_1,power_limit_2,power_limit_3,time,energy\n"
      "bert,\"custom:0,8\",256,300,300,300,300,4,4000\n",
      "zeus_global_powerlimit_A100.csv");
  ASSERT_TRUE(limits) << LineOf(limits);
  EXPECT_DOUBLE_EQ(limits->front().per_s, 64);
  EXPECT_DOUBLE_EQ(limits->front().power->value, 1000);
  EXPECT_EQ(limits->front().workers, 4);
  const auto frontier = ReadMeasurements(
      "gpu,model,schedule,n_gpus,iter_time_s,iter_energy_j,mean_sm_freq_mhz\nA100,bert,0,4,2,2000,1200.5\n",
      "frontier.csv");
  ASSERT_TRUE(frontier) << LineOf(frontier);
  EXPECT_EQ(frontier->front().knob.core_mhz, 1200.5);
  EXPECT_DOUBLE_EQ(frontier->front().per_s, 0.5);
}

TEST(ReadRtx, ATokenIsARequest) {
  const auto rows = ReadMeasurements(kRtx, "sweep.csv");
  ASSERT_TRUE(rows) << LineOf(rows);
  EXPECT_EQ(rows->front().model, "Net-decode-single");
  EXPECT_FALSE(rows->front().is_training);
  EXPECT_DOUBLE_EQ(rows->front().latency->count(), 1 / 40.0);
  EXPECT_EQ(rows->front().power, Watts{229});
}

TEST(ReadGavel, WhatDidNotFitOrWasSpreadIsLeftOut) {
  const auto rows = ReadMeasurements(kGavel, "gavel.csv");
  ASSERT_TRUE(rows) << LineOf(rows);
  ASSERT_THAT(*rows, SizeIs(2));
  EXPECT_EQ(rows->front().model, "LM");
  EXPECT_EQ(rows->front().gpu, "K80");
  EXPECT_DOUBLE_EQ(rows->front().per_s, 50);
  EXPECT_DOUBLE_EQ(rows->back().per_s, 3.5);
  EXPECT_FALSE(rows->front().power.has_value());
}

TEST(ReadMlEnergy, ReadsBothVersionsLanguageAndImages) {
  const auto third = ReadMeasurements(
      "task,model_id,gpu_model,num_gpus,avg_output_len,avg_power_watts,max_num_seqs,median_itl_ms,"
      "output_throughput_tokens_per_sec,batch_latency_s,batch_size\n"
      "chat,an/llm,H100,1,400,500,8,10,800,,\n"
      "image,a/painter,H100,2,,450,,,,3.5,7\n"
      "chat,lacks/length,H100,1,,500,8,10,800,,\n",
      "v3.csv");
  ASSERT_TRUE(third) << LineOf(third);
  ASSERT_THAT(*third, SizeIs(2));
  EXPECT_EQ(third->front().batch, 8);
  EXPECT_DOUBLE_EQ(third->front().per_s, 2);
  EXPECT_DOUBLE_EQ(third->front().latency->count(), 4);
  EXPECT_DOUBLE_EQ(third->back().per_s, 2);
  EXPECT_EQ(third->back().workers, 2);
  const auto second = ReadMeasurements(
      "task,Model,GPU,Energy/video (J),Batch latency (s),Batch size,Denoising steps,Frames,Energy/image (J),TP,PP,"
      "Energy/req (J),Avg TPOT (s),Token tput (tok/s),Avg Output Tokens,Avg BS (reqs),Max BS (reqs)\n"
      "chat,an/llm,NVIDIA A100-SXM4-40GB,,,,,,,1.0,1.0,60,0.08,1500,500,127,128.0\n",
      "v2.csv");
  ASSERT_TRUE(second) << LineOf(second);
  EXPECT_EQ(second->front().gpu, "A100");
  EXPECT_DOUBLE_EQ(second->front().per_s, 3);
  EXPECT_DOUBLE_EQ(second->front().power->value, 180);
}

TEST(Read, RefusesBadInputInOneLine) {
  const auto line = [](std::string text, const char* file) { return LineOf(ReadMeasurements(text, file)); };
  EXPECT_THAT(line("a,b\n1,2\n", "x.csv"), StartsWith("x.csv: is not a known table of measurements; "));
  EXPECT_THAT(line("", "x.csv"), HasSubstr("is not a known table"));
  EXPECT_THAT(line(kZeus, "zeus.csv"), HasSubstr("does not say which GPU was measured"));
  EXPECT_THAT(line(kStages, "stages.csv"), HasSubstr("does not name the model and the GPU"));
  const std::string head = "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\n";
  EXPECT_THAT(line(head + "mnist,net,8,adam,100,1,1\n", "p_a40.csv"), StartsWith("p_a40.csv:2: dataset 'mnist'"));
  EXPECT_THAT(line(head + "squad,net,8,adam,100,-1,1\n", "p_a40.csv"),
              HasSubstr("time_per_epoch is -1; must be above 0"));
  EXPECT_THAT(line(head + "squad,net,0,adam,100,1,1\n", "p_a40.csv"), HasSubstr("batch_size is 0"));
  EXPECT_THAT(line(head, "p_a40.csv"), HasSubstr("has no usable row"));
  EXPECT_THAT(line("gpu,job_type,scale_factor,steps_per_s\nk80,LM (batch size x),1,1\n", "g.csv"),
              HasSubstr("job_type"));
  EXPECT_THAT(line("model_name,batch_size,power_limit_0,power_limit_1,power_limit_2,power_limit_3,time,energy\n"
                   "m,1,300,250,300,300,1,1\n",
                   "l_a40.csv"),
              HasSubstr("power_limit_1 differs"));
  EXPECT_THAT(line("stage,instruction,frequency,time,energy\n0,f,900,1,1\n1,f,800,1,1\n", "stage_profile_m_a100.csv"),
              HasSubstr("a stage was not measured at 800 MHz"));
}

TEST(Read, AFormatMayBeNamed) {
  EXPECT_EQ(*ParseFormat("gavel"), Format::kGavel);
  EXPECT_EQ(*ParseFormat("auto"), std::nullopt);
  EXPECT_THAT(ParseFormat("excel").error().Line(), HasSubstr("auto, zeus, perseus, rtx, mlenergy, gavel or table"));
  EXPECT_THAT(LineOf(ReadMeasurements(kGavel, "g.csv", Format::kRtx)), HasSubstr("there is no column 'model'"));
}

// One bad cell in the third line of a table: the error names file, line and column.
struct BadCell {
  const char* header;
  const char* good;
  const char* bad;
  const char* column;
};

TEST(Read, ABadCellIsNamedWithItsLineAndColumn) {
  const char* const zeus = "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power";
  const char* const good_zeus = "squad,net,8,adam,100,10,90";
  const char* const gavel = "gpu,job_type,scale_factor,steps_per_s";
  const char* const frontier = "gpu,model,n_gpus,iter_time_s,iter_energy_j,mean_sm_freq_mhz";
  for (const BadCell& one : {BadCell{zeus, good_zeus, "squad,net,1.5,adam,100,10,90", "batch_size"},
                             BadCell{zeus, good_zeus, "squad,net,8,adam,0,10,90", "power_limit"},
                             BadCell{zeus, good_zeus, "squad,net,8,adam,100,nan,90", "time_per_epoch"},
                             BadCell{zeus, good_zeus, "squad,net,8,adam,100,10,", "average_power"},
                             BadCell{zeus, good_zeus, "squad,net,8,adam,100,10,1e13", "average_power"},
                             BadCell{gavel, "k80,A3C,1,3", "k80,A3C,0,3", "scale_factor"},
                             BadCell{gavel, "k80,A3C,1,3", "k80,A3C,1,fast", "steps_per_s"},
                             BadCell{frontier, "A100,bert,4,2,2000,1200", "A100,bert,4,2,-1,1200", "iter_energy_j"},
                             BadCell{frontier, "A100,bert,4,2,2000,1200", "A100,bert,-4,2,1,1200", "n_gpus"}}) {
    const std::string text = std::string(one.header) + "\n" + one.good + "\n";
    const std::string file = "p_a40.csv";
    ASSERT_TRUE(ReadMeasurements(text, file)) << LineOf(ReadMeasurements(text, file));
    const std::string line = LineOf(ReadMeasurements(text + one.bad + "\n", file));
    EXPECT_THAT(line, StartsWith("p_a40.csv:3: "));
    EXPECT_THAT(line, HasSubstr(one.column));
  }
}

TEST(Read, EveryFormatsNameIsReadAsItIsWritten) {
  for (const Format format :
       {Format::kZeus, Format::kPerseus, Format::kRtx, Format::kMlEnergy, Format::kGavel, Format::kTable}) {
    EXPECT_EQ(*ParseFormat(NameOf(format)), format);
  }
}

// Another testbed's table of the same shape is not taken for four A100s.
TEST(ReadPerseus, TheGpuAndItsNumberComeFromTheFileOrTheUser) {
  const std::string two =
      "model_name,batch_size,power_limit_0,power_limit_1,time,energy\nbert,64,70,70,2,240\nbert,64,60,60,2.2,220\n";
  const auto named = ReadMeasurements(two, "limits_t4.csv");
  ASSERT_TRUE(named) << LineOf(named);
  EXPECT_EQ(named->front().gpu, "T4");
  EXPECT_EQ(named->front().workers, 2);
  EXPECT_THAT(LineOf(ReadMeasurements(two, "limits.csv")),
              HasSubstr("does not say which GPU was measured; option 'gpu'"));
  const auto given = Read(two, "limits.csv", {.gpu = "my gpu"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->rows.front().gpu, "MYGPU");
  EXPECT_THAT(Read(two, "limits_t4.csv", {.workers = 4}).error().Line(), HasSubstr("has rows of 2 workers"));
}

constexpr const char* kOwnTable =
    "net,card,cap,img_s,watts\nResNet-50,T4,50,90,49\nResNet-50,T4,60,110,59\n"
    "ResNet-50,T4,70,120,68\n";
ReadOptions OwnColumns() {
  return {.workers = 1,
          .columns = {.model = "net", .gpu = "card", .limit = "cap", .throughput = "img_s", .power = "watts"}};
}

TEST(GpuName, DriversAndPeopleNameTheSameGpu) {
  for (const auto& [text, name] :
       {std::pair("a40", "A40"), std::pair("rtx 4090", "RTX4090"), std::pair("NVIDIA A100-SXM4-40GB", "A100"),
        std::pair("NVIDIA H100 80GB HBM3", "H100"), std::pair("NVIDIA GeForce RTX 4090", "RTX4090"),
        std::pair("Tesla T4", "T4"), std::pair("Tesla V100-SXM2-16GB", "V100"), std::pair("NVIDIA RTX A6000", "A6000"),
        std::pair("NVIDIA L40S", "L40S"), std::pair("NVIDIA H200", "H200"),
        std::pair("AMD Instinct MI300X OAM", "MI300X"), std::pair("my_gpu", "MYGPU")}) {
    EXPECT_EQ(GpuName(text), name);
  }
}

TEST(ReadTable, ColumnsMayHaveAnyName) {
  const auto reading = Read(kOwnTable, "mine.csv", OwnColumns());
  ASSERT_TRUE(reading) << reading.error().Line();
  ASSERT_THAT(reading->rows, SizeIs(3));
  EXPECT_EQ(reading->rows[2].knob.power_limit_w, 70);
  EXPECT_EQ(reading->rows[2].power, Watts{68});
  EXPECT_EQ(reading->rows[2].gpu, "T4");
  ReadOptions options = OwnColumns();
  options.workers.reset();
  EXPECT_EQ(Read(kOwnTable, "mine.csv", options).error().Line(),
            "mine.csv:1: there is no column 'workers'; name it with option 'workers-column', or say it with option "
            "'workers'; the columns are net,card,cap,img_s,watts");
  options = OwnColumns();
  options.columns.power = "kw";
  EXPECT_THAT(Read(kOwnTable, "mine.csv", options).error().Line(), HasSubstr("there is no column 'kw', which option"));
}

TEST(ReadTable, WhatIsWrittenIsReadAgain) {
  auto rows = *ReadMeasurements(kZeus, "p_v100.csv");
  rows[0].origin = Origin::kScaled;
  rows[0].speed_error = 0.25;
  const auto again = ReadMeasurements(ToProfileTable(rows, std::nullopt)->text, "t.csv");
  ASSERT_TRUE(again) << LineOf(again);
  ASSERT_EQ(again->size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].line = (*again)[i].line;
    EXPECT_EQ((*again)[i], rows[i]);
  }
  const auto serving = *ReadMeasurements(kRtx, "r.csv");
  const auto served = ReadMeasurements(ToProfileTable(serving, std::nullopt)->text, "i.csv");
  ASSERT_TRUE(served) << LineOf(served);
  EXPECT_FALSE(served->front().is_training);
  EXPECT_DOUBLE_EQ(served->front().latency->count(), 1 / 40.0);
}

struct BadRow {
  const char* row;
  const char* said;
};

TEST(CheckRows, RowsThatCannotBeRightAreRefusedInOneLineOrSkipped) {
  for (const BadRow& bad : {
           BadRow{"ResNet-50,T4,65,115,70", "power is 70 W at a limit of 65 W; at most 5 % above the limit"},
           BadRow{"ResNet-50,T4,100,115,80", "power is 80 W; at most 70 W, the highest limit of T4"},
           BadRow{"ResNet-50,T4,65,1150,60", "throughput is 1150 per s at 65 W, 10.5 times faster than at 60 W"},
           BadRow{"ResNet-50,T4,65,9,60", "throughput is 9 per s at 65 W, 12.2 times slower than at 60 W"},
           BadRow{"ResNet-50,T4,60,111,59", "repeats ResNet-50 on T4 with 1 workers at 60 W, of line 3"},
           BadRow{"ResNet-50,T4,65,0,60", "img_s is 0; must be above 0"},
           BadRow{"ResNet-50,T4,65,nan,60", "img_s is 'nan'"},
           BadRow{"ResNet-50,T4,65,115,-3", "watts is -3; must be above 0"},
           BadRow{"ResNet-50,T4,65,115,", "watts is empty; must be a number"},
           BadRow{"ResNet-50,XPU9,65,115,2500", "power is 2500 W; at most 2000 W"},
       }) {
    const std::string text = std::string(kOwnTable) + bad.row + "\n";
    const auto refused = Read(text, "mine.csv", OwnColumns());
    ASSERT_FALSE(refused) << bad.row;
    EXPECT_THAT(refused.error().Line(), StartsWith(std::string("mine.csv:5: ") + bad.said)) << bad.row;
    ReadOptions options = OwnColumns();
    options.skips_bad_rows = true;
    const auto skipped = Read(text, "mine.csv", options);
    ASSERT_TRUE(skipped) << bad.row;
    EXPECT_THAT(skipped->rows, SizeIs(3));
    ASSERT_THAT(skipped->skipped, SizeIs(1));
    EXPECT_EQ(skipped->skipped.front().Line(), refused.error().Line());
  }
}

TEST(CheckRows, TheLowestLimitOfAGpuMayBeExceededBecauseRealGpusDo) {
  EXPECT_TRUE(Read("net,card,cap,img_s,watts\nm,A40,100,9,121\nm,A40,150,20,151\n", "mine.csv", OwnColumns()));
  EXPECT_FALSE(Read("net,card,cap,img_s,watts\nm,A40,100,9,99\nm,A40,150,20,181\n", "mine.csv", OwnColumns()));
}

TEST(WriteProfiles, ScenariosReadWhatIsWritten) {
  scenario::Scenario scenario;
  const auto training = ToProfileTable(*ReadMeasurements(kZeus, "p_v100.csv"), std::nullopt);
  ASSERT_TRUE(training);
  EXPECT_TRUE(training->is_training);
  ASSERT_TRUE(scenario::ReadTraining(training->text, "t.csv", scenario));
  const auto& points = scenario.training.Of("shufflenetv2-cifar100", "V100");
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_DOUBLE_EQ(points[1].samples_per_s, 6250);
  EXPECT_THAT(training->text, StartsWith("model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w,batch,source,"
                                         "speed_error_percent,power_error_percent\n"));
  EXPECT_THAT(training->text, HasSubstr("V100,1,,250,6250,190,1024,measured,,\n"));

  const auto serving = ToProfileTable(*ReadMeasurements(kRtx, "r.csv"), std::nullopt);
  ASSERT_TRUE(serving);
  ASSERT_TRUE(scenario::ReadInference(serving->text, "i.csv", scenario));
  EXPECT_THAT(scenario.inference.Of("Net-decode-single", "RTX4090"), SizeIs(1));
}

TEST(WriteProfiles, AModelHasTheFastestBatchThatAllItsGpusHave) {
  const auto row = [](const char* gpu, int batch, double speed) {
    Measurement made{.model = "net, \"big\"", .gpu = gpu};
    made.batch = batch;
    made.per_s = speed;
    made.power = Watts{100};
    return made;
  };
  const std::vector<Measurement> rows{row("A", 8, 10), row("B", 8, 10), row("A", 16, 20), row("B", 16, 15),
                                      row("A", 32, 90)};
  EXPECT_EQ(BatchOf(rows, rows[0].model), 16);
  const auto table = ToProfileTable(rows, std::nullopt);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows, 2U);
  EXPECT_EQ(table->left_out, 3U);
  scenario::Scenario scenario;
  ASSERT_TRUE(scenario::ReadTraining(table->text, "t.csv", scenario));
  EXPECT_THAT(scenario.training.Of(rows[0].model, "B"), SizeIs(1));
  EXPECT_EQ(ToProfileTable(rows, 32)->rows, 1U);
  EXPECT_THAT(ToProfileTable(rows, 7).error().Line(), HasSubstr("batch: "));
}

TEST(WriteProfiles, RefusesSpeedsAloneAndMixes) {
  auto rows = *ReadMeasurements(kGavel, "g.csv");
  EXPECT_THAT(ToProfileTable(rows, std::nullopt).error().Line(), HasSubstr("speeds without power"));
  rows = *ReadMeasurements(kZeus, "p_v100.csv");
  rows.push_back(ReadMeasurements(kRtx, "r.csv")->front());
  EXPECT_THAT(ToProfileTable(rows, std::nullopt).error().Line(), HasSubstr("separate tables"));
}

}  // namespace
}  // namespace heliostat::profile
