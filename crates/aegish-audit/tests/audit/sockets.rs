//! Syslog and journald, replaced by sockets of the test.

use crate::{ROOMY, Scratch, decision, verdict, who};
use aegish_audit::{
    AuditAction, AuditEvent, AuditLog, Fate, LogLocation, Outlet, Recorder, verify,
};
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

fn listener(scratch: &Scratch, name: &str) -> (UnixDatagram, std::path::PathBuf) {
    let path = scratch.path().join(name);
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    (socket, path)
}

fn next(socket: &UnixDatagram) -> String {
    let mut bytes = vec![0; 256 * 1024];
    let length = socket.recv(&mut bytes).unwrap();
    String::from_utf8(bytes[..length].to_vec()).unwrap()
}

fn blocked(command: &str) -> AuditEvent {
    let mut verdict = verdict(command);
    verdict.action = AuditAction::Block;
    verdict.fate = Fate::Blocked;
    AuditEvent::Decision(Box::new(verdict))
}

#[test]
fn syslog_gets_the_line_of_the_file() {
    let scratch = Scratch::new();
    let (socket, path) = listener(&scratch, "log");
    let log = AuditLog::new(LogLocation::own(scratch.dir(), "ada"), ROOMY);
    let mut recorder = Recorder::new(who(), Some(log), vec![Outlet::Syslog(path)]);
    recorder.record(&decision("true")).unwrap();
    recorder.record(&blocked("cat /etc/shadow")).unwrap();
    let text = std::fs::read_to_string(scratch.log()).unwrap();
    let pid = std::process::id();
    for (line, priority) in text.lines().zip([86, 84]) {
        assert_eq!(next(&socket), format!("<{priority}>aegish[{pid}]: {line}"));
    }
}

#[test]
fn journald_gets_fields() {
    let scratch = Scratch::new();
    let (socket, path) = listener(&scratch, "journal");
    let mut recorder = Recorder::new(who(), None, vec![Outlet::Journal(path)]);
    recorder.record(&blocked("cat /etc/shadow\n# two lines")).unwrap();
    let message = next(&socket);
    let (first, rest) = message.split_once('\n').unwrap();
    let json: serde_json::Value =
        serde_json::from_str(first.strip_prefix("MESSAGE=").unwrap()).unwrap();
    assert_eq!(json["command"], "cat /etc/shadow\n# two lines");
    assert_eq!(
        rest,
        "PRIORITY=4\nSYSLOG_FACILITY=10\nSYSLOG_IDENTIFIER=aegish\nAEGISH_SESSION=5e55\n\
         AEGISH_USER=ada\nAEGISH_ACTION=block\nAEGISH_RULE=normal-operation\n"
    );
}

#[test]
fn without_a_file_the_session_has_a_chain_of_its_own() {
    let scratch = Scratch::new();
    let (socket, path) = listener(&scratch, "log");
    let mut recorder = Recorder::new(who(), None, vec![Outlet::Syslog(path)]);
    for number in 1..=3 {
        assert_eq!(recorder.record(&decision("true")).unwrap(), number);
    }
    let lines: String =
        (0..3).map(|_| format!("{}\n", next(&socket).split_once(": ").unwrap().1)).collect();
    let gathered = scratch.path().join("gathered.log");
    std::fs::write(&gathered, lines).unwrap();
    assert_eq!(verify(&gathered).unwrap().unwrap().entries, 3);
}

#[test]
fn an_entry_that_is_too_long_for_a_datagram_is_sent_shorter() {
    let scratch = Scratch::new();
    let (socket, path) = listener(&scratch, "log");
    let mut recorder = Recorder::new(who(), None, vec![Outlet::Syslog(path)]);
    recorder.record(&decision(&"\u{1}".repeat(30_000))).unwrap();
    let message = next(&socket);
    assert!(message.len() < 8192, "{}", message.len());
    let json: serde_json::Value =
        serde_json::from_str(message.split_once(": ").unwrap().1).unwrap();
    assert_eq!(json["seq"], 1);
    assert_eq!(json["command"].as_str().unwrap().len(), 800);
}

#[test]
fn a_receiver_that_is_not_there_is_an_error_and_the_file_is_written() {
    let scratch = Scratch::new();
    let log = AuditLog::new(LogLocation::own(scratch.dir(), "ada"), ROOMY);
    let gone = scratch.path().join("gone");
    let mut recorder = Recorder::new(who(), Some(log), vec![Outlet::Syslog(gone.clone())]);
    let why = recorder.record(&decision("true")).unwrap_err().to_string();
    assert!(why.contains(&gone.display().to_string()), "{why}");
    assert_eq!(verify(&scratch.log()).unwrap().unwrap().entries, 1);
}
