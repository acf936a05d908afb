#include "host/background.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace thrum::host {
namespace {

TEST(Background, holds_while_in_scope) {
  if (sched_getscheduler(0) != SCHED_OTHER) GTEST_SKIP() << "this thread runs under a policy of somebody else's choice";
  {
    const Background background;
    EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
  }
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

TEST(Background, leaves_a_policy_that_somebody_chose) {
  const sched_param none{};
  ASSERT_EQ(sched_setscheduler(0, SCHED_BATCH, &none), 0);
  {
    const Background background;
    EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
  }
  EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
  ASSERT_EQ(sched_setscheduler(0, SCHED_OTHER, &none), 0);
}

}  // namespace
}  // namespace thrum::host
