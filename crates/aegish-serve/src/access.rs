//! Who may speak to a server on loopback: whoever knows the token, under the name of this machine.

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use std::net::SocketAddr;
use std::sync::Arc;

/// Paths that tell nothing and change nothing.
const OPEN: [&str; 5] = ["/", "/page.js", "/page.css", "/healthz", "/openapi.json"];
/// The page loads nothing from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The secret of a run.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// If the machine gives no random bytes.
    pub fn random() -> Result<Self, String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| format!("no token can be made: {error}"))?;
        Ok(Self(HEXLOWER.encode(&bytes).into()))
    }

    /// One that was made elsewhere.
    ///
    /// # Errors
    /// If it is too short to be a secret.
    pub fn given(text: &str) -> Result<Self, String> {
        match text.trim() {
            short if short.len() < 32 => Err("a token needs at least 32 characters".to_owned()),
            text => Ok(Self(text.into())),
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares all bytes, so that the time tells nothing about the place of a difference.
    fn is(&self, other: &str) -> bool {
        let (own, other) = (self.0.as_bytes(), other.as_bytes());
        let differences = own.iter().zip(other).fold(0, |all, (one, two)| all | (one ^ two));
        own.len() == other.len() && differences == 0
    }

    fn is_in(&self, headers: &HeaderMap) -> bool {
        let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        value.and_then(|value| value.strip_prefix("Bearer ")).is_some_and(|token| self.is(token))
    }
}

/// Refuses addresses that other machines reach.
///
/// # Errors
/// If it is not on loopback.
pub fn loopback_only(address: SocketAddr) -> Result<(), String> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    Err(format!("{address} is not on loopback; use 127.0.0.1 or ::1"))
}

/// Puts the checks around a router.
pub fn guarded(router: Router, token: Token) -> Router {
    router.layer(from_fn(move |request: Request, next: Next| {
        let token = token.clone();
        async move {
            if !names_this_machine(request.headers()) {
                return refused(StatusCode::FORBIDDEN, "this name is not served");
            }
            let open = OPEN.contains(&request.uri().path());
            if !open && !token.is_in(request.headers()) {
                return refused(StatusCode::UNAUTHORIZED, "the token is missing or wrong");
            }
            let mut response = next.run(request).await;
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
    }))
}

/// A page of another site can send requests here under its own name.
fn names_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else {
        return false;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].contains(&name)
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, axum::Json(serde_json::json!({ "error": why }))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).expect("a header"))])
    }

    #[test]
    fn only_names_of_this_machine_are_served() {
        for host in ["127.0.0.1:80", "localhost", "localhost:4000", "[::1]:1", "[::1]"] {
            assert!(names_this_machine(&headers(header::HOST, host)), "{host}");
        }
        for host in ["example.org", "127.0.0.1.example.org:80", "localhost:80@x", ""] {
            assert!(!names_this_machine(&headers(header::HOST, host)), "{host}");
        }
        assert!(!names_this_machine(&HeaderMap::new()));
    }

    #[test]
    fn a_token_fits_as_a_whole_or_not_at_all() {
        let token = Token::given("0123456789abcdef0123456789abcdef").expect("a token");
        let fits = |value: &str| token.is_in(&headers(header::AUTHORIZATION, value));
        assert!(fits("Bearer 0123456789abcdef0123456789abcdef"));
        assert!(!fits("Bearer 0123456789abcdef0123456789abcde"));
        assert!(!fits("Bearer "));
        assert!(!fits("0123456789abcdef0123456789abcdef"));
        assert!(Token::given("short").is_err());
    }
}
