//! Time that does not depend on what else the machine does.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Returns how long this thread has run on a processor.
#[must_use]
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}
