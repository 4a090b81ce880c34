//! A data set and a system → answers, written down as they come.
//!
//! Takes who is asked about what under which rules; gives a log. Asks many at once, as many as the provider
//! takes, retries what may succeed, and stops cleanly: at the end of the data, of the money, of patience, or
//! when asked to. What is written down is never asked again.

mod budget;
mod crew;
mod estimate;
mod gate;
pub(crate) mod ids;
mod interrupt;
mod measure;
mod opened;
mod progress;
mod repair;
mod revision;
mod session;
mod settings;
mod solve;
mod source;
mod stop;
mod suite;
mod task;

pub use budget::{Budget, Reserved};
pub use crew::{Crew, Elsewhere, Sink, Work};
pub use estimate::{Aloud, Estimate, Volume, estimate};
pub use gate::{Bounds, Gate, Pass, Traffic, Verdict};
pub use interrupt::stop_on_signals;
pub use measure::measure;
pub use opened::{Opened, Outcome};
pub use progress::{Progress, Snapshot};
pub use repair::Repair;
pub use revision::RevisionQuery;
pub use session::{Continue, Session};
pub use settings::Settings;
pub use solve::{Health, Solved, Solver};
pub use source::Finished;
pub use stop::{Over, Reason, Stopper};
pub use suite::{Suite, UnknownSuite};
pub use task::{Task, TaskError};
