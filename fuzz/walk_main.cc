// Runs a fuzz target without libFuzzer: on every seed of a folder, then on INPUTS random variations of seeds, which are
// the same in every run. The folder has the name of the target. `make test` uses it; `make fuzz` builds the targets
// with libFuzzer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/target_name.h"
#include "heliostat/base/core/random.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kLongest = 65536;
// Tokens that reveal faults of parsers more often than a random byte.
constexpr const char* kTokens[] = {"nan", "-1", "1e400", ",,", "\n\n", "\"", "9999999999999999999", "[[", "{}", "null"};

std::string& NameOfTarget() {
  static std::string name;
  return name;
}

std::vector<std::string> SeedsIn(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
}

// Makes one small change: a byte, a piece removed or doubled, a token inserted, or the end of another seed.
void Change(std::string& text, const std::vector<std::string>& seeds, heliostat::RandomStream& random) {
  const std::size_t at = text.empty() ? 0 : random.Below(text.size());
  const std::size_t length = text.empty() ? 0 : 1 + random.Below(std::min<std::size_t>(text.size() - at, 40));
  switch (random.Below(5)) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(random.Below(256));
      return;
    case 1:
      text.erase(at, length);
      return;
    case 2:
      text.insert(at, text.substr(at, length));
      return;
    case 3:
      text.insert(at, kTokens[random.Below(std::size(kTokens))]);
      return;
    default: {
      const std::string& other = seeds[random.Below(seeds.size())];
      text = text.substr(0, at) + (other.empty() ? "" : other.substr(random.Below(other.size())));
    }
  }
}

void Try(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

const char* TargetName() { return NameOfTarget().c_str(); }

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s SEEDS INPUTS\n", argv[0]);
    return 2;
  }
  NameOfTarget() = std::filesystem::path(argv[1]).filename().string();
  const std::vector<std::string> seeds = SeedsIn(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s: no seeds in %s\n", argv[0], argv[1]);
    return 1;
  }
  for (const std::string& seed : seeds) Try(seed);
  heliostat::RandomStream random(1);
  for (int i = std::atoi(argv[2]); i > 0; --i) {
    std::string text = seeds[random.Below(seeds.size())];
    for (std::uint64_t changes = 1 + random.Below(4); changes > 0; --changes) Change(text, seeds, random);
    if (text.size() <= kLongest) Try(text);
  }
  return 0;
}
