//! Access tokens of Google Cloud, from the file that `GOOGLE_APPLICATION_CREDENTIALS` names.
//!
//! A service account signs a claim with its private key (RS256) and gets a token for it; a person's own
//! credentials (`gcloud auth application-default login`) get one for their refresh token. Tokens are kept by the
//! client until a minute before they expire.

use std::collections::HashMap;
use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use data_encoding::BASE64URL_NOPAD;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use serde::Deserialize;
use serde_json::json;

use super::encode;
use crate::endpoint::{EndpointError, Env, is_private, non_blank};
use crate::failure::{Failure, FailureKind};
use crate::transport::{Call, Payload, ReplyKind, Transport};
use crate::wire::{Explained, explain};

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URI: &str = "https://oauth2.googleapis.com/token";
/// How long a claim is good for; the longest that Google accepts.
const CLAIM_SECONDS: u64 = 3600;
/// A token is renewed this long before it expires.
const EARLY: Duration = Duration::from_secs(60);
const VARIABLE: &str = "GOOGLE_APPLICATION_CREDENTIALS";

pub(super) fn location(env: Env<'_>) -> String {
    non_blank(env("GOOGLE_CLOUD_LOCATION")).unwrap_or_else(|| "global".to_owned())
}

/// The account in a file of credentials.
pub(crate) struct GoogleAccount {
    token_uri: String,
    login: Login,
}

enum Login {
    Service { email: String, key: RsaKeyPair },
    Person { client_id: String, client_secret: String, refresh_token: String },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum File {
    ServiceAccount {
        client_email: String,
        private_key: String,
        token_uri: Option<String>,
    },
    AuthorizedUser {
        client_id: String,
        client_secret: String,
        refresh_token: String,
        token_uri: Option<String>,
    },
    #[serde(other)]
    Other,
}

impl GoogleAccount {
    /// Reads a file of credentials.
    pub(super) fn read(path: &str) -> Result<Self, EndpointError> {
        let bad = |why| EndpointError::BadKey { variable: VARIABLE.to_owned(), why };
        let text = fs::read_to_string(path).map_err(|_| bad("is in a file that cannot be read"))?;
        Self::parse(&text).map_err(bad)
    }

    fn parse(text: &str) -> Result<Self, &'static str> {
        let file: File =
            serde_json::from_str(text).map_err(|_| "is in a file that holds no credentials")?;
        let (login, token_uri) = match file {
            File::ServiceAccount { client_email, private_key, token_uri } => {
                let der = PrivatePkcs8KeyDer::from_pem_slice(private_key.as_bytes());
                let der = der.map_err(|_| "is in a file whose private key is damaged")?;
                let key = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der());
                let key = key.map_err(|_| "is in a file whose private key is no RSA key")?;
                (Login::Service { email: client_email, key }, token_uri)
            }
            File::AuthorizedUser { client_id, client_secret, refresh_token, token_uri } => {
                (Login::Person { client_id, client_secret, refresh_token }, token_uri)
            }
            File::Other => {
                return Err("is in a file of another kind than service_account or authorized_user");
            }
        };
        let token_uri = token_uri.unwrap_or_else(|| TOKEN_URI.to_owned());
        if !is_private(&token_uri) {
            return Err("is in a file that would send it unencrypted");
        }
        Ok(Self { token_uri, login })
    }

    /// Whose tokens they are.
    fn name(&self) -> &str {
        match &self.login {
            Login::Service { email, .. } => email,
            Login::Person { refresh_token, .. } => refresh_token,
        }
    }

    /// The form that asks for a token.
    fn form(&self, now: SystemTime) -> Result<String, Failure> {
        match &self.login {
            Login::Service { email, key } => {
                let issued =
                    now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
                let claims = json!({
                    "iss": email,
                    "scope": SCOPE,
                    "aud": self.token_uri,
                    "iat": issued,
                    "exp": issued + CLAIM_SECONDS,
                });
                let header = r#"{"alg":"RS256","typ":"JWT"}"#;
                let assertion = signed(key, header, &claims.to_string())?;
                let grant = encode("urn:ietf:params:oauth:grant-type:jwt-bearer");
                Ok(format!("grant_type={grant}&assertion={assertion}"))
            }
            Login::Person { client_id, client_secret, refresh_token } => Ok(format!(
                "grant_type=refresh_token&client_id={}&client_secret={}&refresh_token={}",
                encode(client_id),
                encode(client_secret),
                encode(refresh_token)
            )),
        }
    }
}

/// A JSON Web Signature in its compact form.
fn signed(key: &RsaKeyPair, header: &str, claims: &str) -> Result<String, Failure> {
    let part = |text: &str| BASE64URL_NOPAD.encode(text.as_bytes());
    let text = format!("{}.{}", part(header), part(claims));
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature)
        .map_err(|_| Failure::new(FailureKind::Setup, "the private key cannot sign"))?;
    Ok(format!("{text}.{}", BASE64URL_NOPAD.encode(&signature)))
}

#[derive(Deserialize)]
struct TokenReply {
    access_token: String,
    expires_in: Option<u64>,
}

/// The tokens of a client, by account.
#[derive(Default)]
pub(crate) struct Tokens(Mutex<HashMap<String, (String, Instant)>>);

impl Tokens {
    /// A token of an account: a kept one, or a new one. Callers that come meanwhile wait for it.
    pub(crate) fn get(
        &self,
        account: &GoogleAccount,
        transport: &Transport,
        timeout: Duration,
    ) -> Result<String, Failure> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((token, until)) = kept.get(account.name())
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        let form = account.form(SystemTime::now())?;
        let received = transport.call(&Call {
            url: &account.token_uri,
            auth: Vec::new(),
            headers: &[],
            payload: Payload::Post("application/x-www-form-urlencoded", form.as_bytes()),
            reply: ReplyKind::Json,
            timeout,
            limit: 64 * 1024,
        })?;
        if received.status != 200 {
            let Explained { kind, message } =
                explain(received.status, &received.body, received.retry_after);
            // Whatever is wrong with the account, the model was not asked.
            let kind = if kind.retryable() { kind } else { FailureKind::Auth };
            let message = format!("no access token: {message}");
            return Err(Failure { status: Some(received.status), ..Failure::new(kind, message) });
        }
        let reply: TokenReply = serde_json::from_str(&received.body).map_err(|_| {
            Failure::new(FailureKind::BadReply, "the token service answered without a token")
        })?;
        let good_for = Duration::from_secs(reply.expires_in.unwrap_or(0)).saturating_sub(EARLY);
        let until = Instant::now() + good_for;
        kept.insert(account.name().to_owned(), (reply.access_token.clone(), until));
        Ok(reply.access_token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rsa::{KeyPairComponents, PublicKeyComponents};

    /// ApiKey, message and signature of RFC 7515, appendix A.2.
    #[test]
    fn a_signature_is_that_of_the_published_example() {
        let jwk: HashMap<String, String> =
            serde_json::from_str(include_str!("../../tests/data/rfc7515-a2.json")).expect("a key");
        let part = |name: &str| BASE64URL_NOPAD.decode(jwk[name].as_bytes()).expect("base64url");
        let key = KeyPairComponents {
            public_key: PublicKeyComponents { n: part("n"), e: part("e") },
            d: part("d"),
            p: part("p"),
            q: part("q"),
            dP: part("dp"),
            dQ: part("dq"),
            qInv: part("qi"),
        };
        let key = RsaKeyPair::from_components(&key).expect("a key");
        let claims =
            "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}";
        let jws = signed(&key, r#"{"alg":"RS256"}"#, claims).expect("signed");
        assert_eq!(
            jws,
            concat!(
                "eyJhbGciOiJSUzI1NiJ9.",
                "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.",
                "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujG",
                "bds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K",
                "0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6",
                "LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
            )
        );
    }

    #[test]
    fn a_file_that_holds_no_usable_credentials_is_refused_without_showing_it() {
        for text in [
            "{}",
            "no JSON",
            r#"{"type":"external_account","audience":"x"}"#,
            r#"{"type":"service_account","client_email":"a@b","private_key":"hunter2"}"#,
        ] {
            let why = GoogleAccount::parse(text).err().expect("refused");
            assert!(!why.contains("hunter2"));
        }
        let plain =
            r#"{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c"}"#;
        let account = GoogleAccount::parse(plain).expect("an account");
        assert_eq!(account.token_uri, TOKEN_URI);
        let form = account.form(SystemTime::now()).expect("a form");
        assert_eq!(form, "grant_type=refresh_token&client_id=a&client_secret=b&refresh_token=c");
    }
}
