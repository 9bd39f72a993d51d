#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/control/cluster/cluster.h"
#include "heliostat/control/cluster_account/accounts.h"
#include "heliostat/control/controller/node_groups.h"
#include "heliostat/control/controller/report.h"
#include "heliostat/control/controller/shadow.h"
#include "heliostat/control/controller/signal_outlook.h"
#include "heliostat/control/controller/slot_costs.h"
#include "heliostat/control/controller/state_store.h"
#include "heliostat/forecasting/job_length/length_model.h"

namespace heliostat::controller {

// Follows a cluster: looks at it, accounts its electricity, and in shadow mode decides for it on a twin. Changes
// nothing in the cluster. Cycle() must be called from one thread; functions that say so may be called from any.
class Controller {
 public:
  // Opens the signals of accounts that began at `begun`.
  using OpenSignals = std::function<Result<Signals>(Instant begun)>;
  // All of these outlive the controller.
  struct Parts {
    cluster::Cluster& cluster;
    const Clock& clock;
    StateStore& store;
  };

  // Goes on with what the store holds.
  static Result<std::unique_ptr<Controller>> Make(Config config, Parts parts, const OpenSignals& open_signals);

  // Looks at the cluster once, and publishes a report. Trouble is in the report; nothing is lost by it.
  void Cycle();
  // Writes the state to the store; Cycle() does so each minute, and after SaveSoon().
  Status Save();
  void SaveSoon() { saved_.reset(); }

  const Config& config() const { return config_; }
  // The newest report, never null. From any thread.
  std::shared_ptr<const Report> report() const;
  // Takes effect at the next cycle. From any thread.
  void RequestMode(Mode mode);

 private:
  // A job that has not ended, or whose accounts are not complete.
  struct KnownJob {
    SharedValue<cluster::ClusterJob> job;
    SharedValue<JobTerms> terms{};
    std::optional<job_length::Prediction> length{};  // as first predicted
    bool is_learned = false;                         // its end is in the length model
    Instant shown{};                                 // the last look at which the queue had it
    Duration counted{};                              // of its run time, what the accounts have
    std::optional<Instant> counted_start{};          // the start of the run that `counted` is of
    std::optional<Instant> missing_since{};          // the last look that showed it, of a job that is gone
    bool is_guess = false;                           // it left the queue without a trace: its end is not known
  };

  Controller(Config config, Parts parts, Instant begun, Signals signals);
  Status Restore(const io::Json& kept);
  Status RestoreShadow();
  io::Json KeepNodes() const;
  io::Json KeepJobs(std::size_t share) const;
  Status RestoreNodes();
  Status RestoreJobs(std::size_t share);

  bool LearnFacts();
  void ChangeMode();
  void Follow(cluster::ClusterSnapshot snapshot);
  void TellOfUnknownPartitions(const cluster::ClusterSnapshot& snapshot);
  void LearnPast(Instant now);
  void LearnFrom(const std::vector<cluster::ClusterJob>& past);
  // The jobs that ended and are not in the snapshot, as far as the cluster has accounts of them.
  std::vector<cluster::ClusterJob> EndedUnseen(const cluster::ClusterSnapshot& snapshot);
  void EndRequeued(const cluster::ClusterSnapshot& snapshot, std::set<cluster::JobKey>& missing);
  std::vector<cluster::ClusterJob> AskOwed(Instant now);
  bool IsNew(const cluster::ClusterJob& job);
  void TellReturned(const cluster::ClusterJob& job, const std::string& end);
  // Takes the jobs out of the snapshot.
  void TakeJobs(cluster::ClusterSnapshot& snapshot, std::vector<cluster::ClusterJob> unseen);
  void Account(const cluster::ClusterSnapshot& snapshot);
  void StepShadow(const cluster::ClusterSnapshot& snapshot, const std::vector<cluster_account::NodeSpan>& nodes,
                  const std::vector<cluster_account::JobSpan>& spans);
  void LookAhead();
  // The past, in controller_history.cc.
  void Remember(Instant now);
  int RunningGpus() const;
  std::optional<MovedJob> MoveOf(const KnownJob& known, const TwinJob& twin) const;
  Duration LateOf(const KnownJob& known, const TwinJob& twin) const;
  void CountEnded(const JobReport& report);
  void ReportPast(Report& report) const;
  io::Json KeepPast() const;
  Status RestorePast(const io::Json& kept);
  void LearnEnds();
  void ArchiveEnded();
  void Publish(Seconds cycle);
  void ReportJobs(Report& report) const;
  void ReportNodes(Report& report) const;
  // How the jobs have run since they were last asked for.
  std::vector<cluster_account::JobSpan> TakeRuns(const cluster::ClusterSnapshot& snapshot);
  std::vector<cluster_account::NodeSpan> NodesUntil(const cluster::ClusterSnapshot& snapshot,
                                                    const std::vector<cluster_account::JobSpan>& runs) const;
  job_length::Prediction LengthOf(const cluster::ClusterJob& job);
  void Tell(std::string problem);
  void TellOfSilence(const Error& error);

  Config config_;
  Parts parts_;
  Mode mode_;
  Instant begun_;
  std::optional<Currency> currency_;
  SignalOutlook outlook_;
  NodeGroups groups_;
  job_length::LengthModel lengths_;
  Instant learned_until_;  // ends of jobs before it are in the length model
  bool has_learned_past_ = false;
  Instant ask_past_;  // not before
  std::string past_problem_;
  std::optional<Instant> owed_from_;  // the cluster may have accounts since then of jobs that are not known
  Instant owed_until_;                // it may be behind so long
  Instant ask_owed_;                  // not before
  std::string owed_problem_;

  std::optional<cluster::ClusterFacts> facts_;
  cluster::ClusterSnapshot snapshot_;    // the last one, without its jobs
  std::optional<Instant> looked_;        // its time, or that before a restart
  std::map<std::string, bool> was_off_;  // nodes, at the last look
  std::map<cluster::JobKey, KnownJob> jobs_;
  std::optional<cluster_account::Accounts> accounts_;
  std::map<std::string, Joules> of_nodes_;
  std::unique_ptr<Shadow> shadow_;
  bool has_kept_shadow_ = false;  // the store has it from before a restart, and it does not go on yet
  SlotCosts costs_;
  std::vector<SlotReport> ahead_;
  std::optional<Instant> costs_slot_;
  std::vector<StateChange::Job> archived_;  // not yet saved
  SlotHistory history_;
  std::vector<PastSlot> slots_;  // not yet saved
  // Of the jobs that have been archived.
  std::map<std::string, UserReport> ended_users_;
  std::size_t jobs_moved_ = 0;
  std::size_t jobs_late_ = 0;
  std::optional<Clock::Time> saved_;
  Instant saved_look_;                 // the last look that is saved
  std::vector<std::string> problems_;  // of this cycle
  std::set<std::string> told_;         // problems that the log has
  bool is_silent_ = false;             // the cluster did not answer, and the log has it

  mutable std::mutex mutex_;
  std::shared_ptr<const Report> report_;
  std::optional<Mode> wanted_mode_;
};

}  // namespace heliostat::controller
