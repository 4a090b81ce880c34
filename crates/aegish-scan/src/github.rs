//! Workflows and composite actions of GitHub: `run` of their steps.

use crate::Unreadable;
use crate::embedded::{Builder, CommandForm, Embedded};
use crate::kind::{interpreter, is_shell};
use crate::yaml::{Node, Source, entries, get, items, string};

/// The mark that ends a script in another language.
const END: &str = "SCRIPT";

pub(crate) fn workflow(text: &str) -> Result<Vec<Embedded>, Unreadable> {
    let source = Source::new(text);
    let mut found = Vec::new();
    for document in source.documents()? {
        let shell = default_shell(&document);
        for (name, job) in get(&document, "jobs").into_iter().flat_map(entries) {
            let shell = default_shell(job).or(shell).or_else(|| runner_shell(job));
            let label = format!("jobs.{name}.steps");
            steps(&source, get(job, "steps"), &label, shell, &mut found);
        }
    }
    Ok(found)
}

pub(crate) fn action(text: &str) -> Result<Vec<Embedded>, Unreadable> {
    let source = Source::new(text);
    let mut found = Vec::new();
    for document in source.documents()? {
        let list = get(&document, "runs").and_then(|runs| get(runs, "steps"));
        steps(&source, list, "runs.steps", None, &mut found);
    }
    Ok(found)
}

/// `defaults.run.shell`
fn default_shell<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    string(get(get(get(node, "defaults")?, "run")?, "shell")?)
}

/// The shell of runners that have no bash by default.
fn runner_shell(job: &Node<'_>) -> Option<&'static str> {
    let runner = get(job, "runs-on")?;
    let named = |node: &Node<'_>| string(node).is_some_and(|name| name.starts_with("windows"));
    (named(runner) || items(runner).iter().any(named)).then_some("pwsh")
}

fn steps(
    source: &Source<'_>,
    list: Option<&Node<'_>>,
    label: &str,
    default: Option<&str>,
    found: &mut Vec<Embedded>,
) {
    for (number, step) in list.into_iter().flat_map(items).enumerate() {
        let Some(run) = get(step, "run") else { continue };
        let shell = get(step, "shell").and_then(string).or(default).unwrap_or("bash");
        let mut builder = Builder::new(source.text);
        let place = run.span.start.line();
        let Some(wrapper) = Wrapper::of(shell) else { continue };
        if let Wrapper::Interpreter(command) = &wrapper {
            builder.insert(&format!("{command} <<'{END}'\n"), 0);
        }
        source.append(run, &mut builder);
        if builder.is_blank() || place == 0 {
            continue;
        }
        if let Wrapper::Interpreter(_) = wrapper {
            builder.insert(&format!("\n{END}\n"), source.text.len());
        }
        let mut embedded = builder.finish(CommandForm::Script, format!("{label}[{number}].run"));
        embedded.text = without_expressions(&embedded.text);
        found.push(embedded);
    }
}

/// Who reads the text of a step.
enum Wrapper {
    /// Bash, or a shell of its language.
    Shell,
    /// This command line, on its standard input.
    Interpreter(String),
}

impl Wrapper {
    /// None: a language that nothing here reads (`cmd`).
    fn of(shell: &str) -> Option<Self> {
        // `bash -e {0}`: a template with the name of the script.
        let command = shell.replace("{0}", "").trim().to_owned();
        let program = interpreter(&command)?;
        Some(match program.as_str() {
            "cmd" => return None,
            "pwsh" | "powershell" => Self::Interpreter(format!("{program} -Command -")),
            "python" => Self::Interpreter("python3 -".to_owned()),
            name if is_shell(name) => Self::Shell,
            _ => Self::Interpreter(command),
        })
    }
}

/// `${{ … }}` is put in before the shell reads the text. A variable of the same length stands for it, so that places
/// stay as they are.
fn without_expressions(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${{") {
        let Some((inside, after)) = behind.split_once("}}") else { break };
        out.push_str(before);
        let name = "expression".chars().chain(std::iter::repeat('_'));
        out.push_str("${");
        // `${{` and `}}` are five bytes, `${` and `}` are three.
        out.extend(name.take(inside.len() + 2));
        out.push('}');
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{without_expressions, workflow};

    const WORKFLOW: &str = "\
name: ci
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make test
      - name: several
        run: |
          set -e
          echo ${{ github.ref }}

          curl -fsS https://example.org
      - shell: python
        run: |
          print(1)
";

    #[test]
    fn steps_are_scripts_with_their_places() {
        let found = workflow(WORKFLOW).unwrap();
        let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts[0], "make test");
        assert_eq!(texts[1], "set -e\necho ${expression____}\n\ncurl -fsS https://example.org\n");
        assert_eq!(texts[2], "python3 - <<'SCRIPT'\nprint(1)\n\nSCRIPT\n");
        assert_eq!(found[1].label, "jobs.build.steps[2].run");
        let at = |one: usize, word: &str| {
            let offset = found[one].text.find(word).unwrap();
            WORKFLOW.get(found[one].file_offset(offset)..).unwrap().starts_with(word)
        };
        assert!(at(0, "test") && at(1, "set") && at(1, "curl") && at(2, "print"));
    }

    #[test]
    fn windows_runs_powershell_and_cmd_is_left_out() {
        let file = "jobs:\n  a:\n    runs-on: windows-latest\n    steps:\n      - run: dir\n      - shell: cmd\n        run: dir\n";
        let found = workflow(file).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].text.starts_with("pwsh -Command - <<"));
    }

    #[test]
    fn an_expression_becomes_a_variable_of_the_same_length() {
        let text = "a ${{x}} b ${{ secrets.TOKEN }}";
        assert_eq!(without_expressions(text).len(), text.len());
        assert_eq!(without_expressions("${{x}}"), "${exp}");
    }

    #[test]
    fn broken_yaml_is_an_error_with_its_line() {
        assert!(workflow("jobs:\n  a: [\n").unwrap_err().line.is_some());
    }
}
