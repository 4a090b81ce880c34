//! Functions of types of the system that a table of calls cannot describe.

use super::PowerShellCalls;
use super::blocks::PowerShellBlocks;
use super::cmdlets::PowerShellCmdlets;
use super::items::PowerShellItems;
use super::members::PowerShellMembers;
use super::objects::PowerShellObjects;
use crate::effect::CodeEffect;
use crate::heap::Items;
use crate::value::{Args, Forgotten, LOST, Val, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::paths::join_paths;
use aegish_code_library::powershell::{each_text, number};
use aegish_code_library::{Decoding, PowerShellFormats, PowerShellPatterns, PowerShellValues};
use aegish_values::Value;
use easy_ext::ext;

#[ext(PowerShellStatics)]
pub(super) impl Interpreter<'_> {
    /// A function of a type; none if the table describes it.
    fn powershell_static(&mut self, path: &str, args: &Args) -> Option<Val> {
        if let Some(of) = path.strip_suffix("::new") {
            return match crate::calls::find(self.language, path) {
                Some(_) => None,
                None => Some(self.made(of, args.clone())),
            };
        }
        if path.starts_with("text.encoding::") {
            return self.encoding(path, args);
        }
        if let Some(name) = path.strip_prefix("convert::") {
            return self.convert(name, args);
        }
        let first = args.get(0).cloned().unwrap_or(Val::None);
        let text = self.powershell_text(&first);
        Some(match path {
            "string::join" => {
                let rest: Vec<Val> = args.list.iter().skip(1).cloned().collect();
                let items = self.flat(&rest);
                Val::Text(self.joined(&items, &text))
            }
            "string::concat" => {
                let items = self.flat(&args.list);
                Val::Text(self.joined(&items, &Value::empty()))
            }
            "string::format" => {
                let rest: Vec<Val> = args.list.iter().skip(1).cloned().collect();
                let items = self.flat(&rest);
                Val::Text(self.powershell_format(&first, &items))
            }
            "char::convertfromutf32" => self.cast("char", &first),
            "array::reverse" => {
                if let Val::List(place) = &first {
                    self.heap.update_items(*place, |items| match items.rest {
                        None => items.list.reverse(),
                        Some(_) => crate::heap::mix(items),
                    });
                }
                Val::None
            }
            "array::sort" => {
                if let Val::List(place) = &first {
                    self.heap.update_items(*place, crate::heap::mix);
                }
                Val::None
            }
            "regex::replace" => {
                let by = self.new_list(args.list.iter().skip(1).take(2).cloned().collect());
                self.replaced_by(&first, &by, true)
            }
            "regex::split" => self.split_by(&first, args.get(1), true),
            "regex::escape" | "regex::unescape" => Val::Text(part_of(&text)),
            "regex::match" | "regex::matches" => Val::Text(part_of(&text)),
            "environment::getenvironmentvariable" => match first.as_known() {
                Some(name) => self.environment(&name),
                None => Val::unknown(),
            },
            "environment::expandenvironmentvariables" => match text.as_known() {
                Some(known) if !known.contains('%') => first,
                _ => Val::Text(part_of(&text)),
            },
            "io.path::combine" | "io.path::join" => {
                let items = self.flat(&args.list);
                let parts: Vec<Value> = items
                    .list
                    .iter()
                    .chain(&items.rest)
                    .map(|item| self.powershell_text(item))
                    .collect();
                Val::Text(join_paths(&parts))
            }
            "io.path::getfullpath" => Val::Text(text),
            "io.path::getfilename" => {
                each_text(&text, |text| Some(Val::text(text.rsplit('/').next().unwrap_or(""))))
            }
            "io.path::getdirectoryname" => each_text(&text, |text| {
                Some(Val::text(text.rsplit_once('/').map_or("", |(under, _)| under)))
            }),
            "io.path::gettempfilename" | "io.path::getrandomfilename" => {
                let mut path = Value::known("/tmp/");
                path.push(aegish_values::Piece::Unknown("temporary name"));
                Val::Text(path)
            }
            "io.file::open" => {
                let word = |value: Option<&Val>| match value? {
                    Val::Library(name) => name.rsplit(':').next().map(str::to_ascii_lowercase),
                    other => other.as_known().map(|word| word.to_ascii_lowercase()),
                };
                let mode = match (word(args.get(1)).as_deref(), word(args.get(2)).as_deref()) {
                    (Some("open"), Some("read")) => "r",
                    (Some("append"), _) => "a",
                    (Some("open" | "openorcreate"), _) => "rw",
                    _ => "w",
                };
                let entry = crate::calls::find(self.language, path)?;
                self.effect_call(&entry, &Args::of(vec![first, Val::text(mode)]), path)
            }
            "io.path::gettemppath" => Val::text("/tmp/"),
            "scriptblock::create" => self.code_block(&first),
            "type::gettype" => self.cast("type", &first),
            "activator::createinstance" => match &first {
                Val::Library(of) => {
                    let of = of.trim_matches(['[', ']']).to_owned();
                    self.made(&of, Args::of(args.list.iter().skip(1).cloned().collect()))
                }
                other => Val::Unknown(self.taint_of(other), Forgotten::Callable),
            },
            "powershell::create" => self.object("powershell", Vec::new()),
            "diagnostics.process::start" => self.start_info(&first, args.get(1)),
            "reflection.assembly::load"
            | "reflection.assembly::loadfile"
            | "reflection.assembly::loadfrom"
            | "reflection.assembly::unsafeloadfrom"
            | "runtime.loader.assemblyloadcontext::loadfromstream" => {
                self.load_assembly(path, &first)
            }
            "reflection.assembly::loadwithpartialname" => {
                Val::Library("reflection.assembly".into())
            }
            "$executioncontext.invokecommand.invokescript" => {
                let code = args.list.iter().rev().find(|arg| !matches!(arg, Val::Bool(_))).cloned();
                let code = match args.get(0) {
                    Some(Val::Bool(_)) => args.get(1).cloned(),
                    _ => code.and(Some(first)),
                };
                self.run_code(&code.unwrap_or(Val::None))
            }
            "$executioncontext.invokecommand.newscriptblock" => self.code_block(&first),
            "$executioncontext.invokecommand.expandstring" => {
                // The text is read like one in double quotes.
                match text.as_known() {
                    Some(known) if !known.contains(['$', '`']) => first,
                    Some(known) => {
                        let quoted = format!("\"{}\"", known.replace('"', "\"\""));
                        self.run_code(&Val::text(quoted))
                    }
                    None => self.hidden_code(&first),
                }
            }
            "$executioncontext.invokecommand.getcommand"
            | "$executioncontext.invokecommand.getcmdlet" => match text.as_known() {
                Some(known) if !known.contains(['*', '?', '[']) => Val::text(known),
                _ => Val::Text(Value::unknown(LOST)),
            },
            "runtime.interopservices.marshal::ptrtostringauto"
            | "runtime.interopservices.marshal::ptrtostringbstr"
            | "runtime.interopservices.marshal::ptrtostringuni" => {
                Val::Text(Value::unknown(LOST).tainted(&self.taint_of(&first)))
            }
            "console::readline" | "console::in.readtoend" | "console::in.readline" => self.stdin(),
            "console::writeline"
            | "console::write"
            | "console::out.writeline"
            | "console::out.write" => {
                let line = path.ends_with("line");
                match text.as_known().filter(|_| args.list.len() < 2) {
                    Some(known) => {
                        let end = if line { "\n" } else { "" };
                        let all = format!("{known}{end}");
                        self.print(Some(&all));
                    }
                    None => self.print(None),
                }
                Val::None
            }
            "uri::unescapedatastring"
            | "net.webutility::urldecode"
            | "web.httputility::urldecode" => {
                let plus = !path.starts_with("uri");
                each_text(&text, |text| {
                    let bytes = crate::decode::percent(text, plus)?;
                    String::from_utf8(bytes).ok().map(Val::text)
                })
            }
            "int::parse" | "int32::parse" | "byte::parse" | "int64::parse" => {
                number(&first).map_or_else(Val::unknown, Val::Int)
            }
            _ => {
                let entry = crate::calls::find(self.language, path)
                    .filter(|entry| entry.effect == crate::calls::Effect::Copy)?;
                self.effect_call(&entry, args, path);
                Val::None
            }
        })
    }

    /// The items of all values.
    fn flat(&mut self, values: &[Val]) -> Items {
        let mut all = Items::default();
        for value in values {
            let more = self.powershell_items(value);
            crate::heap::extend(&mut all, more);
        }
        all
    }

    /// `[Convert]::…`.
    fn convert(&mut self, name: &str, args: &Args) -> Option<Val> {
        let first = args.get(0)?.clone();
        let text = self.powershell_text(&first);
        Some(match name {
            "frombase64string" => match text.as_known().and_then(crate::decode::base64) {
                Some(bytes) => Val::Bytes(bytes.into()),
                None => Val::Text(part_of(&text)),
            },
            "fromhexstring" => match text.as_known().and_then(crate::decode::hex) {
                Some(bytes) => Val::Bytes(bytes.into()),
                None => Val::Text(part_of(&text)),
            },
            "tobase64string" => {
                Val::Text(Value::unknown("encoded").tainted(&self.taint_of(&first)))
            }
            "tochar" => self.cast("char", &first),
            "toint16" | "toint32" | "toint64" | "tobyte" | "touint32" => {
                match args.get(1).map(Val::as_int) {
                    None => self.cast("int", &first),
                    Some(Some(base @ (2 | 8 | 10 | 16))) => {
                        let base = u32::try_from(base).unwrap_or(10);
                        let digits = text.as_known()?.trim_start_matches("0x").to_owned();
                        i64::from_str_radix(&digits, base).map_or_else(|_| Val::unknown(), Val::Int)
                    }
                    Some(_) => Val::unknown(),
                }
            }
            "tostring" if args.list.len() == 1 => Val::Text(text),
            _ => self.unknown_from(&first),
        })
    }

    /// `[Text.Encoding]::UTF8.GetString(…)` and the like.
    fn encoding(&mut self, path: &str, args: &Args) -> Option<Val> {
        let (coding, name) = path.strip_prefix("text.encoding::")?.split_once('.')?;
        let first = args.get(0)?.clone();
        match name {
            "getstring" => {
                let Some(bytes) = self.bytes_in(&first).filter(|_| args.list.len() == 1) else {
                    if self.connected && self.taint_of(&first).is_none() {
                        return Some(self.received());
                    }
                    let taint = self.taint_of(&first);
                    let why = if taint.is_none() { LOST } else { "decoded" };
                    return Some(Val::Text(Value::unknown(why).tainted(&taint)));
                };
                let value = Val::Bytes(bytes.into());
                Some(match coding {
                    "unicode" => self.decoded(&value, "utf_16_le"),
                    "utf8" | "ascii" | "default" | "utf7" => match &value {
                        Val::Bytes(bytes) => Val::bytes(bytes.to_vec()),
                        _ => value,
                    },
                    "latin1" => self.decoded(&value, "latin_1"),
                    _ => Val::Text(Value::unknown(LOST)),
                })
            }
            "getbytes" => {
                let text = self.powershell_text(&first);
                Some(match (text.as_known(), coding) {
                    (Some(known), "utf8" | "ascii" | "default") => {
                        Val::Bytes(known.as_bytes().into())
                    }
                    (Some(known), "unicode") => {
                        let bytes: Vec<u8> =
                            known.encode_utf16().flat_map(u16::to_le_bytes).collect();
                        Val::Bytes(bytes.into())
                    }
                    _ => Val::Text(text),
                })
            }
            "getchars" => {
                let text = self.encoding(&format!("text.encoding::{coding}.getstring"), args)?;
                Some(self.cast("char[]", &text))
            }
            _ => None,
        }
    }

    /// Starts the program that an object of a type describes, or that a path names.
    fn start_info(&mut self, info: &Val, words: Option<&Val>) -> Val {
        match info {
            Val::Dict(_) => {
                let name = self.powershell_attribute(info, &"filename".into());
                let arguments = self.powershell_attribute(info, &"arguments".into());
                let directory = self.powershell_attribute(info, &"workingdirectory".into());
                let words = match arguments {
                    Val::None | Val::Method(_) => None,
                    other => Some(other),
                };
                let outer = match directory {
                    Val::Text(directory) => {
                        let outer = self.working_directory();
                        self.change_directory(&directory);
                        Some(outer)
                    }
                    _ => None,
                };
                let name = if matches!(name, Val::Method(_)) { Val::None } else { name };
                let name = if name == Val::None { Val::unknown() } else { name };
                let value = self.start_with_words(&name, words.as_ref());
                if let Some(outer) = outer {
                    self.set_directory(outer);
                }
                value
            }
            other => self.start_with_words(&other.clone(), words),
        }
    }

    fn load_assembly(&mut self, path: &str, from: &Val) -> Val {
        let text = self.powershell_text(from);
        let named = matches!(from, Val::Text(_)) && text.is_known();
        if self.taint_of(from).network().is_some() {
            self.record(CodeEffect::RunReceived);
        } else if named && !path.ends_with("::load") {
            let path = self.resolved(&text);
            self.record(CodeEffect::Load(path));
        } else if named {
            // By the name of an assembly of the system.
            return Val::Library("reflection.assembly".into());
        } else {
            self.hidden_code(from);
        }
        join(
            &Val::Library("reflection.assembly".into()),
            &Val::Unknown(self.taint_of(from), Forgotten::Callable),
        )
    }
}
