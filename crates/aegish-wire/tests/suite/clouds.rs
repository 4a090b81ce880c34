//! Azure, Amazon Bedrock and Vertex AI: addresses, credentials, and what they send.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::fake::answers::{CompletionEnd, TEXT, reply};
use crate::fake::{Fake, FakeAnswer, KEY, client, full};
use aegish_wire::{
    Completion, Endpoint, EndpointError, EndpointSettings, Failure, FailureKind, Protocol, Stop,
    Usage,
};
use data_encoding::{BASE64, BASE64URL_NOPAD};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};
use serde_json::{Value, json};

type Variables<'a> = &'a [(&'a str, &'a str)];

fn resolve(id: &str, variables: Variables<'_>) -> Result<Endpoint, EndpointError> {
    let env = |name: &str| {
        variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    };
    Endpoint::resolve(id, &env, &EndpointSettings::default())
}

fn ask(id: &str, variables: Variables<'_>) -> Result<Completion, Failure> {
    client(0).complete(&resolve(id, variables).expect(id), &full())
}

fn good(protocol: Protocol) -> FakeAnswer {
    FakeAnswer::json(200, reply(protocol, CompletionEnd::Good))
}

#[test]
fn azure_takes_a_deployment_under_a_dated_version_and_the_key_in_its_own_header() {
    let server = Fake::always(good(Protocol::OpenAiChat));
    let address = format!("http://{}", server.address);
    let key = ("AZURE_OPENAI_API_KEY", KEY);
    let rows: [(Variables<'_>, &str); 4] = [
        (&[key, ("AZURE_OPENAI_ENDPOINT", &address)], "/openai/v1/chat/completions"),
        (
            &[key, ("AZURE_OPENAI_ENDPOINT", &address), ("AZURE_OPENAI_API_VERSION", "2024-10-21")],
            "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21",
        ),
        (
            &[
                key,
                ("AZUREAI_BASE_URL", &format!("{address}/openai")),
                ("OPENAI_API_VERSION", "2025-04-01-preview"),
            ],
            "/openai/deployments/my-gpt/chat/completions?api-version=2025-04-01-preview",
        ),
        (
            &[
                key,
                ("AZUREAI_BASE_URL", &format!("{address}/openai/v1/")),
                ("OPENAI_API_VERSION", "2024-10-21"),
            ],
            "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21",
        ),
    ];
    for (variables, path) in rows {
        assert_eq!(ask("azure/my-gpt", variables).expect(path).text, TEXT);
        let seen = server.take().pop().expect("a request");
        assert_eq!(seen.path, path);
        assert_eq!(seen.header("api-key"), Some(KEY));
        assert_eq!(seen.header("authorization"), None);
    }
    let odd =
        [key, ("AZURE_OPENAI_ENDPOINT", address.as_str()), ("OPENAI_API_VERSION", "1&x=/../y")];
    assert!(matches!(resolve("azure/my-gpt", &odd), Err(EndpointError::MissingBaseUrl { .. })));
}

const MODEL: &str = "bedrock/anthropic.claude-3-haiku-20240307-v1:0";

#[test]
fn bedrock_takes_an_api_key_and_gives_text_reasoning_and_tokens() {
    let server = Fake::always(good(Protocol::BedrockConverse));
    let address = format!("http://{}", server.address);
    let variables = [("AWS_BEARER_TOKEN_BEDROCK", KEY), ("BEDROCK_BASE_URL", address.as_str())];
    let done = ask(MODEL, &variables).expect("an answer");
    let seen = server.take().pop().expect("a request");
    assert_eq!(seen.path, "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse");
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(
        seen.body,
        json!({
            "system": [{"text": "You judge."}],
            "messages": [{"role": "user", "content": [{"text": "Validate this command: ls \"ä\"\n"}]}],
            "inferenceConfig": {"maxTokens": 300, "temperature": 0.0},
        })
    );
    assert_eq!(done.left_out, ["seed", "effort", "schema"]);
    assert_eq!((done.text.as_str(), done.reasoning.as_deref()), (TEXT, Some("Listing.")));
    assert_eq!(done.stop, Stop::Stop);
    let usage = Usage {
        input: Some(100),
        output: Some(20),
        cached: Some(64),
        cache_write: Some(20),
        reasoning: None,
    };
    assert_eq!(done.usage, usage);
}

#[test]
fn bedrock_failures_are_told_apart() {
    for (status, kind) in [
        (400, FailureKind::BadRequest),
        (403, FailureKind::Auth),
        (404, FailureKind::NotFound),
        (408, FailureKind::Timeout),
        (424, FailureKind::Server),
        (429, FailureKind::RateLimited { retry_after: None }),
        (503, FailureKind::Overloaded { retry_after: None }),
    ] {
        let server = Fake::always(FakeAnswer::json(status, json!({"message": "as told"})));
        let address = format!("http://{}", server.address);
        let variables = [("AWS_BEARER_TOKEN_BEDROCK", KEY), ("BEDROCK_BASE_URL", address.as_str())];
        let failure = ask(MODEL, &variables).expect_err("a failure");
        assert_eq!(failure.kind, kind);
        assert!(failure.message.contains("as told"), "{failure}");
    }
}

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const KEYS: [(&str, &str); 3] = [
    ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
    ("AWS_SECRET_ACCESS_KEY", SECRET),
    ("AWS_REGION", "eu-central-1"),
];

#[test]
fn bedrock_finds_its_address_by_the_region_and_says_what_is_missing() {
    let found = resolve(MODEL, &KEYS).expect("an endpoint");
    assert_eq!(found.base_url, "https://bedrock-runtime.eu-central-1.amazonaws.com");
    assert!(found.has_key() && !format!("{found:?}").contains("EXAMPLE"), "{found:?}");
    let without = |name: &str| {
        let left: Vec<_> = KEYS.into_iter().filter(|(key, _)| *key != name).collect();
        resolve(MODEL, &left).expect_err("an error").to_string()
    };
    assert!(without("AWS_REGION").contains("set AWS_REGION or"));
    assert!(without("AWS_SECRET_ACCESS_KEY").contains("set AWS_SECRET_ACCESS_KEY"));
    assert!(without("AWS_ACCESS_KEY_ID").contains("AWS_BEARER_TOKEN_BEDROCK"));
}

#[cfg(feature = "bedrock")]
#[test]
fn bedrock_requests_are_signed_and_the_secret_is_not_sent() {
    let server = Fake::always(good(Protocol::BedrockConverse));
    let address = format!("http://{}", server.address);
    let mut variables = KEYS.to_vec();
    variables.push(("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", &address));
    variables.push(("AWS_SESSION_TOKEN", "FQoGZXIvYXdzEXAMPLETOKEN"));
    assert_eq!(ask(MODEL, &variables).expect("an answer").text, TEXT);
    let seen = server.take().pop().expect("a request");
    let authorization = seen.header("authorization").expect("signed");
    assert!(
        authorization.starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"),
        "{authorization}"
    );
    assert!(authorization.contains("/eu-central-1/bedrock/aws4_request"), "{authorization}");
    assert!(
        authorization.contains("content-type;host;x-amz-date;x-amz-security-token"),
        "{authorization}"
    );
    assert_eq!(seen.header("x-amz-security-token"), Some("FQoGZXIvYXdzEXAMPLETOKEN"));
    assert!(seen.headers.iter().all(|(_, value)| !value.contains(SECRET)));
    // The host that is signed is the host that is sent.
    assert_eq!(seen.header("host"), Some(server.address.to_string().as_str()));
}

#[cfg(not(feature = "bedrock"))]
#[test]
fn a_build_that_cannot_sign_says_so() {
    let mut variables = KEYS.to_vec();
    variables.push(("BEDROCK_BASE_URL", "http://127.0.0.1:9"));
    let failure = ask(MODEL, &variables).expect_err("a failure");
    assert_eq!(failure.kind, FailureKind::Setup);
    assert!(failure.message.contains("AWS_BEARER_TOKEN_BEDROCK"), "{failure}");
}

#[test]
fn vertex_speaks_to_gemini_and_to_claude_with_a_token() {
    let server = Fake::start(|_, seen| {
        let claude = seen.path.contains("/anthropic/");
        good(if claude { Protocol::AnthropicMessages } else { Protocol::Gemini })
    });
    let address = format!("http://{}", server.address);
    let variables = [
        ("GOOGLE_OAUTH_ACCESS_TOKEN", KEY),
        ("GOOGLE_CLOUD_PROJECT", "my-project"),
        ("GOOGLE_CLOUD_LOCATION", "europe-west1"),
        ("VERTEX_BASE_URL", address.as_str()),
    ];
    let place = "/v1/projects/my-project/locations/europe-west1/publishers";
    for (id, path) in [
        ("vertex/gemini-3-flash-preview", "google/models/gemini-3-flash-preview:generateContent"),
        (
            "vertex_ai/claude-haiku-4-5@20251001",
            "anthropic/models/claude-haiku-4-5@20251001:rawPredict",
        ),
    ] {
        assert_eq!(ask(id, &variables).expect(id).text, TEXT);
        let seen = server.take().pop().expect("a request");
        assert_eq!(seen.path, format!("{place}/{path}"));
        assert_eq!(seen.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        assert_eq!(seen.header("anthropic-version"), None);
    }
    let base = |location: &str| {
        let variables = [variables[0], variables[1], ("GOOGLE_CLOUD_LOCATION", location)];
        resolve("vertex/gemini-3-flash-preview", &variables).expect("an endpoint").base_url
    };
    assert_eq!(base("europe-west1"), "https://europe-west1-aiplatform.googleapis.com");
    assert_eq!(base("global"), "https://aiplatform.googleapis.com");
    let nowhere = resolve("vertex/gemini-3-flash-preview", &variables[..1]).expect_err("an error");
    assert!(nowhere.to_string().contains("GOOGLE_CLOUD_PROJECT"), "{nowhere}");
}

/// A file that is removed with the test.
struct Credentials(PathBuf);

impl Credentials {
    fn new(name: &str, content: &Value) -> Self {
        let path =
            std::env::temp_dir().join(format!("aegish-wire-{}-{name}.json", std::process::id()));
        fs::write(&path, content.to_string()).expect("written");
        Self(path)
    }
}

impl Drop for Credentials {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// One element in DER.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match content.len() {
        short @ 0..128 => out.push(short as u8),
        middle @ 128..256 => out.extend([0x81, middle as u8]),
        long => out.extend([0x82, (long >> 8) as u8, long as u8]),
    }
    out.extend_from_slice(content);
    out
}

fn number(bytes: &[u8]) -> Vec<u8> {
    let sign: &[u8] = if bytes.first().is_some_and(|byte| *byte > 127) { &[0] } else { &[] };
    der(2, &[sign, bytes].concat())
}

/// The key of RFC 7515, appendix A.2, as a service account has it.
fn private_key(jwk: &HashMap<String, String>) -> String {
    let part =
        |name: &str| number(&BASE64URL_NOPAD.decode(jwk[name].as_bytes()).expect("base64url"));
    let parts = ["n", "e", "d", "p", "q", "dp", "dq", "qi"].map(part).concat();
    let key = der(0x30, &[number(&[0]), parts].concat());
    let algorithm = [der(6, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1]), der(5, &[])].concat();
    let info = der(0x30, &[number(&[0]), der(0x30, &algorithm), der(4, &key)].concat());
    let lines: Vec<String> = BASE64
        .encode(&info)
        .as_bytes()
        .chunks(64)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", lines.join("\n"))
}

#[test]
fn a_service_account_signs_for_a_token_which_is_kept_until_it_expires() {
    let jwk: HashMap<String, String> =
        serde_json::from_str(include_str!("../data/rfc7515-a2.json")).expect("a key");
    for (lifetime, exchanges) in [(3600, 1), (60, 3)] {
        let server = Fake::start(move |_, seen| match seen.path.as_str() {
            "/token" => FakeAnswer::json(
                200,
                json!({"access_token": "ya29.token", "expires_in": lifetime, "token_type": "Bearer"}),
            ),
            _ => good(Protocol::Gemini),
        });
        let address = format!("http://{}", server.address);
        let file = Credentials::new(
            &format!("service-{lifetime}"),
            &json!({
                "type": "service_account", "project_id": "my-project", "private_key_id": "1",
                "private_key": private_key(&jwk), "client_email": "bench@my-project.iam.gserviceaccount.com",
                "token_uri": format!("{address}/token"),
            }),
        );
        let path = file.0.display().to_string();
        let variables = [
            ("GOOGLE_APPLICATION_CREDENTIALS", path.as_str()),
            ("GOOGLE_CLOUD_PROJECT", "my-project"),
            ("VERTEX_BASE_URL", address.as_str()),
        ];
        let endpoint = resolve("vertex/gemini-3-flash-preview", &variables).expect("an endpoint");
        assert!(endpoint.has_key() && !format!("{endpoint:?}").contains("PRIVATE"));
        let client = client(0);
        for _ in 0..3 {
            assert_eq!(client.complete(&endpoint, &full()).expect("an answer").text, TEXT);
        }
        let (tokens, calls): (Vec<_>, Vec<_>) =
            server.take().into_iter().partition(|seen| seen.path == "/token");
        assert_eq!((tokens.len(), calls.len()), (exchanges, 3));
        assert!(calls.iter().all(|seen| seen.header("authorization") == Some("Bearer ya29.token")));
        let form = tokens[0].text.strip_prefix(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=",
        );
        let (text, signature) = form.expect("a form").rsplit_once('.').expect("a signature");
        let part = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).expect("base64url");
        let public = RsaPublicKeyComponents { n: part(&jwk["n"]), e: part(&jwk["e"]) };
        let verified =
            public.verify(&RSA_PKCS1_2048_8192_SHA256, text.as_bytes(), &part(signature));
        assert!(verified.is_ok());
        let claims: Value =
            serde_json::from_slice(&part(text.split_once('.').expect("claims").1)).expect("claims");
        assert_eq!(claims["iss"], "bench@my-project.iam.gserviceaccount.com");
        assert_eq!(claims["aud"], format!("{address}/token"));
        assert_eq!(claims["scope"], "https://www.googleapis.com/auth/cloud-platform");
        let issued = claims["iat"].as_u64().expect("a time");
        assert_eq!(claims["exp"].as_u64(), Some(issued + 3600));
        let now =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time");
        assert!(now.abs_diff(Duration::from_secs(issued)) < Duration::from_secs(60));
    }
}

#[test]
fn a_refused_account_is_a_failure_of_the_key_and_shows_nothing_of_it() {
    let server = Fake::always(FakeAnswer::json(
        400,
        json!({"error": "invalid_grant", "error_description": "Token has been expired or revoked."}),
    ));
    let address = format!("http://{}", server.address);
    let file = Credentials::new(
        "person",
        &json!({
            "type": "authorized_user", "client_id": "id", "client_secret": "hush-hush", "refresh_token": "1//refresh",
            "token_uri": format!("{address}/token"),
        }),
    );
    let path = file.0.display().to_string();
    let variables = [
        ("GOOGLE_APPLICATION_CREDENTIALS", path.as_str()),
        ("GOOGLE_CLOUD_PROJECT", "my-project"),
        ("VERTEX_BASE_URL", address.as_str()),
    ];
    let failure = ask("vertex/gemini-3-flash-preview", &variables).expect_err("a failure");
    assert_eq!(failure.kind, FailureKind::Auth);
    assert!(failure.message.contains("no access token"), "{failure}");
    assert!(!failure.to_string().contains("hush") && !failure.to_string().contains("refresh"));
    let missing = [("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/at/all.json"), variables[1]];
    let error = resolve("vertex/gemini-3-flash-preview", &missing).expect_err("an error");
    assert!(
        error
            .to_string()
            .contains("GOOGLE_APPLICATION_CREDENTIALS is in a file that cannot be read"),
        "{error}"
    );
}
