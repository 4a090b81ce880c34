//! Redis and Valkey: an address with login and certificates → commands and their replies, within time limits.
//!
//! The client crate speaks the protocol. Here are addresses that never show their password, servers that Sentinels know,
//! TLS with certificates of one's own, and errors told apart: not there, refused, lost. It does not know what is stored.

mod address;
mod server;

pub use address::{Address, BadAddress, Certificates};
pub use redis::{FromRedisValue, Value, from_redis_value};
pub use server::{RedisServer, ServerError, Timeouts};
