//! The start of a session: a few lines about the guard's mode, and settings that are ignored.

use super::settings::ShellSettings;
use aegish_guard::JudgeMode;
use aegish_judge::Judge;
use aegish_terminal::{Screen, Style, visible};

/// Prints how the session is guarded, unless that is switched off. Ignored settings are always printed.
pub(crate) fn show(settings: &ShellSettings, judge: Option<(&Judge, JudgeMode)>) {
    let mut screen = Screen::errors();
    if settings.config.is_on("AEGISH_BANNER") {
        screen.paint(Style::Strong, concat!("aegish ", env!("CARGO_PKG_VERSION")));
        let (mode, role) = (settings.mode().as_str(), settings.role);
        let fail_mode = settings.config.word("AEGISH_FAIL_MODE");
        screen.put(format_args!("  {mode}, role {role}, fail mode {fail_mode}")).end();
        screen.paint(Style::Faint, asked(judge)).end();
        screen.paint(Style::Faint, settings.limits.summary(&settings.config)).end();
    }
    for note in settings.config.notes() {
        screen.put(format_args!("note: {}", visible(&note.to_string()))).end();
    }
    // If the terminal cannot be written to, reading from it will fail too.
    let _ = screen.finish();
}

/// The models of the judge, and when they are asked.
fn asked(judge: Option<(&Judge, JudgeMode)>) -> String {
    let Some((judge, mode)) = judge else {
        return "static side only: no model is asked".to_owned();
    };
    let members = judge.members();
    let ready: Vec<String> = members
        .iter()
        .filter(|member| member.place.is_ok())
        .map(|member| visible(&member.model))
        .collect();
    let about = match mode {
        JudgeMode::Always => "about every command",
        JudgeMode::Undecided | JudgeMode::Never => "about what the static side leaves open",
    };
    if ready.is_empty() {
        return "static side only: no model can be asked, see `aegish models`".to_owned();
    }
    format!("asked {about}: {}", ready.join(", "))
}
