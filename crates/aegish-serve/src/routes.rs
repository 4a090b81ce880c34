//! The paths and what they answer.

use crate::GrantAccess;
use crate::answers;
use crate::assets;
use crate::record::Shown;
use crate::requests::{BatchRequest, CheckRequest, ClassifyRequest, GrantRequest};
use crate::state::ServerState;
use aegish_verdict::JsonDetail;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::BroadcastStream;

/// Room for the longest text with every byte escaped.
const LONGEST_BODY: usize = 8 << 20;
/// Longer bodies are judged on a thread of their own, so that short ones do not wait for them.
const LONG: usize = 16 << 10;
const MOST_IN_BATCH: usize = 10_000;
/// The longest grant.
const MOST_MINUTES: u32 = 24 * 60;

/// Methods and paths, as the description lists them.
pub const ROUTES: [(&str, &str); 14] = [
    ("get", "/healthz"),
    ("get", "/metrics"),
    ("get", "/openapi.json"),
    ("post", "/v1/check"),
    ("post", "/v1/check/batch"),
    ("post", "/v1/explain"),
    ("post", "/v1/classify"),
    ("get", "/v1/decisions"),
    ("get", "/v1/decisions/{number}"),
    ("get", "/v1/events"),
    ("delete", "/v1/sessions/{name}"),
    ("get", "/v1/grants"),
    ("post", "/v1/grants"),
    ("delete", "/v1/grants/{name}"),
];

/// Over which way a router is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The socket. Every process of the user reaches it, agents too: no grants.
    Socket,
    /// HTTP with the token of this run.
    Page(GrantAccess),
}

type Shared = State<Arc<ServerState>>;

pub(crate) fn router(state: Arc<ServerState>, reach: Reach) -> Router {
    let mut router = Router::new()
        .route("/healthz", get(async || axum::Json(serde_json::json!({ "status": "ok" }))))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(async || asset("application/json", assets::OPENAPI)))
        .route("/v1/check", post(check))
        .route("/v1/check/batch", post(batch))
        .route("/v1/explain", post(explain))
        .route("/v1/classify", post(classify))
        .route("/v1/decisions", get(decisions))
        .route("/v1/decisions/{number}", get(decision))
        .route("/v1/events", get(events))
        .route("/v1/sessions/{name}", delete(end_session));
    if let Reach::Page(_) = reach {
        router = router
            .route("/", get(async || asset("text/html; charset=utf-8", assets::PAGE)))
            .route(
                "/page.js",
                get(async || asset("text/javascript; charset=utf-8", assets::SCRIPT)),
            )
            .route("/page.css", get(async || asset("text/css; charset=utf-8", assets::STYLE)));
    }
    router = if reach == Reach::Page(GrantAccess::Page) {
        router
            .route("/v1/grants", get(grants).post(grant))
            .route("/v1/grants/{name}", delete(revoke))
    } else {
        let why = "grants are given on the page of a daemon that was started at a terminal";
        let refused = async move || failure(StatusCode::FORBIDDEN, why);
        router
            .route("/v1/grants", get(refused).post(refused))
            .route("/v1/grants/{name}", delete(refused))
    };
    router.layer(DefaultBodyLimit::max(LONGEST_BODY)).with_state(state)
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

fn failure(status: StatusCode, error: &str) -> Response {
    (status, axum::Json(serde_json::json!({ "error": error }))).into_response()
}

fn json(body: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

async fn metrics(State(state): Shared) -> Response {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], state.metrics_text()).into_response()
}

/// Runs work that takes as long as a body is.
async fn judging(
    state: Arc<ServerState>,
    body: Bytes,
    work: fn(&ServerState, &[u8]) -> Result<Vec<u8>, String>,
) -> Response {
    let outcome = if body.len() <= LONG {
        work(&state, &body)
    } else {
        let state = state.clone();
        let task = tokio::task::spawn_blocking(move || work(&state, &body)).await;
        task.unwrap_or_else(|_| Err("the command was not judged".to_owned()))
    };
    match outcome {
        Ok(body) => json(body),
        Err(error) => {
            state.metrics.refused();
            failure(StatusCode::BAD_REQUEST, &error)
        }
    }
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

fn one(state: &ServerState, body: &[u8], detail: JsonDetail) -> Result<Vec<u8>, String> {
    let request: CheckRequest<'_> = read(body)?;
    let decision = Ok(state.judge(&request)?);
    let mut output = Vec::with_capacity(512);
    answers::write(&request, &decision, detail, &mut output)?;
    Ok(output)
}

async fn check(State(state): Shared, body: Bytes) -> Response {
    judging(state, body, |state, body| one(state, body, JsonDetail::Findings)).await
}

async fn explain(State(state): Shared, body: Bytes) -> Response {
    judging(state, body, |state, body| one(state, body, JsonDetail::Commands)).await
}

async fn batch(State(state): Shared, body: Bytes) -> Response {
    judging(state, body, |state, body| {
        let batch: BatchRequest<'_> = read(body)?;
        if batch.requests.len() > MOST_IN_BATCH {
            return Err(format!("more than {MOST_IN_BATCH} requests"));
        }
        let mut output = b"{\"verdicts\":[".to_vec();
        for (at, request) in batch.requests.iter().enumerate() {
            if at > 0 {
                output.push(b',');
            }
            answers::write(request, &state.judge(request), JsonDetail::Findings, &mut output)?;
        }
        output.extend_from_slice(b"]}");
        Ok(output)
    })
    .await
}

async fn classify(State(state): Shared, body: Bytes) -> Response {
    judging(state, body, |state, body| {
        let request: ClassifyRequest<'_> = read(body)?;
        let decision = state.judge(&CheckRequest::of(&request.inputs, None))?;
        serde_json::to_vec(&answers::labels(&decision)).map_err(|error| error.to_string())
    })
    .await
}

#[derive(Deserialize)]
struct Most {
    most: Option<usize>,
}

async fn decisions(State(state): Shared, Query(most): Query<Most>) -> Response {
    let list = state.recorder.last(most.most.unwrap_or(100));
    let list: Vec<Shown> = list.iter().map(|recorded| recorded.shown()).collect();
    axum::Json(list).into_response()
}

/// One of the last decisions, judged again with the settings in force and explained.
async fn decision(State(state): Shared, Path(number): Path<u64>) -> Response {
    let Some(recorded) = state.recorder.find(number) else {
        return failure(StatusCode::NOT_FOUND, "this decision is not remembered");
    };
    let input = aegish_verdict::CheckInput {
        cwd: recorded.cwd.as_deref(),
        ..aegish_verdict::CheckInput::command(&recorded.command)
    };
    let decision = state.checker().check(&input);
    match answers::explained(&recorded.command, &decision) {
        Ok(verdict) => {
            let shown = recorded.shown();
            axum::Json(serde_json::json!({ "decision": shown, "now": verdict })).into_response()
        }
        Err(error) => failure(StatusCode::INTERNAL_SERVER_ERROR, &error),
    }
}

async fn events(State(state): Shared) -> Response {
    let Some(receiver) = state.recorder.listen() else {
        return failure(StatusCode::SERVICE_UNAVAILABLE, "the daemon ends");
    };
    let events = BroadcastStream::new(receiver).map(|received| {
        let event = match received {
            Ok(recorded) => Event::default().event("decision").json_data(recorded.shown()),
            // A slow listener is told how many it missed.
            Err(missed) => Ok(Event::default().event("missed").data(missed.to_string())),
        };
        Ok::<_, Infallible>(event.unwrap_or_else(|_| Event::default().event("missed")))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

async fn end_session(State(state): Shared, Path(name): Path<String>) -> Response {
    match state.end_session(name) {
        true => StatusCode::NO_CONTENT.into_response(),
        false => failure(StatusCode::NOT_FOUND, "there is no such session"),
    }
}

async fn grants(State(state): Shared) -> Response {
    match state.backend.grants() {
        Ok(grants) => axum::Json(grants).into_response(),
        Err(error) => failure(StatusCode::INTERNAL_SERVER_ERROR, &error),
    }
}

async fn grant(State(state): Shared, body: Bytes) -> Response {
    let request: GrantRequest = match read(&body) {
        Ok(request) => request,
        Err(error) => return failure(StatusCode::BAD_REQUEST, &error),
    };
    if request.minutes == 0 || request.minutes > MOST_MINUTES {
        return failure(StatusCode::BAD_REQUEST, "a grant lasts from a minute to a day");
    }
    let Some(recorded) = state.recorder.find(request.decision) else {
        return failure(StatusCode::NOT_FOUND, "this decision is not remembered");
    };
    let cwd = recorded.cwd.as_deref();
    match state.backend.grant(&recorded.command, cwd, request.minutes) {
        Ok(grants) => {
            state.reload();
            axum::Json(grants).into_response()
        }
        Err(error) => failure(StatusCode::CONFLICT, &error),
    }
}

async fn revoke(State(state): Shared, Path(name): Path<String>) -> Response {
    match state.backend.revoke(&name) {
        Ok(()) => {
            state.reload();
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => failure(StatusCode::CONFLICT, &error),
    }
}
