// The peer for the speed of simulations: a minimal SimGrid program with the host_energy plugin for the same work. First
// come, first served; one host per GPU; one activity per job, on as many hosts as the job has GPUs. Reads lines
// "submit_s length_s gpus" from stdin, prints the seconds from the first event to the last and the energy in joules.
#include <simgrid/plugins/energy.h>
#include <simgrid/s4u.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

struct Job {
  double submit_s;
  double length_s;
  int gpus;
};

// Starts jobs in order when hosts become free. Waits for the ends of jobs one at a time, the first to end first.
void Schedule(const std::vector<Job>& jobs, std::vector<sg4::Host*> free) {
  struct Running {
    sg4::ExecPtr exec;
    std::vector<sg4::Host*> hosts;
  };
  std::vector<Running> running;
  std::vector<sg4::ExecPtr> pending;
  const auto end_one = [&](double timeout) {
    std::vector<sg4::ExecPtr> execs;
    execs.reserve(running.size());
    for (const Running& r : running) execs.push_back(r.exec);
    const auto done = sg4::Exec::wait_any_for(execs, timeout);
    if (done < 0) return false;
    Running& ended = running[static_cast<std::size_t>(done)];
    free.insert(free.end(), ended.hosts.begin(), ended.hosts.end());
    running[static_cast<std::size_t>(done)] = running.back();
    running.pop_back();
    return true;
  };
  for (const Job& job : jobs) {
    while (sg4::Engine::get_clock() < job.submit_s) {
      if (running.empty()) {
        sg4::this_actor::sleep_until(job.submit_s);
      } else if (!end_one(job.submit_s - sg4::Engine::get_clock())) {
        break;
      }
    }
    while (static_cast<int>(free.size()) < job.gpus) end_one(-1.0);
    std::vector<sg4::Host*> hosts(free.end() - job.gpus, free.end());
    free.resize(free.size() - static_cast<std::size_t>(job.gpus));
    // One activity represents all GPUs of a job, which favours SimGrid.
    auto exec = sg4::this_actor::exec_async(job.length_s * 1e9);
    exec->set_host(hosts.front());
    running.push_back({exec, hosts});
  }
  while (!running.empty()) end_one(-1.0);
}

}  // namespace

int main(int argc, char** argv) {
  sg_host_energy_plugin_init();
  sg4::Engine engine(&argc, argv);
  const int gpus = argc > 1 ? std::atoi(argv[1]) : 256;
  std::vector<Job> jobs;
  Job job{};
  while (std::cin >> job.submit_s >> job.length_s >> job.gpus) jobs.push_back(job);
  auto* zone = sg4::create_full_zone("cluster");
  std::vector<sg4::Host*> hosts;
  for (int i = 0; i < gpus; ++i) {
    auto* host = zone->create_host("gpu-" + std::to_string(i), 1e9);
    host->set_property("wattage_per_state", "30:40:300");
    host->seal();
    hosts.push_back(host);
  }
  zone->seal();
  sg4::Actor::create("scheduler", hosts.front(), [&] { Schedule(jobs, hosts); });
  const auto begun = std::chrono::steady_clock::now();
  engine.run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  double joules = 0.0;
  for (auto* host : hosts) joules += sg_host_get_consumed_energy(host);
  std::printf("%f %g\n", seconds, joules);
  return 0;
}
