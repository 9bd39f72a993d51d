/* Reports the progress of a training program to `heliostat run`: call heliostat_step(samples) after each step. C99 or
 * C++ with GCC or Clang, no dependencies. Does nothing without Heliostat (HELIOSTAT_STEPS is empty or not set). Of
 * several processes only rank 0 reports; without ranks, the first that calls it. Used from one thread. After fork() the
 * child's steps are not counted. */
#ifndef HELIOSTAT_STEP_H
#define HELIOSTAT_STEP_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { HELIOSTAT_TRAIN = 0, HELIOSTAT_EVALUATE = 1, HELIOSTAT_IDLE = 2 };

/* The words of heliostat/node/training_progress/step_layout.h. */
typedef struct {
  uint64_t magic, version, steps, samples, phase, last_ns, pid, spare;
} heliostat_steps_;

static inline int heliostat_is_other_rank_(void) {
  static const char* const names[] = {"RANK", "LOCAL_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"};
  unsigned i;
  for (i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    const char* rank = getenv(names[i]);
    if (rank && *rank) return atoi(rank) != 0;
  }
  return 0;
}

/* The shared words, or NULL when Heliostat does not listen or another process reports. Opened once. */
static inline heliostat_steps_* heliostat_open_(void) {
  static heliostat_steps_* words = 0;
  static int is_tried = 0;
  const char* path;
  void* memory;
  uint64_t other;
  int fd;
  if (is_tried) return words;
  is_tried = 1;
  path = getenv("HELIOSTAT_STEPS");
  if (!path || !*path || heliostat_is_other_rank_()) return 0;
  fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return 0;
  memory = mmap(0, sizeof(heliostat_steps_), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) return 0;
  words = (heliostat_steps_*)memory;
  other = words->pid;
  if (words->magic != UINT64_C(0x504554534f494c48) || words->version != 1 ||
      (other != 0 && other != (uint64_t)getpid() && (kill((pid_t)other, 0) == 0 || errno != ESRCH))) {
    munmap(memory, sizeof(heliostat_steps_));
    words = 0;
    return 0;
  }
  __atomic_store_n(&words->pid, (uint64_t)getpid(), __ATOMIC_SEQ_CST);
  return words;
}

/* Reports one training step. `samples` is its number of samples, 0 when unknown. */
static inline void heliostat_step(uint64_t samples) {
  struct timespec now;
  heliostat_steps_* words = heliostat_open_();
  if (!words || words->pid != (uint64_t)getpid()) return;
  clock_gettime(CLOCK_MONOTONIC, &now);
  __atomic_store_n(&words->samples, words->samples + samples, __ATOMIC_RELAXED);
  __atomic_store_n(&words->last_ns, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, __ATOMIC_RELAXED);
  __atomic_store_n(&words->steps, words->steps + 1, __ATOMIC_RELEASE);
}

/* Sets the phase from now on: HELIOSTAT_TRAIN, HELIOSTAT_EVALUATE or HELIOSTAT_IDLE. */
static inline void heliostat_phase(int phase) {
  heliostat_steps_* words = heliostat_open_();
  if (words) __atomic_store_n(&words->phase, (uint64_t)phase, __ATOMIC_RELAXED);
}

#endif
