//! `cargo xtask gen`: the pages that follow from code and data.

use crate::ci::cargo;
use crate::{dependencies, sizes};
use aegish_guard::{Role, Rule};
use std::fmt::Write as _;
use std::fs;

/// The tasks whose help is shown.
const TASKS: &[&str] = &[
    "",
    "check",
    "explain",
    "models",
    "config",
    "config show",
    "config check",
    "config trust",
    "doctor",
    "setup",
    "setup login",
    "setup undo",
    "rules",
    "programs",
    "bench",
    "bench data",
    "bench data export",
    "bench data gtfobins",
    "bench data harmless",
    "bench run",
    "bench retry",
    "bench worker",
    "bench score",
    "bench compare",
];

const NOTE: &str = "<!-- Made by `cargo xtask gen`; changes here are lost. -->\n\n";

/// Writes the pages, or says which ones are out of date.
pub(crate) fn run(check: bool) -> Result<(), String> {
    let (graph, cycles) = dependencies::page(NOTE)?;
    let pages = [
        ("docs/design/dependency-graph.md", graph),
        (dependencies::KNOWN_CYCLES, cycles),
        (sizes::EXCEPTIONS, sizes::exceptions(&crate::root())?),
        ("docs/reference/rules.md", rules()),
        ("docs/reference/programs.md", programs()),
        ("docs/reference/configuration.md", crate::configuration::page(NOTE)),
        ("docs/reference/cli.md", command_line()?),
    ];
    let mut stale = Vec::new();
    for (name, text) in pages {
        let path = crate::root().join(name);
        if fs::read_to_string(&path).is_ok_and(|present| present == text) {
            continue;
        }
        if check {
            stale.push(name);
            continue;
        }
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {name}");
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("out of date, run `cargo xtask gen`: {}", stale.join(", ")))
}

fn rules() -> String {
    let mut page = format!("# Rules\n\n{NOTE}");
    page.push_str("The first rule that matches, in this order, names a finding; the verdict is the strictest of all\nfindings.\n\n");
    page.push_str("| id | rule | usually | what |\n|---|---|---|---|\n");
    for rule in aegish_guard::rules() {
        let id = if rule.id == rule.name { "" } else { rule.id };
        let (name, action, summary) = (rule.name, rule.action, rule.summary);
        let _ = writeln!(page, "| {id} | [{name}](#{name}) | {action} | {summary} |");
    }
    aegish_guard::rules().for_each(|rule| manual(rule, &mut page));
    page
}

fn manual(rule: &Rule, page: &mut String) {
    let _ = writeln!(page, "\n## {}\n", rule.name);
    if rule.id == rule.name {
        let _ = writeln!(page, "{}.", rule.title.trim_end_matches('.'));
    } else {
        let _ = writeln!(page, "Rule {}: {}.", rule.id, rule.title.trim_end_matches('.'));
    }
    let mut code = false;
    // The first line of the page repeats the title.
    let text = rule.manual.trim();
    let text = text.find("# What").and_then(|at| text.get(at..)).unwrap_or(text);
    page.push('\n');
    for line in text.lines() {
        code ^= line.starts_with("```");
        let deeper = if !code && line.starts_with('#') { "##" } else { "" };
        let _ = writeln!(page, "{deeper}{line}");
    }
    if rule.kinds.is_empty() {
        return;
    }
    page.push_str("\n### Answers\n\n| kind |");
    for role in Role::ALL {
        let _ = write!(page, " {role} |");
    }
    page.push_str("\n|---|---|---|---|\n");
    for kind in rule.kinds {
        let _ = write!(page, "| {} |", kind.name);
        for role in Role::ALL {
            let open = if kind.open { " (open)" } else { "" };
            let _ = write!(page, " {}{open} |", kind.action(role));
        }
        page.push('\n');
    }
}

fn programs() -> String {
    let profiles = aegish_profiles::all();
    let mut page = format!("# Programs\n\n{NOTE}");
    let _ = writeln!(
        page,
        "{} programs are known: their options, operands and effects. `aegish programs NAME` shows one; the\nfiles are in `data/programs`, their format in [profile-format.md](profile-format.md).\n",
        profiles.len()
    );
    page.push_str("| program | also called | what |\n|---|---|---|\n");
    for profile in profiles {
        let summary = profile.summary.replace('|', "\\|");
        let _ = writeln!(page, "| {} | {} | {summary} |", profile.name, profile.aliases.join(", "));
    }
    page
}

/// The help of the binary itself.
fn command_line() -> Result<String, String> {
    let mut page =
        format!("# Command line\n\n{NOTE}Exit status: [exit-codes.md](exit-codes.md).\n");
    for task in TASKS {
        let mut arguments = vec!["run", "--quiet", "--package", "aegish", "--"];
        arguments.extend(task.split_whitespace());
        arguments.push("--help");
        let output = cargo(&arguments)
            .output()
            .map_err(|error| format!("the binary did not start: {error}"))?;
        if !output.status.success() {
            return Err(format!("no help: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let title = if task.is_empty() { "aegish".to_owned() } else { format!("aegish {task}") };
        let _ = write!(page, "\n## {title}\n\n```text\n");
        for line in String::from_utf8_lossy(&output.stdout).trim().lines() {
            let _ = writeln!(page, "{}", line.trim_end());
        }
        page.push_str("```\n");
    }
    Ok(page)
}
