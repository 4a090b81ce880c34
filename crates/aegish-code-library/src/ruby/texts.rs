//! Methods of strings and regular expressions.

use crate::decode;
use crate::format::Formatting;
use crate::heap::Items;
use crate::javascript::patterns::ScriptPatterns;
use crate::machine::Machine;
use crate::operators::Operators;
use crate::ruby::lists::RubyLists;
use crate::ruby::packed::RubyPacked;
use crate::text_methods::TextMethods;
use crate::value::{Args, LOST, Val, join, part_of};
use aegish_values::Value;
use std::rc::Rc;

/// Most texts that a text is one of and that a method is applied to each of.
const READINGS: usize = 16;

/// Methods of strings and regular expressions.
pub trait RubyTexts: Machine {
    fn ruby_text_method(
        &mut self,
        text: &Value,
        name: &str,
        args: &Args,
        block: Option<&Val>,
    ) -> Val {
        let object = Val::Text(text.clone());
        self.burn(text.known_prefix().len() / 64);
        if name == "slice!" {
            return Val::Text(part_of(text));
        }
        let name = name.strip_suffix('!').filter(|base| !base.is_empty()).unwrap_or(name);
        match name {
            "to_s" | "to_str" | "to_sym" | "intern" | "itself" | "force_encoding" | "encode"
            | "b" | "unicode_normalize" | "scrub" | "-@" | "+@" | "read" | "string" | "to_path"
            | "html_safe" | "squish" | "strip_heredoc" | "body" | "content" | "cleanpath"
            | "expand_path" | "realpath" | "rewind" | "getbyte" | "message" | "full_message"
            | "output" | "response" | "value" | "read_body" | "valid_encoding?" | "shellescape" => {
                return object;
            }
            "<<" | "concat" | "+" => {
                let mut all = object;
                for part in &args.list {
                    let part = match part {
                        Val::Int(code) if name != "+" => crate::numbers::character(*code)
                            .map_or_else(Val::unknown, |c| Val::text(c.to_string())),
                        other => Val::Text(self.text_of(other)),
                    };
                    all = self.binary(&all, crate::ir::BinaryOp::Add, &part);
                }
                return all;
            }
            "prepend" => {
                let mut all = Value::empty();
                for part in &args.list {
                    all.append(&self.text_of(&part.clone()));
                }
                all.append(text);
                return Val::Text(all);
            }
            "replace" | "initialize_copy" => {
                return args.get(0).cloned().unwrap_or_else(Val::unknown);
            }
            "clear" => return Val::text(""),
            "%" => {
                let values = args.get(0).cloned().unwrap_or(Val::None);
                return Val::Text(self.ruby_format(text, &values));
            }
            "unpack" | "unpack1" => return self.unpacked(&object, name, args),
            "=~" | "match" | "match?" | "scan" | "===" | "slice" | "[]" | "start_with?"
            | "index"
                if matches!(args.get(0), Some(Val::Pattern(_))) =>
            {
                return self.searched(text, name, args, block);
            }
            "[]" | "slice" => {
                return match args.list.len() {
                    2 => {
                        let bounds = self.bounds(args);
                        self.slice(&object, &bounds)
                    }
                    _ => {
                        let index = args.get(0).cloned().unwrap_or(Val::None);
                        self.index(&object, &index)
                    }
                };
            }
            "each_line" | "lines" | "each_char" | "chars" | "bytes" | "each_byte"
            | "codepoints" | "split" | "shellsplit" | "grapheme_clusters" | "readlines"
            | "each" => {
                let parts = self.parts_of(text, name, args);
                return match (block, name) {
                    (Some(block), _) => {
                        let block = block.clone();
                        self.for_each(parts, &mut |this, item| {
                            this.call(&block, Args::of(vec![item.clone()]))
                        });
                        object
                    }
                    (None, _) => self.heap().list(parts),
                };
            }
            "gsub" | "sub" if block.is_some() => {
                // The block sees what matched.
                let part = Val::Text(part_of(text));
                let given = self.run_block(block, &part).unwrap_or_else(Val::unknown);
                let made = self.replaced_by_block(text, args, block);
                return made.unwrap_or_else(|| {
                    let mut all = Value::unknown(LOST).tainted(text.taint());
                    all = all.tainted(given.to_text().taint());
                    join(&Val::Text(all), &Val::Text(given.to_text()))
                });
            }
            "upto" | "each_with_index" | "tap_each" => {
                self.run_block(block, &object.forget());
                return object;
            }
            "empty?" | "length" | "size" | "bytesize" | "include?" | "end_with?"
            | "start_with?" | "casecmp?" | "casecmp" | "ord" | "hex" | "oct" | "to_i" | "to_f"
            | "count" | "index" | "rindex" | "hash" | "sum" | "ascii_only?" | "match?"
            | "exist?" | "code" | "success?" | "to_r" | "positive?" | "file?" | "directory?"
            | "eof?" | "close" => {
                return self.asked(text, name, args);
            }
            "parse" | "json" | "to_json" | "inspect" | "dump" => {
                return Val::Text(part_of(text));
            }
            _ => {}
        }
        let Some(readings) = text.readings(READINGS) else {
            return self.ruby_unknown_text_method(text, name, args, block);
        };
        let outside = args.values().any(|value| value.to_text().has_unknown());
        let mut result: Option<Val> = None;
        for reading in readings {
            let one = self.ruby_known_text_method(&reading, name, args).unwrap_or_else(|| {
                Val::Text(Value::unknown(if outside { "computed" } else { LOST }))
            });
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        if let Some(given) = self.run_block(block, &object) {
            result = result.map(|result| join(&result, &given));
        }
        match result.unwrap_or_else(Val::unknown) {
            Val::Text(value) => Val::Text(value.tainted(text.taint())),
            other => other,
        }
    }

    fn ruby_unknown_text_method(
        &mut self,
        text: &Value,
        name: &str,
        args: &Args,
        block: Option<&Val>,
    ) -> Val {
        let part = Val::Text(part_of(text));
        self.run_block(block, &part);
        match name {
            "strip" | "lstrip" | "rstrip" | "chomp" | "chop" | "delete_suffix" | "squeeze" => {
                Val::Text(text.clone())
            }
            "gsub" | "sub" | "tr" | "delete" => {
                match (args.get(0).and_then(Val::as_known), args.get(1)) {
                    (Some(from), Some(to)) if !from.is_empty() && name != "tr" => {
                        Val::Text(text.replace(&from, &to.to_text()))
                    }
                    _ => {
                        let mut taint = text.taint().clone();
                        args.values().for_each(|value| taint.absorb(value.to_text().taint()));
                        let mut made = Value::unknown("computed").tainted(&taint);
                        if let Some(to) = args.get(1) {
                            made = aegish_values::join_values(&made, &to.to_text());
                        }
                        Val::Text(made)
                    }
                }
            }
            _ => match crate::calls::find(self.language(), &format!("?.{name}")) {
                Some(entry) => {
                    let args = args.clone().with_first(Val::Text(text.clone()));
                    self.effect_call(&entry, &args, name)
                }
                None => {
                    self.run_callbacks(args, None);
                    part
                }
            },
        }
    }

    fn ruby_known_text_method(&mut self, text: &str, name: &str, args: &Args) -> Option<Val> {
        let arg = |place: usize| args.get(place).and_then(Val::as_known);
        let whitespace = |c: char| c.is_whitespace() || c == '\0';
        Some(Val::text(match name {
            "strip" => text.trim_matches(whitespace).to_owned(),
            "lstrip" => text.trim_start_matches(whitespace).to_owned(),
            "rstrip" => text.trim_end_matches(whitespace).to_owned(),
            "chomp" => match arg(0) {
                Some(end) => text.strip_suffix(end.as_str()).unwrap_or(text).to_owned(),
                None => text.trim_end_matches(['\n', '\r']).to_owned(),
            },
            "chop" => {
                let mut chars = text.chars();
                chars.next_back();
                chars.as_str().to_owned()
            }
            "chr" => text.chars().take(1).collect(),
            "upcase" => text.to_uppercase(),
            "downcase" => text.to_lowercase(),
            "swapcase" | "capitalize" => {
                return self.text_method(&Value::known(text), name, args).into();
            }
            "reverse" => text.chars().rev().collect(),
            "delete_prefix" => text.strip_prefix(arg(0)?.as_str()).unwrap_or(text).to_owned(),
            "delete_suffix" => text.strip_suffix(arg(0)?.as_str()).unwrap_or(text).to_owned(),
            "tr" | "tr_s" => aegish_code_effects::characters::translate(text, &arg(0)?, &arg(1)?)?,
            "delete" => {
                let set = aegish_code_effects::characters::character_set(&arg(0)?)?;
                text.chars().filter(|c| !set.contains(c)).collect()
            }
            "gsub" | "sub" => {
                if let Some(Val::Pattern(pattern)) = args.get(0) {
                    let to = arg(1)?;
                    let flags = if name == "gsub" {
                        format!("{}g", pattern.1)
                    } else {
                        pattern.1.to_string()
                    };
                    let pattern = (Rc::clone(&pattern.0), Rc::from(flags));
                    let to = to.replace('$', "$$").replace("\\0", "$&");
                    let to =
                        (1..10).fold(to, |to, n| to.replace(&format!("\\{n}"), &format!("${n}")));
                    let args = Args::of(vec![Val::unknown(), Val::text(to)]);
                    return self.matched(text, "replace", &pattern, &args);
                }
                let (from, to) = (arg(0)?, arg(1)?);
                if from.is_empty() || text.len().saturating_mul(to.len() + 1) > decode::LIMIT {
                    return None;
                }
                if name == "gsub" { text.replace(&from, &to) } else { text.replacen(&from, &to, 1) }
            }
            "*" => {
                let count = usize::try_from(args.get(0)?.as_int()?).ok()?;
                if text.len().saturating_mul(count) > decode::LIMIT {
                    return None;
                }
                text.repeat(count)
            }
            "center" | "ljust" | "rjust" => {
                return self.text_method(&Value::known(text), name, args).into();
            }
            "succ" | "next" => return None,
            "insert" => {
                let at = args.get(0)?.as_int()?;
                let chars: Vec<char> = text.chars().collect();
                let length = i64::try_from(chars.len()).ok()?;
                let at = usize::try_from(if at < 0 { length + at + 1 } else { at }).ok()?;
                let more = arg(1)?;
                let (before, after) = chars.split_at_checked(at)?;
                before.iter().copied().chain(more.chars()).chain(after.iter().copied()).collect()
            }
            "partition" | "rpartition" => {
                return self.text_method(&Value::known(text), name, args).into();
            }
            "crypt" | "encrypt" => return None,
            "constantize" => return Some(self.lookup(&text.into())),
            "/" | "join" => {
                let parts: Vec<Value> = std::iter::once(Value::known(text))
                    .chain(args.list.iter().map(Val::to_text))
                    .collect();
                return Some(Val::Text(aegish_code_effects::paths::join_paths(&parts)));
            }
            "basename" => aegish_code_effects::paths::base_name(text).to_owned(),
            "dirname" | "parent" => aegish_code_effects::paths::directory_name(text),
            _ => {
                // A method that a library gives to paths, or that is not known.
                let entry = crate::calls::find(self.language(), &format!("?.{name}"))?;
                let args = args.clone().with_first(Val::text(text));
                return Some(self.effect_call(&entry, &args, name));
            }
        }))
    }

    /// Questions about a text.
    fn asked(&mut self, text: &Value, name: &str, args: &Args) -> Val {
        let Some(known) = text.as_known() else { return Val::unknown() };
        let arg = |place: usize| args.get(place).and_then(Val::as_known);
        match name {
            "empty?" => Val::Bool(known.is_empty()),
            "length" | "size" => Val::Int(i64::try_from(known.chars().count()).unwrap_or(0)),
            "bytesize" => Val::Int(i64::try_from(known.len()).unwrap_or(0)),
            "include?" => arg(0).map_or_else(Val::unknown, |part| Val::Bool(known.contains(&part))),
            "start_with?" if args.list.len() == 1 => {
                arg(0).map_or_else(Val::unknown, |part| Val::Bool(known.starts_with(&part)))
            }
            "end_with?" if args.list.len() == 1 => {
                arg(0).map_or_else(Val::unknown, |part| Val::Bool(known.ends_with(&part)))
            }
            "ord" => known.chars().next().map_or(Val::None, |c| Val::Int(i64::from(u32::from(c)))),
            "hex" => i64::from_str_radix(known.trim_start_matches("0x"), 16)
                .map_or(Val::Int(0), Val::Int),
            "oct" => i64::from_str_radix(known, 8).map_or(Val::Int(0), Val::Int),
            "to_i" => {
                let base =
                    args.get(0).and_then(Val::as_int).and_then(|base| u32::try_from(base).ok());
                let base = base.filter(|base| (2..=36).contains(base)).unwrap_or(10);
                let digits: String =
                    known.trim().chars().take_while(|c| c.is_digit(base) || *c == '-').collect();
                Val::Int(i64::from_str_radix(&digits, base).unwrap_or(0))
            }
            _ => Val::unknown(),
        }
    }

    fn parts_of(&mut self, text: &Value, name: &str, args: &Args) -> Items {
        let rest = || Items { list: Vec::new(), rest: Some(Val::Text(part_of(text))) };
        let Some(known) = text.as_known().filter(|known| known.len() <= 8192) else {
            return rest();
        };
        let known = known.to_owned();
        let list: Vec<Val> = match name {
            "chars" | "each_char" | "grapheme_clusters" => {
                known.chars().map(|c| Val::text(c.to_string())).collect()
            }
            "bytes" | "each_byte" => known.bytes().map(|byte| Val::Int(i64::from(byte))).collect(),
            "codepoints" => known.chars().map(|c| Val::Int(i64::from(u32::from(c)))).collect(),
            "shellsplit" => match aegish_code_effects::words::split_words(&known) {
                Some(words) => words.into_iter().map(Val::text).collect(),
                None => return rest(),
            },
            "split" => match args.get(0) {
                None | Some(Val::None) => known.split_whitespace().map(Val::text).collect(),
                Some(Val::Pattern(pattern)) => {
                    let pattern = Rc::clone(pattern);
                    let args = Args::of(vec![Val::unknown()]);
                    match self.matched(&known, "split", &pattern, &args) {
                        Some(list) => self.iterate(&list).list,
                        None => return rest(),
                    }
                }
                Some(separator) => match (separator.as_known(), args.list.get(1)) {
                    (Some(separator), None) if separator == " " => {
                        known.split_whitespace().map(Val::text).collect()
                    }
                    (Some(separator), None) if separator.is_empty() => {
                        known.chars().map(|c| Val::text(c.to_string())).collect()
                    }
                    (Some(separator), None) => {
                        let mut parts: Vec<&str> = known.split(separator.as_str()).collect();
                        while parts.last().is_some_and(|part| part.is_empty()) {
                            parts.pop();
                        }
                        parts.into_iter().map(Val::text).collect()
                    }
                    (Some(separator), Some(Val::Int(most))) if *most > 0 => known
                        .splitn(usize::try_from(*most).unwrap_or(1), separator.as_str())
                        .map(Val::text)
                        .collect(),
                    _ => return rest(),
                },
            },
            _ => known.split_inclusive('\n').map(Val::text).collect(),
        };
        Items { list, rest: None }
    }

    /// A search with a pattern. What it finds is a part of the text.
    fn searched(&mut self, text: &Value, name: &str, args: &Args, block: Option<&Val>) -> Val {
        let part = Val::Text(part_of(text));
        self.bind_in_program(&"$~".into(), part.clone());
        self.run_block(block, &part);
        match (name, args.get(0)) {
            ("[]" | "slice", Some(Val::Pattern(pattern))) => {
                let pattern = Rc::clone(pattern);
                let group = match args.list.get(1) {
                    None => Some(0),
                    Some(group) => group.as_int(),
                };
                let found = text
                    .as_known()
                    .map(str::to_owned)
                    .and_then(|text| self.matched(&text, "match", &pattern, &Args::default()));
                match (found, group) {
                    (Some(Val::None), _) => Val::None,
                    (Some(list), Some(group)) => self.index(&list, &Val::Int(group)),
                    _ => part,
                }
            }
            ("scan", Some(Val::Pattern(pattern))) if block.is_none() => {
                let flags: Rc<str> = format!("{}g", pattern.1).into();
                let groups = pattern.0.contains('(');
                let pattern = (Rc::clone(&pattern.0), flags);
                let found = text
                    .as_known()
                    .map(str::to_owned)
                    .filter(|_| !groups)
                    .and_then(|text| self.matched(&text, "match", &pattern, &Args::default()));
                match found {
                    Some(Val::None) => self.new_list(Vec::new()),
                    Some(list) => list,
                    None => {
                        let item = if groups { self.new_list(vec![part; 4]) } else { part };
                        self.heap().list(Items { list: Vec::new(), rest: Some(item) })
                    }
                }
            }
            ("match", _) => self.heap().list(Items { list: Vec::new(), rest: Some(part) }),
            _ => Val::unknown(),
        }
    }

    fn ruby_pattern_method(
        &mut self,
        pattern: &Rc<(Rc<str>, Rc<str>)>,
        name: &str,
        args: &Args,
    ) -> Val {
        let subject = args.get(0).cloned().unwrap_or(Val::None);
        match name {
            "match" | "=~" | "===" | "match?" => {
                let text = self.text_of(&subject);
                let object = Args::of(vec![Val::Pattern(Rc::clone(pattern))]);
                self.searched(&text, if name == "===" { "=~" } else { name }, &object, None)
            }
            "source" | "to_s" | "inspect" => Val::text(&*pattern.0),
            _ => Val::unknown(),
        }
    }

    /// `gsub` with a block on a known text, as far as the block gives known texts.
    fn replaced_by_block(&mut self, text: &Value, args: &Args, block: Option<&Val>) -> Option<Val> {
        let (known, block) = (text.as_known()?.to_owned(), block?.clone());
        let pattern = match args.get(0)? {
            Val::Pattern(pattern) => Rc::clone(pattern),
            other => Rc::new((regex::escape(&other.as_known()?).into(), "m".into())),
        };
        let pattern = (Rc::clone(&pattern.0), Rc::from(format!("{}g", pattern.1)));
        let found = self.matched(&known, "match", &pattern, &Args::default())?;
        let mut rest = known.as_str();
        let mut made = String::new();
        for one in self.iterate(&found).list {
            let one = one.as_known()?;
            let (before, after) = rest.split_once(one.as_str())?;
            let given = self.call(&block, Args::of(vec![Val::text(one)]));
            made.push_str(before);
            made.push_str(&given.as_known()?);
            rest = after;
        }
        made.push_str(rest);
        Some(Val::text(made))
    }
}

impl<M: Machine> RubyTexts for M {}
