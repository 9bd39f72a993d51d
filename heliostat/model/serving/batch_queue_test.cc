#include "heliostat/model/serving/batch_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/model/serving/poisson.h"

namespace heliostat::serving {
namespace {

TEST(WaitingInQueueTest, IsWhatItBecomesAfterOneService) {
  for (const std::int64_t servers : {1, 2, 7, 40, 800}) {
    for (const double rho : {0.05, 0.5, 0.8, 0.95}) {
      const auto now = WaitingInQueue(servers, rho, 1e-9);
      const double mean = rho * static_cast<double>(servers);
      // The next number waiting, with A new arrivals: max(0, L + A - servers).
      for (std::size_t m = 0; m < std::min<std::size_t>(now.size(), 60); ++m) {
        double after = 0;
        double here = 0;
        for (std::size_t l = 0; l < now.size(); ++l) {
          const auto come = servers + static_cast<std::int64_t>(m) - static_cast<std::int64_t>(l);
          after += now[l] * PoissonUpTo(come, 1, mean)[0];
        }
        for (std::size_t l = 0; l <= m; ++l) here += now[l];
        ASSERT_NEAR(here, after, 2e-6) << servers << " servers at " << rho << ", " << m << " waiting";
      }
    }
  }
}

TEST(WaitPercentileTest, IsErlangsForOneServer) {
  // M/D/1: P(W <= t) = (1 - rho) e^(rho t) for t below one service.
  for (const double rho : {0.1, 0.3, 0.6}) {
    for (const double wait : {0.05, 0.4, 0.95}) {
      const double percentile = (1 - rho) * std::exp(rho * wait);
      EXPECT_NEAR(WaitPercentile({1, 1, rho}, percentile), wait, 5e-4) << rho;
    }
    EXPECT_EQ(WaitPercentile({1, 1, rho}, 0.99 * (1 - rho)), 0.0) << "this share meets no queue";
  }
}

TEST(WaitPercentileTest, IsTheFormingWaitWhereQueuesAreRare) {
  for (const int batch : {2, 8, 32}) {
    const BatchQueue queue{batch, 400, 0.5};
    const double forming = FormingPercentile(batch, 0.99) / queue.requests_per_service();
    EXPECT_LT(QueueingShareBound(queue, forming), 1e-12);
    EXPECT_NEAR(WaitPercentile(queue, 0.99), forming, 2e-4);
  }
}

TEST(WaitPercentileTest, StaysBelowLundbergsBoundAndMeetsItUnderHeavyLoad) {
  for (const int batch : {1, 4, 32}) {
    for (const int replicas : {1, 3, 24}) {
      for (const double percentile : {0.9, 0.999}) {
        for (const double rho : {0.2, 0.6, 0.9}) {
          const BatchQueue queue{batch, replicas, rho};
          EXPECT_LE(WaitPercentile(queue, percentile), WaitBound(queue, percentile) + 2e-4);
        }
        const BatchQueue busy{batch, replicas, 0.97};
        EXPECT_GE(1.05 * (1 + WaitPercentile(busy, percentile)), 1 + WaitBound(busy, percentile))
            << batch << " x " << replicas << " at " << percentile;
      }
    }
  }
}

TEST(QueueingShareBoundTest, IsNeverBelowTheShareOfThoseThatFindAllGpusBusy) {
  for (const int replicas : {1, 4, 30}) {
    for (const double rho : {0.01, 0.3, 0.7, 0.9}) {
      const BatchQueue queue{1, replicas, rho};
      const auto waiting = WaitingInQueue(replicas, rho, 1e-9);
      double free = 0;
      for (std::size_t l = 0; l < waiting.size(); ++l) {
        const auto others = replicas - 1 - static_cast<std::int64_t>(l);
        free += waiting[l] * PoissonUpTo(others, 1, queue.requests_per_service())[0];
      }
      EXPECT_GE(QueueingShareBound(queue, 0.0), 1 - free - 1e-6) << replicas << " at " << rho;
    }
  }
}

TEST(FormingPercentileTest, OfPairsIsHalfAnExponential) {
  // Half of the requests complete a pair; the others wait for one arrival.
  EXPECT_NEAR(FormingPercentile(2, 0.99), std::log(50.0), 1e-5);
  EXPECT_EQ(FormingPercentile(2, 0.4), 0.0);
  EXPECT_EQ(FormingPercentile(1, 0.999), 0.0);
}

}  // namespace
}  // namespace heliostat::serving
