#include "heliostat/model/profile/gpu_facts.h"

#include <algorithm>
#include <array>

namespace heliostat::profile {
namespace {

// Limits, clocks and peaks are the makers' data sheets. Power over the core clock: A40, fitted by us to the published
// curve of GROMACS case 6 (arXiv 2607.00819); V100, to neural-network kernels of NV-DVFS-Benchmark; A100, to the
// pipeline stages of GPT-3 in Perseus' measurements (1.2 % off); RTX 4090, between two published pairs of clock and
// draw. H100 and H200 have no public sweep: between the A100's curve and what our H200 draws between steps.
// Idle: V100 and A40 as published, H200 measured by us with a context open, the rest by their makers' boards.
// Nodes: assumptions. Two-socket servers with eight PCIe cards draw 300 to 350 W without them; HGX boards with their
// switches and fans 800 to 1100 W; a workstation for consumer cards less. Machines that boot longer wake longer.
constexpr std::array<GpuFacts, 6> kGpus{{
    {"A40", 100, 300, 780, 1740, 74.8, 149.7, 696, 0.43, 2.5, 30, 350, 15, 5, 20},
    {"V100", 100, 250, 705, 1380, 15.7, 125, 900, 0.41, 3.0, 26, 300, 15, 5, 20},
    {"A100", 150, 400, 855, 1410, 156, 312, 2039, 0.425, 5.1, 55, 800, 25, 8, 60},
    {"H100", 250, 700, 990, 1980, 494, 989, 3350, 0.40, 4.0, 70, 1100, 30, 8, 80},
    {"H200", 250, 700, 990, 1980, 494, 989, 4800, 0.40, 4.0, 76, 1100, 30, 8, 80},
    {"RTX4090", 200, 450, 1380, 2520, 82.6, 165, 1008, 0.25, 3.8, 22, 180, 10, 3, 10},
}};

struct BoardPower {
  std::string_view gpu;
  double highest_w;
};
// Makers' data sheets: of the form factor with the highest power; of consumer cards, the highest limit that boards on
// the market accept. A K80 and an MI250 are two GPUs on one board, and each counts with its half.
constexpr std::array<BoardPower, 48> kBoards{{
    {"K80", 150},      {"M40", 250},       {"M60", 150},     {"P4", 75},         {"P40", 250},       {"P100", 300},
    {"V100", 350},     {"T4", 70},         {"T4G", 70},      {"A2", 60},         {"A10", 150},       {"A10G", 300},
    {"A16", 63},       {"A30", 165},       {"A40", 300},     {"A100", 500},      {"A800", 400},      {"L4", 75},
    {"L20", 275},      {"L40", 300},       {"L40S", 350},    {"H20", 500},       {"H100", 700},      {"H800", 700},
    {"H200", 700},     {"GH200", 1000},    {"B100", 700},    {"B200", 1200},     {"B300", 1400},     {"GB200", 1200},
    {"A4000", 140},    {"A5000", 230},     {"A6000", 300},   {"GTX1080TI", 330}, {"RTX2080TI", 380}, {"RTX3080", 450},
    {"RTX3090", 500},  {"RTX3090TI", 600}, {"RTX4080", 400}, {"RTX4090", 600},   {"RTX5080", 450},   {"RTX5090", 630},
    {"TITANRTX", 320}, {"MI100", 300},     {"MI210", 300},   {"MI250", 280},     {"MI250X", 280},    {"MI300X", 750},
}};

}  // namespace

std::span<const GpuFacts> AllGpuFacts() { return kGpus; }

const GpuFacts* FindGpuFacts(std::string_view gpu) {
  const auto found = std::ranges::find(kGpus, gpu, &GpuFacts::name);
  return found == kGpus.end() ? nullptr : &*found;
}

std::optional<double> HighestWatts(std::string_view gpu) {
  const auto found = std::ranges::find(kBoards, gpu, &BoardPower::gpu);
  return found == kBoards.end() ? std::nullopt : std::optional(found->highest_w);
}

}  // namespace heliostat::profile
