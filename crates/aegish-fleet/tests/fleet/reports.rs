//! Reports over the logs of several machines.

use aegish_audit::{
    AuditAction, AuditEvent, AuditLog, Fate, JudgedCommand, LogLocation, Recorder, Size, Who,
};
use aegish_fleet::{FleetTask, run_fleet};
use aegish_terminal::{ExitKind, Screen};
use aegish_test_support::folder::Folder;
use std::fs;
use std::path::Path;

fn record(dir: &Path, user: &str, actions: &[AuditAction]) {
    let who = Who {
        user: user.to_owned(),
        session: "5e55".to_owned(),
        role: "default".to_owned(),
        mode: "production".to_owned(),
    };
    fs::create_dir_all(dir).unwrap();
    let log = AuditLog::new(LogLocation::system(dir, user), Size { bytes: 1 << 20, files: 3 });
    let mut recorder = Recorder::new(who, Some(log), Vec::new());
    for action in actions {
        let rule = format!("rule-{}", action.as_str());
        let judged = JudgedCommand {
            reason: "because".to_owned(),
            cost_usd: Some(0.5),
            ..JudgedCommand::new(b"x", (*action, Fate::Run), ("4", &rule))
        };
        recorder.record(&AuditEvent::Decision(Box::new(judged))).unwrap();
    }
}

fn report(dir: &Path, format: &str) -> (ExitKind, String) {
    use clap::{FromArgMatches as _, Subcommand as _};
    let command = FleetTask::augment_subcommands(clap::Command::new("fleet"));
    let dir = dir.to_string_lossy();
    let found = command.get_matches_from(["fleet", "report", &*dir, "--format", format]);
    let task = FleetTask::from_arg_matches(&found).unwrap();
    let mut screen = Screen::standard();
    let ending = run_fleet(&task, &mut screen).unwrap();
    (ending, screen.into_text())
}

#[test]
fn logs_of_many_machines_add_up_and_a_changed_one_is_named() {
    use AuditAction::{Allow, Block, Warn, WarnOverridden};
    let folder = Folder::new("fleet-report");
    record(&folder.0.join("web1"), "kim", &[Allow, Allow, Block]);
    record(&folder.0.join("web1"), "ada", &[Warn, WarnOverridden]);
    record(&folder.0.join("db1"), "kim", &[Allow]);
    let (ending, text) = report(&folder.0, "text");
    assert_eq!(ending, ExitKind::Allow, "{text}");
    assert!(text.contains("6 commands on 2 machines"), "{text}");
    let (_, json) = report(&folder.0, "json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["machines"]["web1"]["verdicts"]["block"], 1);
    assert_eq!(json["machines"]["web1"]["users"]["ada"]["warn_overridden"], 1);
    assert_eq!(json["cost_usd"], 3.0);
    let log = folder.0.join("web1/kim.log");
    let changed = fs::read_to_string(&log).unwrap().replacen("because", "for fun", 1);
    fs::write(&log, changed).unwrap();
    let (ending, text) = report(&folder.0, "text");
    assert_eq!(ending, ExitKind::Failure);
    assert!(text.contains("not whole") && text.contains("kim.log:1"), "{text}");
}
