//! The guard as a server of the Model Context Protocol: over standard input and output, or over HTTP on loopback.
//!
//! Offers the tools `check_command`, `explain_command`, `check_script` and `run_command`. The first three say what a text
//! would do. The last one runs a command through the guard's own shell if the verdict is allow, with limits on time and
//! output. No model is asked, and nobody is asked: what a person would be asked about is refused.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod run;
mod tools;

use aegish_serve::access::{self, Token};
use aegish_verdict::{CheckInput, Checker, JsonDetail, JsonVerdict};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::TcpListener;
use tools::ToolCall;

/// What to serve.
#[derive(Clone)]
pub struct McpOptions {
    /// The guard with the settings in force.
    pub checker: Checker,
    /// The program of the guard, which runs commands.
    pub program: PathBuf,
}

/// Serves one client on standard input and output.
///
/// # Errors
/// If the client does not speak the protocol.
pub fn serve_stdio(options: McpOptions) -> Result<(), String> {
    aegish_serve::on_runtime(None, async {
        let server = GuardServer(Arc::new(options));
        let running = server.serve(stdio()).await.map_err(|error| error.to_string())?;
        running.waiting().await.map(drop).map_err(|error| error.to_string())
    })
}

/// Serves clients at `http://ADDRESS/mcp` until the process ends. Each request needs the token.
///
/// # Errors
/// If the address is not on loopback or cannot be used.
pub fn serve_http(
    options: McpOptions,
    address: SocketAddr,
    token: Token,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), String> {
    access::loopback_only(address)?;
    aegish_serve::on_runtime(None, async {
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| format!("{address} cannot be used: {error}"))?;
        let options = Arc::new(options);
        let service = StreamableHttpService::new(
            move || Ok(GuardServer(options.clone())),
            Arc::new(LocalSessionManager::default()),
            StreamableHttpServerConfig::default().enforce_origin_validation(),
        );
        let router = axum::Router::new().route_service("/mcp", service);
        ready(listener.local_addr().map_err(|error| error.to_string())?);
        let served = axum::serve(listener, access::guarded(router, token));
        let ended = async { drop(tokio::signal::ctrl_c().await) };
        served.with_graceful_shutdown(ended).await.map_err(|error| error.to_string())
    })
}

#[derive(Clone)]
struct GuardServer(Arc<McpOptions>);

impl ServerHandler for GuardServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("aegish", env!("CARGO_PKG_VERSION")))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = ToolCall::read(&request.name, request.arguments.unwrap_or_default())
            .map_err(|error| ErrorData::invalid_params(error, None))?;
        let result = match call {
            ToolCall::Check { text, cwd, form, detail } => {
                let options = self.0.clone();
                let judged = tokio::task::spawn_blocking(move || {
                    options.judged(
                        &CheckInput { cwd: cwd.as_deref(), form, ..CheckInput::command(&text) },
                        detail,
                    )
                });
                structured(judged.await.map_err(|_| broken())?.map_err(internal)?)
            }
            ToolCall::Run { text, cwd, limits } => self.run(text, cwd, limits).await?,
        };
        Ok(result.into())
    }
}

impl GuardServer {
    /// Runs a command that the guard allows. Its shell judges the same text again; that verdict counts.
    async fn run(
        &self,
        text: String,
        cwd: Option<String>,
        limits: run::Limits,
    ) -> Result<CallToolResult, ErrorData> {
        let (options, command, dir) = (self.0.clone(), text.clone(), cwd.clone());
        let judged = tokio::task::spawn_blocking(move || {
            let input = CheckInput { cwd: dir.as_deref(), ..CheckInput::command(&command) };
            options.judged(&input, JsonDetail::Findings)
        });
        let verdict = judged.await.map_err(|_| broken())?.map_err(internal)?;
        if verdict.get("action").and_then(Value::as_str) != Some("allow") {
            let mut refused = structured(serde_json::json!({ "verdict": verdict, "ran": false }));
            refused.is_error = Some(true);
            return Ok(refused);
        }
        let outcome = run::run(&self.0.program, &text, cwd.as_deref(), limits).await;
        match outcome {
            Ok(ended) => Ok(structured(ended.with_verdict(&verdict))),
            Err(error) => Ok(CallToolResult::error(vec![ContentBlock::text(error)])),
        }
    }
}

impl McpOptions {
    fn judged(&self, input: &CheckInput<'_>, detail: JsonDetail) -> Result<Value, String> {
        let decision = self.checker.check(input);
        let verdict = JsonVerdict::new(&decision, input.text, None, detail);
        serde_json::to_value(verdict).map_err(|error| error.to_string())
    }
}

/// The object, and the same as text for clients that read only that.
fn structured(value: Value) -> CallToolResult {
    CallToolResult::structured(value)
}

fn internal(error: String) -> ErrorData {
    ErrorData::internal_error(error, None)
}

fn broken() -> ErrorData {
    internal("the command was not judged".to_owned())
}

type JsonObject = Map<String, Value>;
