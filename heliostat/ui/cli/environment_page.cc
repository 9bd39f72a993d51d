#include "heliostat/ui/cli/environment_page.h"

#include "heliostat/ui/user_config/config.h"

namespace heliostat::cli {
namespace {

HelpGroup ExitStatuses() {
  return {"Exit status",
          {{"0", "", "Success"},
           {"1", "",
            "Failure that is not the user's: network, disk, driver, agent; a problem found by doctor or cluster check, "
            "a replay that "
            "differs"},
           {"2", "", "Bad usage or bad input; nothing is written"},
           {"3", "", "The input is valid, but nothing feasible exists"},
           {"other", "",
            "Only of heliostat run: the status of its program; 126 or 127 if it cannot be started, and 128 "
            "plus the number of the signal, by which heliostat ends too, if a signal ended it"}}};
}

HelpGroup Shared() {
  HelpGroup group{"Values that commands share; heliostat config sets them too", {}};
  for (const user_config::KeyFacts& facts : user_config::Keys()) {
    std::string about(facts.about);
    about.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(about.front())));
    group.options.push_back({facts.variable, "", std::move(about), "", std::string(facts.fallback)});
  }
  return group;
}

HelpGroup Places() {
  return {
      "Places of files",
      {{"HELIOSTAT_CONFIG", "", "The user's configuration file", "", "~/.config/heliostat/config.toml"},
       {"HELIOSTAT_STORE", "", "Store of fetched signals", "", "~/.cache/heliostat/signals.db"},
       {"HELIOSTAT_PROFILES", "", "Folder of profiles that runs have learned", "", "~/.cache/heliostat/profiles"},
       {"HELIOSTAT_STATE", "", "Folder of leases without an agent", "",
        "~/.local/state/heliostat; of root, /var/lib/heliostat"},
       {"HELIOSTAT_FAKE_GPUS", "", "Folder of made-up GPUs and their leases", "", "~/.local/state/heliostat/fake-gpus"},
       {"HELIOSTAT_DATA", "", "Folder of public traces for heliostat reproduce"},
       {"XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME, XDG_STATE_HOME", "",
        "Folders instead of ~/.config, ~/.cache, ~/.local/share and ~/.local/state; only absolute paths count"},
       {"HOME", "", "The folder ~"},
       {"TMPDIR", "", "Folder of the step file where /dev/shm cannot be written", "", "/tmp"}}};
}

HelpGroup Machine() {
  return {"GPUs, agent and runs",
          {{"HELIOSTAT_NVML", "", "Library with the interface of NVML", "", "libnvidia-ml.so.1"},
           {"HELIOSTAT_POWERCAP", "", "Folder of the processors' energy counters (RAPL)", "", "/sys/class/powercap"},
           {"HELIOSTAT_AGENT", "", "Socket of the agent", "", "/run/heliostat/agent.sock"},
           {"HELIOSTAT_CONTROLLER", "", "Socket (a path with '/') or [USER@]HOST[:PORT] of heliostatctld", "",
            "/run/heliostatctld/controller.sock"},
           {"HELIOSTAT_MUNGE_SOCKET", "", "Socket of munged, to ask heliostatctld on another host", "",
            "the one that is built into MUNGE"},
           {"HELIOSTAT_STEPS", "", "Step file; heliostat run sets it for its program"},
           {"CUDA_VISIBLE_DEVICES", "", "GPUs of heliostat run without --gpu", "", "all"},
           {"RANK, LOCAL_RANK, SLURM_PROCID, OMPI_COMM_WORLD_RANK", "",
            "Rank of a training process; only rank 0 reports steps"},
           {"NOTIFY_SOCKET, WATCHDOG_USEC, LISTEN_PID, LISTEN_FDS", "",
            "Set by systemd for heliostatd and heliostatctld"}}};
}

HelpGroup Providers() {
  return {
      "Providers of signals; VARIABLE_FILE names a file that holds the key instead",
      {{"HELIOSTAT_ELECTRICITYMAPS_TOKEN", "", "Key of electricity-maps"},
       {"HELIOSTAT_WATTTIME_USER, HELIOSTAT_WATTTIME_PASSWORD", "", "Account of watttime"},
       {"HELIOSTAT_ENTSOE_TOKEN", "", "Key of entsoe"},
       {"HELIOSTAT_EIA_KEY", "", "Key of eia"},
       {"HELIOSTAT_ELECTRICITYMAPS_BASIS, HELIOSTAT_EIA_BASIS", "", "lifecycle or direct emissions", "", "lifecycle"},
       {"HELIOSTAT_<NAME>_URL", "", "Another address of a provider: its name in capitals without hyphens"},
       {"http_proxy, https_proxy, no_proxy", "", "As for curl"}}};
}

HelpGroup Terminal() {
  return {"Terminal",
          {{"LC_ALL, LC_CTYPE, LANG", "", "The first that is set decides whether output may use UTF-8 characters"},
           {"COLUMNS", "", "Width of help and output", "", "that of the terminal"},
           {"TZ", "", "The machine's time zone", "", "that of /etc/localtime"}}};
}

}  // namespace

HelpPage EnvironmentPage() {
  HelpPage page{.about =
                    "Exit statuses and environment variables of heliostat and heliostatd. An empty variable counts as "
                    "not set."};
  page.groups = {ExitStatuses(), Shared(), Places(), Machine(), Providers(), Terminal()};
  return page;
}

}  // namespace heliostat::cli
