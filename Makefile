# The commands for users and for continuous integration. Each target installs the missing packages on Debian 12 and
# installs nothing when all are present.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
# One more: several tests mostly wait.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)
# Processor time above which `make test` fails, in minutes for a build from scratch: see CONTRIBUTING.
TEST_BUDGET_MINUTES := 34
# Duration of each target in `make fuzz`, in seconds.
FUZZ_SECONDS ?= 60
# How often `make chaos` tests the laws of plans, each time on other scenarios.
LAW_REPEATS ?= 30
# Duration of the mixed load with faults in `make chaos`, in minutes.
CHAOS_MINUTES ?= 60

.PHONY: help demo slurm-demo test build dist bench chaos accuracy results lint fuzz format clean

help:  ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 17

demo: build  ## build, simulate a week of a cluster on built-in data, print the path of the HTML report
	@build/release/bin/heliostat demo

slurm-demo:  ## build, follow a morning of a real Slurm with fake GPUs in shadow, print the path of its report; needs root
	@tests/slurm/demo.py --check
	@tools/install_packages build slurm
	@cmake --preset release --log-level=NOTICE
	@cmake --build --preset release --parallel $(JOBS) --target heliostat heliostatctld
	@tests/slurm/demo.py build/release

test:  ## build; run every test (those with threads also under the thread sanitizer), the quick linters and the fuzz seeds
	@tools/install_packages build test web slurm
	@tools/budget.py begin build/dev
	@cmake --preset dev --log-level=NOTICE
	@tools/budget.py run build/dev build -- cmake --build --preset dev --parallel $(JOBS)
	@tools/budget.py run build/dev tests -- ctest --preset dev --parallel $(TEST_JOBS) --exclude-regex '^tidy$$' \
	  --output-junit tests.xml
	@cmake --preset tsan --log-level=NOTICE
	@tools/budget.py run build/dev 'thread build' -- cmake --build --preset tsan --parallel $(JOBS)
	@tools/budget.py run build/dev 'thread tests' -- ctest --preset tsan --parallel $(TEST_JOBS)
	@tools/budget.py check build/dev $(TEST_BUDGET_MINUTES)

build:  ## make the release build: build/release/bin/heliostat and heliostatd
	@tools/install_packages build
	@cmake --preset release --log-level=NOTICE
	@cmake --build --preset release --parallel $(JOBS)

dist:  ## make a tarball that runs on x86-64 Linux with glibc 2.36 or newer
	@tools/install_packages build
	@cmake --preset dist --log-level=NOTICE
	@cmake --build --preset dist --parallel $(JOBS)
	@tools/make_dist build/dist

bench:  ## run the benchmarks and their peers
	@tools/install_packages build bench
	@cmake --preset bench --log-level=NOTICE
	@cmake --build --preset bench --parallel $(JOBS)
	@tools/run_benchmarks

chaos:  ## test laws of plans on 60,000 random scenarios; follow short mornings of a Slurm; kill agent, lease holders and runs 1,500 times, controller and Slurm 110 times; load the agent with faults for CHAOS_MINUTES (60)
	@tools/install_packages build test slurm
	@cmake --preset dev --log-level=NOTICE
	@cmake --build --preset dev --parallel $(JOBS) --target heliostat heliostatd heliostatctld nvml-double nvidia-ml-double \
	  lab_clock heliostat_decomposition_test heliostat_planner_test heliostat_sim_test
	@for layer in decomposition planner sim; do \
	  build/dev/bin/heliostat_$${layer}_test --gtest_filter='Tiny*' --gtest_shuffle --gtest_random_seed=1 \
	    --gtest_repeat=$(LAW_REPEATS) --gtest_brief=1; \
	done
	@cmake --preset bench --log-level=NOTICE
	@cmake --build --preset bench --parallel $(JOBS) --target heliostat heliostatd heliostatctld nvml-double nvidia-ml-double \
	  stand-in-train
	@python3 tests/slurm/demo_test.py build/bench --whole
	@python3 tests/agent/kill_test.py build/dev --kills 1000
	@python3 tests/agent/run_kill_test.py build/dev --rounds 500 --at-once 20
	@python3 tests/slurm/restart_test.py build/dev --drills 110 --seed $$RANDOM
	@python3 tests/slurm/shadow_test.py build/dev --yardstick
	@python3 tests/agent/trouble_test.py build/bench --leases 4000 ManyLeases
	@python3 tests/agent/soak_test.py build/bench --check-growth --minutes $(CHAOS_MINUTES)

accuracy: build  ## print tables of forecast errors on the public traces
	@python3 benchmarks/forecast_accuracy.py

results: build  ## simulate the studies of docs/results again, on real grids when HELIOSTAT_DATA names their folder
	@mkdir -p build/results
	@build/release/bin/heliostat reproduce all --journal build/results/journal.jsonl --report docs/results
	@build/release/bin/heliostat reproduce chase --report docs/results

lint:  ## check format, static analysis, layers, sizes, spelling, shell scripts
	@tools/install_packages build test
	@cmake --preset dev --log-level=NOTICE
	@ctest --preset dev --label-regex '^lint$$'

fuzz:  ## run each fuzz target for FUZZ_SECONDS (60)
	@tools/install_packages build test
	@cmake --preset fuzz --log-level=NOTICE
	@cmake --build --preset fuzz --target all_fuzzers --parallel $(JOBS)
	@tools/run_fuzzers $(FUZZ_SECONDS)

format:  ## rewrite the C++ sources in the project's format
	@tools/install_packages test
	@tools/source_files.py cpp | tr '\n' '\0' | xargs -0 clang-format-14 -i

clean:  ## remove everything that was built
	@rm -rf build
