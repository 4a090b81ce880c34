//! Script blocks, code made of text, redirections, matches.

use super::binding::PowerShellBinding;
use super::{PowerShellCalls, PowerShellState};
use crate::effect::CodeEffect;
use crate::value::{Args, Forgotten, LOST, Partial, Val, is_own, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use aegish_code_library::powershell::patterns::{compiled, plain};
use aegish_values::Value;
use easy_ext::ext;
use std::rc::Rc;

#[ext(PowerShellBlocks)]
pub(super) impl Interpreter<'_> {
    /// Calls a script block or a function with words as its arguments.
    fn call_block(&mut self, block: &Val, words: &[Val], input: Option<&Val>, dotted: bool) -> Val {
        match block {
            Val::OneOf(_) => {
                self.each(block, |this, one| this.call_block(one, words, input, dotted))
            }
            Val::Function(closure) => {
                let closure = Rc::clone(closure);
                let mut args = self.bound_words(&closure, words);
                let input = input.cloned().unwrap_or(Val::None);
                args.named.push(("$input".into(), input));
                self.state.with(|shell: &mut PowerShellState| shell.dotted = dotted);
                let value = self.powershell_enter(&closure, args);
                self.state.with(|shell: &mut PowerShellState| shell.dotted = false);
                value
            }
            Val::List(_) => {
                let items = self.powershell_items(block);
                let mut last = Val::None;
                for one in items.list.iter().chain(&items.rest) {
                    last = self.call_block(one, words, input, dotted);
                }
                last
            }
            Val::None => Val::None,
            Val::Unknown(..) | Val::Method(_) => self.hidden_code(block),
            other => {
                let list = words.to_vec();
                self.call(other, Args::of(list))
            }
        }
    }

    /// A script block of a text.
    fn code_block(&mut self, code: &Val) -> Val {
        match code {
            Val::Function(_) | Val::Partial(_) => code.clone(),
            other => {
                let text = Val::Text(self.powershell_text(other));
                let function = Val::Library("<code>".into());
                Val::Partial(Rc::new(Partial { function, args: Args::of(vec![text]) }))
            }
        }
    }

    /// Evaluates text as code; the value is its output.
    fn run_code(&mut self, code: &Val) -> Val {
        let list = match code {
            Val::Function(_) | Val::Partial(_) => return self.call_block(code, &[], None, true),
            Val::List(_) | Val::Tuple(_) => {
                let items = self.powershell_items(code);
                if items.list.len() > 1 && items.rest.is_none() {
                    // Lines of a script, given as one text or one by one.
                    let lines = self.joined(&items, &Value::known("\n"));
                    vec![Val::Text(lines)]
                } else {
                    items.list.into_iter().chain(items.rest).collect()
                }
            }
            Val::Dict(_) => vec![Val::Text(self.powershell_text(code))],
            Val::Library(_) | Val::Process(_) | Val::Method(_) => {
                vec![Val::Unknown(self.taint_of(code), Forgotten::Data)]
            }
            other => vec![other.clone()],
        };
        let mut unknown = None;
        let items = self.collected(|this| {
            for one in &list {
                let value = this.evaluate(one, None);
                if matches!(value, Val::Unknown(_, Forgotten::Callable)) {
                    this.state.with(|shell: &mut PowerShellState| shell.foreign = true);
                    unknown = Some(value);
                }
            }
        });
        match unknown {
            Some(value) => value,
            None => self.unrolled(items),
        }
    }

    /// A block with the variables that it keeps.
    fn new_closure(&mut self, block: &Val) -> Val {
        let mut pairs: Vec<(Val, Val)> = Vec::new();
        let mut scope = Some(Rc::clone(&self.scope));
        while let Some(at) = scope {
            for (name, place) in at.names() {
                if name.starts_with('$')
                    && !pairs.iter().any(|(key, _)| key.as_known().as_deref() == Some(&name))
                    && let crate::heap::Binding::Bound(value) = self.heap.variable(place)
                {
                    pairs.push((Val::text(&*name), value));
                }
            }
            scope = at.parent.clone();
        }
        pairs.sort_by_key(|(key, _)| key.as_known());
        let kept = self.new_dict(pairs, None);
        let function = Val::Library("<closure>".into());
        Val::Partial(Rc::new(Partial { function, args: Args::of(vec![block.clone(), kept]) }))
    }

    fn run_closure(&mut self, args: &Args) -> Val {
        let (Some(block), Some(Val::Dict(place))) = (args.get(0).cloned(), args.get(1).cloned())
        else {
            return Val::unknown();
        };
        let words: Vec<Val> = args.list.iter().skip(2).cloned().collect();
        self.scoped(|this| {
            for (key, value) in &this.heap.entries(place).list {
                if let Some(name) = key.as_known() {
                    this.bind(&name.into(), value.clone());
                }
            }
            this.call_block(&block, &words, None, false)
        })
    }

    /// Output that goes into a file.
    fn redirect(&mut self, value: &Val, file: &Val, args: &Args) -> Val {
        let append = args.get(2).is_some_and(|append| *append == Val::Bool(true));
        let output = args.get(3).is_some_and(|output| *output == Val::Bool(true));
        let path = self.powershell_text(file);
        if *file == Val::None || matches!(path.as_known(), Some("" | "/dev/null" | "NUL")) {
            return if output { Val::None } else { value.clone() };
        }
        let content = match output {
            true => self.content_lines(value),
            false => Value::unknown("messages"),
        };
        let path = self.resolved(&path);
        self.write_file(&path, content, append);
        if output { Val::None } else { value.clone() }
    }

    /// A value as the lines of a file.
    fn content_lines(&mut self, value: &Val) -> Value {
        match value {
            Val::List(_) | Val::Tuple(_) => {
                let items = self.powershell_items(value);
                self.joined(&items, &Value::known("\n"))
            }
            other => self.powershell_text(other),
        }
    }

    /// `-match`: it also sets `$Matches`.
    fn match_pattern(&mut self, path: &str, a: &Val, b: &Val) -> Val {
        let negated = path.starts_with("<not");
        let cased = path.ends_with("cmatch>");
        let text = self.powershell_text(a);
        let pattern = self.powershell_text(b).as_known().and_then(|b| compiled(b, cased));
        let (found, groups) = match (a, text.as_known(), &pattern) {
            (Val::List(_) | Val::Tuple(_), ..) => (None, None),
            (_, Some(known), Some(pattern)) if known.len() < 64 * 1024 && known.is_ascii() => {
                match pattern.captures(known.as_bytes()) {
                    Some(found) => {
                        let mut pairs = Vec::new();
                        for (place, name) in (0..).zip(pattern.capture_names()) {
                            let index = usize::try_from(place).unwrap_or(0);
                            let Some(group) = found.get(index) else { continue };
                            let key = name.map_or(Val::Int(place), Val::text);
                            pairs.push((key, Val::text(plain(group.as_bytes()))));
                        }
                        (Some(true), Some(self.new_dict(pairs, None)))
                    }
                    None => (Some(false), None),
                }
            }
            _ => (None, None),
        };
        let groups = match (found, groups) {
            (_, Some(groups)) => groups,
            (Some(_), None) => return Val::Bool(negated),
            (None, None) => {
                let part = if matches!(a, Val::List(_)) && is_own(&text) {
                    Value::unknown(LOST)
                } else {
                    part_of(&text)
                };
                self.new_dict(Vec::new(), Some(Val::Text(part)))
            }
        };
        let name = "$matches".into();
        let groups = match found {
            Some(_) => groups,
            None => join(&self.lookup(&name), &groups),
        };
        self.bind(&name, groups);
        match (found, a) {
            (Some(found), _) => Val::Bool(found != negated),
            // The items that match.
            (None, Val::List(_)) => {
                let rest = Some(self.element(a));
                self.heap.list(crate::heap::Items { list: Vec::new(), rest })
            }
            _ => Val::unknown(),
        }
    }

    /// Something runs that is not seen.
    fn hidden_code(&mut self, from: &Val) -> Val {
        let taint = self.taint_of(from);
        if taint.network().is_some() {
            self.record(CodeEffect::RunReceived);
        } else if !(self.uncalled && taint.is_none()) {
            self.record(CodeEffect::Hidden);
        }
        self.state.with(|shell: &mut PowerShellState| shell.foreign = true);
        Val::Unknown(taint, Forgotten::Callable)
    }
}
