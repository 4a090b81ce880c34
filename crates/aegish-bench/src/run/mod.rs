//! A data set and a system → answers in a log.
//!
//! Takes a system, a data set and settings; writes a log. Sends as many concurrent requests as the provider
//! accepts, retries temporary faults, and stops cleanly: at the end of the data, at the cost limit, after too
//! many errors, or on a signal. A sample that is in the log is never asked again.

mod batch;
mod budget;
mod dataset_source;
mod estimate;
pub(crate) mod ids;
mod interrupt;
mod limiter;
mod measure;
mod open_task;
mod pool;
mod progress;
mod repair;
mod resume;
mod revision;
mod session;
mod settings;
mod solve;
mod stop;
mod suite;
mod task;
mod under_way;

pub use budget::{Budget, Reserved};
pub use dataset_source::Finished;
pub use estimate::{Estimate, Volume, estimate};
pub use interrupt::stop_on_signals;
pub use limiter::{ConcurrencyBounds, Limiter, LimiterStatus, RequestOutcome, Slot};
pub use measure::measure;
pub use open_task::{OpenTask, TaskOutcome};
pub use pool::{Pool, RemoteSolver, SampleSource, Sink};
pub use progress::{Progress, Snapshot};
pub use repair::Repair;
pub use revision::RevisionQuery;
pub use session::{Opened, Resume, RunSession};
pub use settings::RunSettings;
pub use solve::{FaultCounts, Solved, Solver};
pub use stop::{StopReason, Stopped, Stopper};
pub use suite::{Suite, UnknownSuite};
pub use task::{Task, TaskError};
