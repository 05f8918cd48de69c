// Runs the seeds of one target, and random changes of them, without libFuzzer: what was found once stays
// found in every build, whatever the compiler.
//
//   fuzz_replay TARGET FOLDER [CHANGES]
//
// FOLDER holds one seed a file (seeds.py writes them). CHANGES is how many changed inputs are run besides, 0
// by default; they are the same in every run. The input under way is left in FOLDER/last if the process dies.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLast = "last";

std::vector<std::string> seeds_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != kLast) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class Changer {
 public:
  explicit Changer(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  std::string next() {
    std::string input = pick();
    for (std::size_t i = 1 + below(4); i > 0; --i) change(input);
    return input;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  const std::string& pick() { return seeds_[below(seeds_.size())]; }

  void change(std::string& input) {
    constexpr char kSigns[] = "\0\xFF\"'()[]{}<>;:,.@%&=?!-+ \n0a";
    const std::size_t at = below(input.size() + 1);
    const std::size_t size = below(1 + std::min<std::size_t>(input.size() - at, 20));
    switch (below(6)) {
      case 0:
        input.erase(at, size);
        return;
      case 1:
        input.insert(at, 1, kSigns[below(sizeof kSigns - 1)]);
        return;
      case 2:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        return;
      case 3:
        input.insert(at, input.substr(at, size));
        return;
      case 4: {  // a piece of another seed
        const std::string& other = pick();
        const std::size_t from = below(other.size() + 1);
        input.insert(at, other.substr(from, below(40)));
        return;
      }
      default:
        input.resize(at);
        input += pick().substr(0, below(200));
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_;
};

int replay(std::string_view name, const fs::path& folder, long changes) {
  const auto target = std::find_if(targets().begin(), targets().end(),
                                   [name](const Target& known) { return known.name == name; });
  if (target == targets().end() || !fs::is_directory(folder)) {
    std::fputs("fuzz_replay: no such target or folder\n", stderr);
    return 2;
  }
  const std::vector<std::string> seeds = seeds_in(folder);
  require(!seeds.empty(), "there are seeds");
  const fs::path last = folder / kLast;
  const auto run = [&](const std::string& input) {
    std::ofstream(last, std::ios::binary) << input;
    target->run(input);
  };
  for (const std::string& seed : seeds) run(seed);
  Changer changer(seeds);
  for (long i = 0; i < changes; ++i) run(changer.next());
  fs::remove(last);
  std::printf("%s: %zu seeds, %ld changes\n", std::string(name).c_str(), seeds.size(), changes);
  return 0;
}

}  // namespace
}  // namespace table_storage::fuzz

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: fuzz_replay TARGET FOLDER [CHANGES]\n", stderr);
    return 2;
  }
  return table_storage::fuzz::replay(argv[1], argv[2], argc > 3 ? std::strtol(argv[3], nullptr, 10) : 0);
}
