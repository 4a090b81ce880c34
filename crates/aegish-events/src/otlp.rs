//! Log records of the OpenTelemetry protocol. The body is the line of the log, so that a receiver can verify the chain.

use aegish_audit::{AuditAction, AuditEntry, AuditLine};
use jiff::Timestamp;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as OtlpValue;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;

use crate::host::Host;

/// A request with the records of some lines.
pub(crate) fn logs(lines: &[AuditLine], host: &Host) -> ExportLogsServiceRequest {
    let log_records = lines.iter().filter_map(record).collect();
    let scope = ScopeLogs { scope: Some(scope()), log_records, ..ScopeLogs::default() };
    let resource = ResourceLogs {
        resource: Some(resource(host)),
        scope_logs: vec![scope],
        ..ResourceLogs::default()
    };
    ExportLogsServiceRequest { resource_logs: vec![resource] }
}

pub(crate) fn scope() -> InstrumentationScope {
    InstrumentationScope {
        name: "aegish.audit".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    }
}

pub(crate) fn resource(host: &Host) -> Resource {
    let attributes = vec![
        text("service.name", "aegish"),
        text("service.version", env!("CARGO_PKG_VERSION")),
        text("host.name", &host.name),
        text("aegish.chain", &host.chain),
    ];
    Resource { attributes, ..Resource::default() }
}

fn record(line: &AuditLine) -> Option<LogRecord> {
    let entry = line.entry.as_ref()?;
    let (severity_number, severity_text) = match entry.action {
        None | Some(AuditAction::Allow) => (9, "INFO"),
        Some(AuditAction::Warn | AuditAction::WarnOverridden) => (13, "WARN"),
        Some(AuditAction::Block) => (17, "ERROR"),
    };
    Some(LogRecord {
        time_unix_nano: nanoseconds(&entry.timestamp),
        observed_time_unix_nano: now(),
        severity_number,
        severity_text: severity_text.to_owned(),
        body: Some(value(OtlpValue::StringValue(
            String::from_utf8_lossy(&line.bytes).into_owned(),
        ))),
        attributes: attributes(line, entry),
        event_name: format!("aegish.{}", entry.event.as_str()),
        ..LogRecord::default()
    })
}

fn attributes(line: &AuditLine, entry: &AuditEntry) -> Vec<KeyValue> {
    let mut list = vec![
        number("aegish.seq", entry.seq),
        text("aegish.sha256", &line.hash()),
        text("aegish.prev", &entry.prev),
        text("user.name", &entry.user),
        text("session.id", &entry.session),
        text("aegish.role", &entry.role),
    ];
    let texts = [
        ("aegish.action", entry.action.map(AuditAction::as_str)),
        ("aegish.fate", entry.fate.map(aegish_audit::Fate::as_str)),
        ("aegish.rule", entry.rule_name.as_deref()),
        ("aegish.decided_by", entry.decided_by.as_deref()),
        ("process.command_line", entry.command.as_deref()),
        ("process.working_directory", entry.cwd.as_deref()),
    ];
    list.extend(texts.into_iter().filter_map(|(name, found)| Some(text(name, found?))));
    let numbers = [
        ("aegish.decision", entry.decision),
        ("process.exit.code", entry.exit_status.map(u64::from)),
    ];
    list.extend(numbers.into_iter().filter_map(|(name, found)| Some(number(name, found?))));
    list
}

fn value(value: OtlpValue) -> AnyValue {
    AnyValue { value: Some(value) }
}

pub(crate) fn text(key: &str, found: &str) -> KeyValue {
    let found = Some(value(OtlpValue::StringValue(found.to_owned())));
    KeyValue { key: key.to_owned(), value: found, ..KeyValue::default() }
}

fn number(key: &str, found: u64) -> KeyValue {
    let found = i64::try_from(found).unwrap_or(i64::MAX);
    let found = Some(value(OtlpValue::IntValue(found)));
    KeyValue { key: key.to_owned(), value: found, ..KeyValue::default() }
}

pub(crate) fn now() -> u64 {
    u64::try_from(Timestamp::now().as_nanosecond()).unwrap_or_default()
}

fn nanoseconds(timestamp: &str) -> u64 {
    let time = timestamp.parse::<Timestamp>().map_or(0, Timestamp::as_nanosecond);
    u64::try_from(time).unwrap_or_default()
}
