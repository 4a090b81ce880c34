//! Keys of AWS, and their signature of a request (version 4).

use std::time::SystemTime;

use crate::endpoint::{EndpointError, Env, non_blank, read_key};
use crate::failure::{Failure, FailureKind};
use crate::secret::ApiKey;

/// A pair of keys and the region that requests are signed for.
#[derive(Clone)]
#[cfg_attr(not(feature = "bedrock"), expect(dead_code, reason = "read by the signature alone"))]
pub(crate) struct AwsKeys {
    id: ApiKey,
    secret: ApiKey,
    session: Option<ApiKey>,
    region: String,
}

pub(super) fn region(env: Env<'_>) -> Option<String> {
    ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| non_blank(env(name)))
}

impl AwsKeys {
    /// The keys in the environment; none if there is no key id.
    pub(super) fn from_env(env: Env<'_>) -> Result<Option<Self>, EndpointError> {
        let read = |name: &str| read_key(&[name.to_owned()], env);
        let Some(id) = read("AWS_ACCESS_KEY_ID")? else { return Ok(None) };
        let missing = |variable: &str| EndpointError::MissingKey {
            provider: "bedrock".to_owned(),
            variables: vec![variable.to_owned()],
        };
        let secret = read("AWS_SECRET_ACCESS_KEY")?;
        Ok(Some(Self {
            id,
            secret: secret.ok_or_else(|| missing("AWS_SECRET_ACCESS_KEY"))?,
            session: read("AWS_SESSION_TOKEN")?,
            region: region(env).ok_or_else(|| missing("AWS_REGION"))?,
        }))
    }

    pub(super) fn hide_in(&self, text: &str) -> String {
        let text = self.secret.hide_in(&self.id.hide_in(text));
        self.session.as_ref().map_or_else(|| text.clone(), |session| session.hide_in(&text))
    }

    /// The headers that sign a request to Bedrock.
    pub(crate) fn sign(
        &self,
        url: &str,
        content_type: &str,
        body: &[u8],
    ) -> Result<Vec<(&'static str, String)>, Failure> {
        let request =
            Request { method: "POST", url, headers: &[("content-type", content_type)], body };
        self.signature(&request, "bedrock", SystemTime::now())
    }
}

/// What is signed, beside the host and the time.
#[cfg_attr(not(feature = "bedrock"), expect(dead_code, reason = "read by the signature alone"))]
struct Request<'a> {
    method: &'a str,
    url: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: &'a [u8],
}

#[cfg(feature = "bedrock")]
impl AwsKeys {
    fn signature(
        &self,
        request: &Request<'_>,
        service: &str,
        time: SystemTime,
    ) -> Result<Vec<(&'static str, String)>, Failure> {
        use aws_credential_types::Credentials;
        use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
        use aws_sigv4::sign::v4;

        let broken = || Failure::new(FailureKind::Setup, "the request cannot be signed");
        let session = self.session.as_ref().map(|key| key.expose().to_owned());
        let identity =
            Credentials::new(self.id.expose(), self.secret.expose(), session, None, "environment");
        let identity = identity.into();
        let parameters = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name(service)
            .time(time)
            .settings(SigningSettings::default())
            .build()
            .map_err(|_| broken())?
            .into();
        let body = SignableBody::Bytes(request.body);
        let headers = request.headers.iter().copied();
        let signable = SignableRequest::new(request.method, request.url, headers, body);
        let signed = sign(signable.map_err(|_| broken())?, &parameters).map_err(|_| broken())?;
        let mut out = Vec::new();
        for (name, value) in signed.output().headers() {
            let known = ["authorization", "x-amz-date", "x-amz-security-token"];
            let name = known.into_iter().find(|known| *known == name).ok_or_else(broken)?;
            out.push((name, value.to_owned()));
        }
        Ok(out)
    }
}

#[cfg(not(feature = "bedrock"))]
impl AwsKeys {
    fn signature(
        &self,
        _: &Request<'_>,
        _: &str,
        _: SystemTime,
    ) -> Result<Vec<(&'static str, String)>, Failure> {
        let advice = "this build cannot sign for Amazon Bedrock: put a Bedrock API key into \
                      AWS_BEARER_TOKEN_BEDROCK, or build with the feature `bedrock`";
        Err(Failure::new(FailureKind::Setup, advice))
    }
}

#[cfg(test)]
#[cfg(feature = "bedrock")]
mod tests {
    use super::*;
    use std::time::Duration;

    fn keys(session: Option<&str>) -> AwsKeys {
        let key = |text: &str| ApiKey::parse(text).expect("valid").expect("present");
        AwsKeys {
            id: key("AKIDEXAMPLE"),
            secret: key("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            session: session.map(key),
            region: "us-east-1".to_owned(),
        }
    }

    /// Name, method, path, headers, body, signature.
    type PublishedRequest<'a> =
        (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)], &'a [u8], &'a str);

    /// Requests and signatures of the test suite that AWS publishes for this algorithm (`aws-sig-v4-test-suite`).
    #[test]
    fn signatures_are_those_of_the_published_test_suite() {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let unsorted = [("my-header2", "\"a   b   c\""), ("my-header1", "value1")];
        let rows: [PublishedRequest<'_>; 5] = [
            (
                "get-vanilla",
                "GET",
                "/",
                &[],
                b"",
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            (
                "get-vanilla-query-order-key-case",
                "GET",
                "/?Param2=value2&Param1=value1",
                &[],
                b"",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                "get-header-value-trim",
                "GET",
                "/",
                &unsorted,
                b"",
                "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
            ),
            (
                "post-vanilla",
                "POST",
                "/",
                &[],
                b"",
                "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            ),
            (
                "post-x-www-form-urlencoded",
                "POST",
                "/",
                &form,
                b"Param1=value1",
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
        ];
        // 2015-08-30T12:36:00Z
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_440_938_160);
        for (name, method, path, headers, body, signature) in rows {
            let url = format!("https://example.amazonaws.com{path}");
            let request = Request { method, url: &url, headers, body };
            let signed = keys(None).signature(&request, "service", time).expect(name);
            let of = |wanted: &str| {
                signed.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str())
            };
            assert_eq!(of("x-amz-date"), Some("20150830T123600Z"), "{name}");
            let authorization = of("authorization").unwrap_or_default();
            let scope = "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request";
            assert!(authorization.contains(scope), "{name}: {authorization}");
            let end = format!("Signature={signature}");
            assert!(authorization.ends_with(&end), "{name}: {authorization}");
        }
    }

    #[test]
    fn a_session_token_is_sent_and_signed_and_no_secret_is_shown() {
        let keys = keys(Some("FQoGZXIvYXdzEXAMPLETOKEN"));
        let url = "http://127.0.0.1:1/model/m%3A0/converse";
        let signed = keys.sign(url, "application/json", b"{}").expect("signed");
        let authorization = signed.iter().find(|(name, _)| *name == "authorization");
        let (_, authorization) = authorization.expect("signed");
        let names = "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token";
        assert!(authorization.contains(names), "{authorization}");
        assert!(signed.iter().any(|(name, _)| *name == "x-amz-security-token"));
        let shown =
            keys.hide_in("no wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY or FQoGZXIvYXdzEXAMPLETOKEN");
        assert!(!shown.contains("EXAMPLE"), "{shown}");
    }
}
