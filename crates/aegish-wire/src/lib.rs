//! Talks to model providers: one request in, one completion out.
//!
//! Takes a model id and an environment (an [`Endpoint`]), and a [`Request`]; gives a [`Completion`] with the
//! exact body that was sent, or a typed [`Failure`]. Holds no prompt, knows no verdict, reads no global
//! state: environment variables arrive through a function, and time-outs and sizes are bounded.
//!
//! Refuses to follow redirects, to send a key unencrypted beyond the local network, to read more than
//! [`Limits::response_bytes`], and to show a key in an error, in `Debug` output or in a log.
//!
//! [`HttpClient`] is the same transport for servers that are no providers: bundles of rules, collectors of events.
//!
//! Calls block. For concurrency, use one thread per call and one shared [`Client`]; `docs/design/wire.md`
//! says why.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod addresses;
mod batch;
mod client;
mod cloud;
mod completion;
mod endpoint;
mod failure;
mod http_client;
mod provider;
mod proxy;
mod request;
mod retry;
mod secret;
mod transport;
mod wire;

pub use batch::{BatchLimits, BatchRow, BatchState, BatchStatus, RowOutcome};
pub use client::{Client, Limits};
pub use completion::{Completion, Stop, Usage};
pub use endpoint::{Endpoint, EndpointError, EndpointSettings, Env};
pub use failure::{Failure, FailureKind};
pub use http_client::{HttpClient, HttpReply};
pub use provider::{Protocol, Provider, providers};
pub use request::{Effort, Request, Schema};
pub use retry::delay as retry_delay;
pub use transport::TransportOptions;
pub use wire::{Prepared, Template, prepare};
