#include "heliostat/node/agent/worker.h"

#include <utility>

#include "heliostat/node/agent/worker_tasks.h"

namespace heliostat::agent {

SteadyTime SteadyClockNow() { return std::chrono::steady_clock::now().time_since_epoch(); }

// State shared between the thread and the callers.
struct Worker::Shared {
  Shared(std::unique_ptr<device::Gpu> gpu, std::string journal, WorkerContext all)
      : context(std::move(all)), tasks(std::move(gpu), std::move(journal), context) {}

  void Loop();
  // The next command; absent when a sample is due or the thread should end.
  std::optional<WorkerCommand> Next(bool& is_over);
  // Runs `work`, and marks the thread as busy meanwhile.
  template <typename F>
  void Watched(const F& work) {
    busy_since = context.now().count() + 1;  // 0 is "idle"
    work();
    busy_since = 0;
  }
  void Publish() {
    auto made = std::make_shared<const GpuSnapshot>(tasks.Describe());
    const std::lock_guard hold(mutex);
    snapshot = std::move(made);
  }

  const WorkerContext context;
  WorkerTasks tasks;  // used by the thread only
  std::atomic<std::int64_t> busy_since{0};

  mutable std::mutex mutex;
  std::condition_variable wake;
  std::deque<WorkerCommand> queue;
  bool is_tick_wanted = false;
  bool is_finishing = false;
  std::shared_ptr<const GpuSnapshot> snapshot;
  std::chrono::steady_clock::time_point next_sample;  // used by the thread only
};

std::optional<WorkerCommand> Worker::Shared::Next(bool& is_over) {
  std::unique_lock hold(mutex);
  wake.wait_until(hold, next_sample, [this] { return !queue.empty() || is_tick_wanted || is_finishing; });
  is_over = is_finishing && queue.empty();
  if (queue.empty()) return std::nullopt;
  WorkerCommand next = std::move(queue.front());
  queue.pop_front();
  return next;
}

void Worker::Shared::Loop() {
  Watched([this] {
    tasks.Open();
    tasks.Sample();
    Publish();
    context.post({});  // ticket 0 belongs to no command: reports that the journal is read
  });
  next_sample = std::chrono::steady_clock::now() + context.sample;
  while (true) {
    bool is_over = false;
    auto command = Next(is_over);
    if (is_over) return;
    if (command) {
      Watched([&] {
        Done done = tasks.Do(std::move(*command));
        // Published before the answer, so that the client's next read agrees with it.
        Publish();
        context.post(std::move(done));
      });
    }
    bool is_due = std::chrono::steady_clock::now() >= next_sample;
    {
      const std::lock_guard hold(mutex);
      is_due = (std::exchange(is_tick_wanted, false) || is_due) && !is_finishing;
    }
    if (!is_due) continue;
    Watched([this] {
      tasks.Sample();
      Publish();
    });
    next_sample = std::chrono::steady_clock::now() + context.sample;
  }
}

Worker::Worker(std::unique_ptr<device::Gpu> gpu, std::string journal, WorkerContext context)
    : identity_(gpu->identity()),
      shared_(std::make_shared<Shared>(std::move(gpu), std::move(journal), std::move(context))) {
  shared_->Publish();
  // Busy from the start, so that hanging while the journal is read is noticed too.
  shared_->busy_since = shared_->context.now().count() + 1;
  thread_ = std::thread([shared = shared_] { shared->Loop(); });
}

Worker::~Worker() {
  if (!thread_.joinable()) return;
  Finish();
  thread_.join();
}

std::shared_ptr<const GpuSnapshot> Worker::snapshot() const {
  const std::lock_guard hold(shared_->mutex);
  return shared_->snapshot;
}

std::optional<SteadyTime> Worker::busy_since() const {
  const std::int64_t since = shared_->busy_since;
  return since == 0 ? std::nullopt : std::optional(SteadyTime(since - 1));
}

bool Worker::Submit(WorkerCommand command) {
  {
    const std::lock_guard hold(shared_->mutex);
    // PutBack is accepted even when the queue is full.
    if (shared_->queue.size() >= kMostQueued && !std::holds_alternative<PutBack>(command.work)) return false;
    shared_->queue.push_back(std::move(command));
  }
  shared_->wake.notify_one();
  return true;
}

std::vector<std::uint64_t> Worker::TakeBackQueued() {
  std::vector<std::uint64_t> tickets;
  const std::lock_guard hold(shared_->mutex);
  std::erase_if(shared_->queue, [&](const WorkerCommand& command) {
    const bool gives = std::holds_alternative<Take>(command.work) || std::holds_alternative<Renew>(command.work);
    if (gives) tickets.push_back(command.ticket);
    return gives;
  });
  return tickets;
}

void Worker::RequestTick() {
  {
    const std::lock_guard hold(shared_->mutex);
    shared_->is_tick_wanted = true;
  }
  shared_->wake.notify_one();
}

void Worker::Finish() {
  {
    const std::lock_guard hold(shared_->mutex);
    shared_->is_finishing = true;
  }
  shared_->wake.notify_one();
}

void Worker::Abandon() {
  Finish();
  if (thread_.joinable()) thread_.detach();
}

}  // namespace heliostat::agent
