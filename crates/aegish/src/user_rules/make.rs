//! `aegish allow`, `ask` and `deny`: a rule from the command line, shown before it is saved.

use super::{Whose, before_saving, candidates, may_loosen, place, role_of, save};
use crate::{configuration, source};
use aegish_config::Config;
use aegish_guard::{
    Action, Authority, HostPattern, Lifts, OptionPattern, PathPattern, Reach, Request, Role, Shape,
    Shapes, TextPattern, UserRule, Verb, check, preview, rule, shapes_of,
};
use aegish_terminal::{ExitKind, Failure, Screen, visible};
use clap::Args;
use std::io::{self, BufRead, IsTerminal, Write};
#[cfg(feature = "serve")]
use std::path::Path;
use std::path::PathBuf;

#[derive(Args, Default)]
pub(crate) struct RuleOptions {
    /// The program and the subcommand the rule is about; `*` stands for anything
    #[arg(value_name = "PROGRAM [SUBCOMMAND]", required_unless_present_any = ["like", "exactly"])]
    words: Vec<String>,
    /// Commands like this one: same program, subcommand and options, files and hosts in the same places
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["words", "exactly"])]
    like: Option<String>,
    /// This command alone, in this directory
    #[arg(long, value_name = "COMMAND", conflicts_with = "words")]
    exactly: Option<String>,
    /// An option that has to be given, with its other spellings or a value: `--force|-f`, `--format=json`
    #[arg(long = "option", value_name = "OPTION", allow_hyphen_values = true)]
    options: Vec<String>,
    /// An option that must not be given
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    without: Vec<String>,
    /// No options but those named with --option
    #[arg(long)]
    no_other_options: bool,
    /// What arguments look like; for allow all of them, else one of them
    #[arg(long = "argument", value_name = "PATTERN", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// Files the command reads or changes: `build/**`, `~/notes/*.md`
    #[arg(long = "path", value_name = "PATTERN")]
    paths: Vec<String>,
    /// Hosts it talks to: `github.com`, `*.example.org`
    #[arg(long = "host", value_name = "PATTERN")]
    hosts: Vec<String>,
    /// Only in this directory and below
    #[arg(long, value_name = "DIR")]
    within: Option<PathBuf>,
    /// Only for this role
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<Role>,
    /// allow: only against this rule of the guard; see `aegish rules`
    #[arg(long, value_name = "RULE")]
    against: Vec<String>,
    /// allow: also what the rules named with --against block, but for the protected core
    #[arg(long)]
    even_blocked: bool,
    /// It counts for this long: `30m`, `2h`, `7d`
    #[arg(long = "for", value_name = "TIME")]
    span: Option<String>,
    /// allow: it counts for one command that runs
    #[arg(long)]
    once: bool,
    /// Why; shown when the rule stops something
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    /// A command the rule has to fit; kept with it
    #[arg(long = "example", value_name = "COMMAND")]
    examples: Vec<String>,
    /// A command it must not fit
    #[arg(long = "not", value_name = "COMMAND")]
    counterexamples: Vec<String>,
    /// What to call it
    #[arg(long)]
    name: Option<String>,
    /// A rule of the system, for everybody; root's, and the only kind that reaches the protected core
    #[arg(long)]
    system: bool,
    /// Save without asking
    #[arg(long, short = 'y')]
    yes: bool,
    /// Only show what it would be and what it fits
    #[arg(long)]
    dry_run: bool,
    /// Where the example command runs, if not here.
    #[arg(skip)]
    directory: Option<PathBuf>,
}

/// Saves rules that allow commands like this one for some time, and returns them.
#[cfg(feature = "serve")]
pub(crate) fn grant(
    command: &str,
    directory: Option<&Path>,
    span: &str,
    config: &Config,
) -> Result<Vec<UserRule>, Failure> {
    if !may_loosen(config) {
        return Err(Failure::usage("in production only root's rules allow anything"));
    }
    let options = RuleOptions {
        like: Some(command.to_owned()),
        span: Some(span.to_owned()),
        because: Some("given on the page of aegish serve".to_owned()),
        directory: directory.map(Path::to_path_buf),
        ..RuleOptions::default()
    };
    let mut made = rules(Verb::Allow, &options, config)?;
    let dir = place(config, Whose::User)?;
    for rule in &mut made {
        save(rule, &dir, Whose::User)?;
    }
    Ok(made)
}

pub(crate) fn run(
    verb: Verb,
    options: &RuleOptions,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let whose = if options.system { Whose::System } else { Whose::User };
    if verb == Verb::Allow && whose == Whose::User && !may_loosen(&config) {
        return Err(Failure::usage(
            "no rule was saved: in production only root's rules allow anything; \
             as root: aegish allow --system …",
        ));
    }
    let mut made = rules(verb, options, &config)?;
    let dir = place(&config, whose)?;
    for rule in &mut made {
        show(rule, &config, screen)?;
        if let Some(broken) = super::broken_example(rule, &config) {
            return Err(Failure::usage(format!("no rule was saved: {broken}")));
        }
        unheard(rule)?;
    }
    if options.dry_run {
        screen.put("nothing was saved: --dry-run").end();
        return Ok(ExitKind::Allow);
    }
    if !options.yes && !confirmed(screen)? {
        screen.put("nothing was saved").end();
        return Ok(ExitKind::Warn);
    }
    for rule in &mut made {
        let path = save(rule, &dir, whose)?;
        screen.put(format_args!("saved as {}", visible(&path.display().to_string()))).end();
        screen.put(format_args!("to undo: aegish policy remove {}", rule.name)).end();
    }
    Ok(ExitKind::Allow)
}

fn show(rule: &UserRule, config: &Config, screen: &mut Screen) -> Result<(), Failure> {
    let context = source::context(&source::surroundings(None));
    let commands = candidates(rule, config);
    let role = role_of(rule, config)?;
    let others = super::UserRules::of(config);
    let commands = commands.iter().map(String::as_str);
    let changes = preview(rule, others.rules(), commands, &context, role);
    before_saving(rule, &changes, screen);
    Ok(())
}

/// Refuses a rule that could never apply.
fn unheard(user_rules: &UserRule) -> Result<(), Failure> {
    if user_rules.lifts.reach != Reach::Blocks || user_rules.authority == Authority::System {
        return Ok(());
    }
    for name in &user_rules.lifts.against {
        let kinds = rule(name).map_or(&[][..], |rule| rule.kinds);
        if !kinds.is_empty() && kinds.iter().all(|kind| kind.core) {
            return Err(Failure::usage(format!(
                "no rule was saved: {name} is part of the protected core (credentials, escalation, the \
                 guard itself), and only a rule of root's reaches that: aegish allow --system …"
            )));
        }
    }
    Ok(())
}

/// Asks on the terminal. Without one nothing is saved.
fn confirmed(screen: &mut Screen) -> Result<bool, Failure> {
    let shown = std::mem::replace(screen, Screen::standard());
    shown.finish().map_err(|error| Failure::internal(format!("no rule was saved: {error}")))?;
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "no rule was saved: nobody is here to look at it; --yes saves it all the same",
        ));
    }
    let mut output = io::stdout();
    let _ = write!(output, "Save it? [y/N] ").and_then(|()| output.flush());
    let mut line = String::new();
    let _ = io::stdin().lock().read_line(&mut line);
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// The rule that the options describe; several if the example command has several parts with warnings.
fn rules(verb: Verb, options: &RuleOptions, config: &Config) -> Result<Vec<UserRule>, Failure> {
    let usage = |error: String| Failure::usage(format!("no rule was saved: {error}"));
    let surroundings = source::surroundings(None);
    let path = |text: &str| PathPattern::new(text, &surroundings.home, &surroundings.cwd);
    let mut made = match options.like.as_deref().or(options.exactly.as_deref()) {
        Some(command) => of_command(verb, command, options, config)?,
        None => vec![of_words(verb, &options.words).map_err(usage)?],
    };
    let against = options.against.iter().map(|name| {
        let found = rule(name).map(|rule| rule.name);
        found.ok_or_else(|| format!("there is no rule {name}; `aegish rules` lists them"))
    });
    let against: Vec<&'static str> = against.collect::<Result<_, _>>().map_err(usage)?;
    if verb != Verb::Allow && (!against.is_empty() || options.even_blocked || options.once) {
        return Err(usage("--against, --even-blocked and --once are for allow".to_owned()));
    }
    let until = options.span.as_deref().map(aegish_audit::after).transpose().map_err(usage)?;
    for user_rules in &mut made {
        let shape = &mut user_rules.shape;
        shape.options.extend(read(&options.options, OptionPattern::new).map_err(usage)?);
        shape.without.extend(read(&options.without, OptionPattern::new).map_err(usage)?);
        shape.no_other_options |= options.no_other_options;
        shape.arguments.extend(read(&options.arguments, TextPattern::new).map_err(usage)?);
        shape.paths.extend(read(&options.paths, path).map_err(usage)?);
        shape.hosts.extend(read(&options.hosts, HostPattern::new).map_err(usage)?);
        shape.roles.extend(&options.roles);
        if let Some(directory) = &options.within {
            let text = directory.to_string_lossy();
            shape.within = Some(path(&text).map_err(usage)?);
        }
        if !against.is_empty() {
            user_rules.lifts.against.clone_from(&against);
        }
        if options.even_blocked {
            user_rules.lifts.reach = Reach::Blocks;
        }
        if user_rules.lifts.reach == Reach::Blocks && user_rules.lifts.against.is_empty() {
            return Err(usage("--even-blocked needs --against RULE".to_owned()));
        }
        user_rules.authority = if options.system { Authority::System } else { Authority::Person };
        user_rules.until.clone_from(&until);
        user_rules.once = options.once;
        user_rules.because.clone_from(&options.because);
        user_rules.examples.extend(options.examples.iter().cloned());
        user_rules.counterexamples.clone_from(&options.counterexamples);
        if let Some(name) = &options.name {
            user_rules.name = file_name(name).map_err(usage)?;
        }
    }
    Ok(made)
}

fn read<T>(texts: &[String], one: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    texts.iter().map(|text| one(text)).collect()
}

/// `git push` → the program git with the subcommand push.
fn of_words(verb: Verb, words: &[String]) -> Result<UserRule, String> {
    let mut patterns = words.iter().map(|word| {
        if word.starts_with('-') {
            return Err(format!("{word} is an option; write --option {word}"));
        }
        TextPattern::new(word)
    });
    let program = patterns.next().transpose()?;
    let subcommand = patterns.collect::<Result<Vec<_>, _>>()?;
    let name = words.join("-").replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-");
    let name = name.trim_matches(['-', '.']);
    let name = if name.is_empty() { "rule" } else { name };
    Ok(UserRule::new(name, verb, Shape { program, subcommand, ..Shape::default() }))
}

fn file_name(name: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 60 || name.starts_with('.') || !name.chars().all(fits) {
        return Err(format!("`{name}` is no name for a rule; use letters, digits, - and _"));
    }
    Ok(name.to_owned())
}

/// Rules for commands like this one, or for this one only.
fn of_command(
    verb: Verb,
    command: &str,
    options: &RuleOptions,
    config: &Config,
) -> Result<Vec<UserRule>, Failure> {
    let usage = |error: String| Failure::usage(format!("no rule was saved: {error}"));
    let context = source::context(&source::surroundings(options.directory.as_deref()));
    let role = configuration::role(config)?;
    let request = Request { text: command.as_bytes(), context: &context, role, user_rules: &[] };
    let unsure = || usage("only the run can tell what that command is".to_owned());
    let mut rules = if verb == Verb::Allow {
        let decision = check(&request);
        match decision.action() {
            Action::Allow => {
                return Err(usage("that command is allowed already".to_owned()));
            }
            Action::Block if !options.even_blocked => {
                return Err(usage(format!(
                    "that command is blocked by {}, and a rule takes only warnings away; \
                     --even-blocked reaches further",
                    decision.rule().name
                )));
            }
            Action::Warn | Action::Block => {}
        }
        let proposals = decision.rules_against(&request).ok_or_else(unsure)?;
        let chosen = proposals.into_iter().map(|proposal| match options.exactly {
            Some(_) => proposal.exact,
            None => proposal.alike.or(proposal.exact),
        });
        chosen.collect::<Option<Vec<_>>>().ok_or_else(unsure)?
    } else {
        let mut shapes = shapes_of(&request);
        if shapes.len() != 1 {
            return Err(usage("that is not one command; a rule is about one".to_owned()));
        }
        let Shapes { name, alike, exact } = shapes.remove(0);
        let shape = if options.exactly.is_some() { exact } else { alike.or(exact) };
        vec![UserRule::new(&name, verb, shape.ok_or_else(unsure)?)]
    };
    for rule in &mut rules {
        if rule.lifts != Lifts::default() {
            rule.lifts.reach = if options.even_blocked { Reach::Blocks } else { Reach::Warnings };
        }
        if rules_alone(command) {
            rule.examples.push(command.to_owned());
        }
    }
    Ok(rules)
}

/// Whether a text can be an example: one line.
fn rules_alone(command: &str) -> bool {
    !command.contains('\n')
}
