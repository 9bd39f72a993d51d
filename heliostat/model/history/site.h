#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/model/history/record.h"
#include "heliostat/model/scenario/scenario.h"
#include "heliostat/model/workload/catalogue.h"
#include "heliostat/model/workload/to_scenario.h"

namespace heliostat::history {

// What the user says about the site of a record.
struct SiteOptions {
  // The GPU for a type of the dump, where its name does not tell; by an empty type, for jobs whose type is not told.
  std::map<std::string, std::string> gpu_types{};
  // The groups of nodes. Empty: those that the record shows.
  std::vector<workload::Hardware> hardware{};
};

// The nodes on which the jobs of a record ran.
struct Site {
  std::vector<workload::Hardware> hardware;  // [group]
  std::vector<std::string> gpus;             // [job]: the kind of its GPUs
  std::vector<scenario::Recorded> recorded;  // [job]: its runs, with group and nodes where they are known
  std::vector<std::string> notes{};          // what was assumed, one sentence each
};

// Finds the nodes of a record: those that it names, with the most GPUs that were in use on one of them at a time, and
// at least as many as other nodes with the same name but for its numbers. A node that ran nothing is not there. Without
// names, as many nodes as the GPUs in use at a time need. With `options.hardware`, these groups; the named nodes are
// some of theirs if they fit. Fails for a GPU type that the catalogue does not have, and for more GPUs in use at a time
// than the given groups have.
Result<Site> SiteOf(const Record& record, const SiteOptions& options, const workload::Catalogue& catalogue,
                    const std::string& where);

// The GPU of the catalogue that a type of a dump means: "A100" for "a100", "nvidia_a100_80gb_pcie" or "tesla-a100".
// Nothing for others, such as a part of a GPU (MIG).
std::optional<std::string> GpuOfType(const std::string& type, const workload::Catalogue& catalogue);

}  // namespace heliostat::history
