//! `cargo xtask gen`: pages that are derived from code and data.

use crate::{ci, dependencies, sizes};
use aegish_guard::{Action, Role, Rule};
use aegish_profiles::SystemEffect;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const NOTE: &str = "<!-- Made by `cargo xtask gen`; changes here are lost. -->\n\n";

/// The file that lists the rules.
const REGISTRY: &str = "crates/aegish-policy/src/rules/mod.rs";
/// The file that lists the rules whose warnings a setting can answer.
const ANSWERS: &str = "crates/aegish-config/src/answers.rs";

/// Writes the pages, or names those that are out of date.
pub(crate) fn run(check: bool) -> Result<(), String> {
    let mut stale = Vec::new();
    if !is_current(REGISTRY, &registry()?) {
        if !check {
            // The rules are compiled into this program, so pages about them need a new build.
            write(REGISTRY, &registry()?)?;
            let again = ci::cargo(&["xtask", "gen"]).status();
            let ok = again.is_ok_and(|status| status.success());
            return if ok { Ok(()) } else { Err("the second pass failed".to_owned()) };
        }
        stale.push(REGISTRY);
    }
    let pages = [
        ("docs/design/dependency-graph.md", dependencies::page(NOTE)?),
        (sizes::EXCEPTIONS, sizes::exceptions(&crate::root())?),
        (ANSWERS, answers()?),
        ("docs/reference/rules.md", rules()),
        ("docs/reference/programs.md", programs()),
        ("docs/reference/system-effects.md", system_effects()),
        ("docs/reference/configuration.md", crate::configuration::page(NOTE)),
        ("docs/reference/cli.md", command_line()?),
    ];
    for (name, text) in pages {
        if is_current(name, &text) {
            continue;
        }
        if check {
            stale.push(name);
        } else {
            write(name, &text)?;
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("out of date, run `cargo xtask gen`: {}", stale.join(", ")))
}

fn is_current(name: &str, text: &str) -> bool {
    fs::read_to_string(crate::root().join(name)).is_ok_and(|present| present == text)
}

fn write(name: &str, text: &str) -> Result<(), String> {
    fs::write(crate::root().join(name), text).map_err(|error| format!("{name}: {error}"))?;
    println!("wrote {name}");
    Ok(())
}

/// The file with the modules and the list of rules. Removes rules without a file and adds new ones at the
/// end.
fn registry() -> Result<String, String> {
    let path = crate::root().join(REGISTRY);
    let text = sizes::read(&path)?;
    let (before, rest) = text.split_once("registry![\n").ok_or("no `registry![` in the rules")?;
    let is_module = |line: &&str| line.starts_with("pub(crate) mod ");
    let before: String = before.lines().filter(|line| !is_module(line)).map(with_end).collect();
    let (list, after) = rest.split_once("];\n").ok_or("no end of `registry![` in the rules")?;
    let files = sizes::rust_files(path.parent().unwrap_or(&path))?;
    let stem = |path: &PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    let files: Vec<String> = files.iter().filter_map(stem).filter(|name| name != "mod").collect();
    let listed: Vec<&str> = list.lines().map(|line| line.trim().trim_end_matches(',')).collect();
    let kept = listed.iter().copied().filter(|name| files.iter().any(|file| file == name));
    let new = files.iter().map(String::as_str).filter(|file| !listed.contains(file));
    let lines: String = kept.chain(new).map(|name| format!("    {name},\n")).collect();
    // Outside of the macro, so that rustfmt finds the files.
    let mut modules = files.clone();
    modules.sort();
    let modules: String = modules.iter().map(|name| format!("pub(crate) mod {name};\n")).collect();
    let before = before.trim_end();
    Ok(format!("{before}\n\n{modules}\nregistry![\n{lines}];\n{after}"))
}

/// The file with the list of the rules that can warn.
fn answers() -> Result<String, String> {
    const LIST: &str = "const WARNINGS: &[&str] = &[\n";
    let text = sizes::read(&crate::root().join(ANSWERS))?;
    let (before, rest) = text.split_once(LIST).ok_or("no `WARNINGS` in the answers")?;
    let (list, after) = rest.split_once("];\n").ok_or("no end of `WARNINGS` in the answers")?;
    let warns = |rule: &&Rule| {
        let variants = rule.kinds.iter().flat_map(|kind| Role::ALL.map(|role| kind.action(role)));
        // Rules of the guard itself have no variants: they stay.
        let own = rule.kinds.is_empty() && list.contains(&format!("\"{}\"", rule.name));
        own || variants.into_iter().any(|action| action == Action::Warn)
    };
    let mut names: Vec<&str> = aegish_guard::rules().filter(warns).map(|rule| rule.name).collect();
    names.sort_unstable();
    let lines: String = names.iter().map(|name| format!("    \"{name}\",\n")).collect();
    Ok(format!("{before}{LIST}{lines}];\n{after}"))
}

fn with_end(line: &str) -> String {
    format!("{line}\n")
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
    let profiles: Vec<_> = aegish_profiles::all().collect();
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

fn system_effects() -> String {
    let mut page = format!("# Effects on the system\n\n{NOTE}");
    page.push_str(
        "The words that a profile can write in `does`, `words` and `values`, before the colon; see\n\
         [profile-format.md](profile-format.md). Rules decide by them alone.\n\n\
         | words | meaning |\n|---|---|\n",
    );
    for entry in SystemEffect::VOCABULARY {
        let _ = writeln!(page, "| `{}` | {} |", entry.words, entry.meaning);
    }
    page
}

/// The help of the binary and of every subcommand.
fn command_line() -> Result<String, String> {
    let binary = ci::program("aegish", "aegish")?;
    let mut page =
        format!("# Command line\n\n{NOTE}Exit status: [exit-codes.md](exit-codes.md).\n");
    let mut tasks = vec!["aegish".to_owned()];
    while let Some(task) = tasks.pop() {
        let output = Command::new(&binary)
            .args(task.split(' ').skip(1))
            .arg("--help")
            .output()
            .map_err(|error| format!("the binary did not start: {error}"))?;
        if !output.status.success() {
            return Err(format!("no help: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let help = String::from_utf8_lossy(&output.stdout);
        let _ = write!(page, "\n## {task}\n\n```text\n");
        for line in help.trim().lines() {
            let _ = writeln!(page, "{}", line.trim_end());
        }
        page.push_str("```\n");
        tasks.extend(subcommands(&help).iter().rev().map(|name| format!("{task} {name}")));
    }
    Ok(page)
}

/// The names under `Tasks:` or `Commands:` in a page of help, in order, without `help`.
fn subcommands(help: &str) -> Vec<&str> {
    let is_head = |line: &&str| matches!(*line, "Tasks:" | "Commands:");
    let lines = help.lines().skip_while(|line| !is_head(line)).skip(1);
    let listed = lines.take_while(|line| !line.is_empty());
    // The description of an entry continues in lines with a larger indentation.
    listed
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect()
}

#[cfg(test)]
mod tests {
    use aegish_profiles::Lang;
    use std::collections::BTreeSet;

    #[test]
    fn every_path_that_the_contributing_page_names_exists() {
        let root = crate::root();
        let page = crate::sizes::read(&root.join("CONTRIBUTING.md")).unwrap();
        let tops = ["bench/", "cases/", "crates/", "data/", "docs/", "xtask/"];
        let paths = page.split('`').skip(1).step_by(2);
        for path in paths.filter(|path| tops.iter().any(|top| path.starts_with(top))) {
            // `NAME` is a placeholder.
            let known = path.split_once("NAME").map_or(path, |(before, _)| before);
            assert!(root.join(known).exists(), "{path}");
        }
    }

    #[test]
    fn the_page_about_profiles_names_every_language() {
        let page = crate::root().join("docs/reference/profile-format.md");
        let page = crate::sizes::read(&page).unwrap();
        let list = page.split("`LANG`: `").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
        let listed: BTreeSet<&str> = list.split_whitespace().collect();
        assert_eq!(listed, Lang::ALL.iter().map(|lang| lang.word()).collect());
    }

    #[test]
    fn subcommands_are_read_from_help_without_the_lines_that_go_on() {
        let help = "Text\n\nCommands:\n  check  Judges\n         a command\n  rules  Lists\n\nOptions:\n  -h\n";
        assert_eq!(super::subcommands(help), ["check", "rules"]);
        assert_eq!(super::subcommands(&help.replace("Commands:", "Tasks:")), ["check", "rules"]);
        assert!(super::subcommands("Options:\n  -h\n").is_empty());
    }

    #[test]
    fn the_page_of_the_command_line_has_the_tasks() {
        let page = crate::sizes::read(&crate::root().join("docs/reference/cli.md")).unwrap();
        for task in ["check", "run", "undo", "install", "setup login", "bench compare"] {
            assert!(page.contains(&format!("\n## aegish {task}\n")), "{task}");
        }
    }
}
