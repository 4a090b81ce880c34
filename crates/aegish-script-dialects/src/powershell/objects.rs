//! Objects of types of the system.

use super::binding::given;
use super::indexes::PowerShellIndexes;
use super::members::PowerShellMembers;
use super::{PowerShellCalls, type_name};
use crate::heap::Items;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use aegish_values::Value;
use easy_ext::ext;

#[ext(PowerShellObjects)]
pub(super) impl Interpreter<'_> {
    /// `New-Object`.
    fn new_object_call(&mut self, args: &Args) -> Val {
        if let Some(com) = given(args, "ComObject").cloned() {
            return match com.as_known() {
                Some(name) => {
                    let name = name.to_lowercase();
                    let base = name.split(".").take(2).collect::<Vec<_>>().join(".");
                    self.object(&base, Vec::new())
                }
                None => Val::Unknown(self.taint_of(&com), crate::value::Forgotten::Callable),
            };
        }
        let of = given(args, "TypeName").cloned().unwrap_or(Val::None);
        let mut list = match given(args, "ArgumentList").cloned() {
            Some(list @ (Val::List(_) | Val::Tuple(_))) => self.powershell_items(&list).list,
            Some(one) => vec![one],
            None => Vec::new(),
        };
        list.extend(args.list.iter().cloned());
        let of = self.powershell_text(&of);
        let Some(of) = of.as_known().map(str::to_lowercase) else {
            return Val::Unknown(of.taint().clone(), crate::value::Forgotten::Callable);
        };
        let made = self.made(&of, Args::of(list));
        if let (Some(Val::Dict(properties)), Val::Dict(_)) =
            (given(args, "Property").cloned(), &made)
        {
            for (key, value) in &self.heap.entries(properties).list {
                self.powershell_set_index(&made, key, value.clone());
            }
        }
        made
    }

    /// A new object of a type.
    fn made(&mut self, of: &str, args: Args) -> Val {
        let full = type_name(&format!("[{of}]"));
        let class = self.lookup(&format!("[{of}]").into());
        if let Val::Class(_) = class {
            return self.call(&class, args);
        }
        let of = full.trim_matches(['[', ']']).to_owned();
        let base = of.split('[').next().unwrap_or(&of).trim_end_matches(['`', '1', '2']).to_owned();
        let first = args.get(0).cloned();
        let full = format!("{base}::new");
        if let Some(entry) = crate::calls::find(self.language, &full) {
            return self.effect_call(&entry, &args, &full);
        }
        if let Some(value) = self.made_stream(&base, &args) {
            return value;
        }
        match base.as_str() {
            "collections.arraylist"
            | "collections.generic.list"
            | "collections.generic.queue"
            | "collections.generic.stack"
            | "collections.generic.hashset"
            | "collections.queue"
            | "collections.stack"
            | "collections.objectmodel.collection"
            | "array" => {
                let items = match first {
                    Some(list @ (Val::List(_) | Val::Tuple(_))) => self.powershell_items(&list),
                    _ => Items::default(),
                };
                self.heap.list(items)
            }
            "hashtable"
            | "collections.hashtable"
            | "collections.generic.dictionary"
            | "collections.specialized.ordereddictionary"
            | "collections.generic.sorteddictionary"
            | "object"
            | "psobject"
            | "pscustomobject"
            | "management.automation.psobject" => self.new_dict(Vec::new(), None),
            "string" => match (first, args.get(1).and_then(Val::as_int)) {
                (Some(Val::Text(text)), Some(count)) => {
                    let count = Val::Int(count);
                    let text = Val::Text(text);
                    aegish_code_library::PowerShellOperators::powershell_binary(
                        self,
                        &text,
                        crate::ir::BinaryOp::Mul,
                        &count,
                    )
                }
                (Some(value), _) => {
                    let items = self.powershell_items(&value);
                    Val::Text(self.joined(&items, &Value::empty()))
                }
                _ => Val::text(""),
            },
            "text.stringbuilder" => {
                let text = match first {
                    Some(Val::Text(text)) => Val::Text(text),
                    _ => Val::text(""),
                };
                self.object("text.stringbuilder", vec![("<text>", text)])
            }
            "regex" => {
                let pattern = first.unwrap_or(Val::None);
                self.object("regex", vec![("pattern", pattern)])
            }
            "uri" | "version" | "mailaddress" | "io.fileinfo" | "io.directoryinfo" => {
                let text = self.powershell_text(&first.unwrap_or(Val::None));
                Val::Text(text)
            }
            "text.utf8encoding" => Val::Library("text.encoding::utf8".into()),
            "text.asciiencoding" => Val::Library("text.encoding::ascii".into()),
            "text.unicodeencoding" => Val::Library("text.encoding::unicode".into()),
            "diagnostics.processstartinfo" => {
                let name = first.unwrap_or(Val::None);
                let words = args.get(1).cloned().unwrap_or(Val::None);
                let list = vec![("filename", name), ("arguments", words)];
                self.object("diagnostics.processstartinfo", list)
            }
            "diagnostics.process" => {
                let info = self.made("diagnostics.processstartinfo", Args::default());
                self.object("diagnostics.process", vec![("startinfo", info)])
            }
            _ => {
                self.run_callbacks(&args, None);
                self.object(&base, Vec::new())
            }
        }
    }

    /// Streams, readers and writers.
    fn made_stream(&mut self, of: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        Some(match of {
            "io.memorystream" => match first {
                Some(value @ (Val::Bytes(_) | Val::List(_) | Val::Text(_) | Val::Unknown(..))) => {
                    value
                }
                _ => self.heap.list(Items::default()),
            },
            "io.compression.gzipstream"
            | "io.compression.deflatestream"
            | "io.compression.zlibstream" => {
                let inner = first?;
                match self.bytes_in(&inner).and_then(|bytes| crate::decode::inflate(&bytes)) {
                    Some(bytes) => Val::Bytes(bytes.into()),
                    None => {
                        let taint = self.taint_of(&inner);
                        Val::Text(Value::unknown("decompressed").tainted(&taint))
                    }
                }
            }
            "io.streamreader" | "io.binaryreader" => match first? {
                Val::Text(text) if text.has_unknown() && text.known_prefix().is_empty() => {
                    Val::Text(text)
                }
                Val::Text(text) => {
                    let path = self.resolved(&text);
                    self.read_file(&path)
                }
                Val::Bytes(bytes) => Val::bytes(bytes.to_vec()),
                value @ Val::List(_) => match self.bytes_in(&value) {
                    Some(bytes) => Val::bytes(bytes),
                    None => self.unknown_from(&value),
                },
                other => other,
            },
            "io.streamwriter" | "io.binarywriter" => match first? {
                Val::Text(text) => {
                    let path = self.resolved(&text);
                    let append = args.get(1) == Some(&Val::Bool(true));
                    self.write_file(&path, Value::empty(), append)
                }
                other => other,
            },
            "io.filestream" => {
                let path = self.powershell_text(&first?);
                let path = self.resolved(&path);
                let mode = args.get(1).map(|mode| match mode {
                    Val::Library(path) => path.to_string(),
                    other => other.to_text().to_string().to_lowercase(),
                });
                let access = args.get(2).map(|access| match access {
                    Val::Library(path) => path.to_string(),
                    other => other.to_text().to_string().to_lowercase(),
                });
                let reads = mode.as_deref().is_some_and(|mode| mode.ends_with("open"))
                    && access.as_deref().is_some_and(|access| access.ends_with("read"));
                if reads {
                    self.read_file(&path)
                } else {
                    self.write_file(&path, Value::empty(), true)
                }
            }
            _ => return None,
        })
    }

    /// The bytes that a value is, if they are known.
    fn bytes_in(&mut self, value: &Val) -> Option<Vec<u8>> {
        match value {
            Val::Bytes(bytes) => Some(bytes.to_vec()),
            Val::List(_) | Val::Tuple(_) => {
                let items = self.powershell_items(value);
                crate::numbers::bytes_of(&items)
            }
            _ => None,
        }
    }

    /// A property of a type or an object that is known.
    fn library_property(&mut self, full: &str) -> Option<Val> {
        if let Some(value) = self.overridden(full) {
            return Some(value);
        }
        Some(match full {
            "environment::currentdirectory" => Val::Text(self.here()),
            "environment::newline" => Val::text("\n"),
            "environment::username"
            | "environment::machinename"
            | "environment::userdomainname"
            | "environment::commandline" => Val::Text(Value::unknown("name of the system")),
            "string::empty" => Val::text(""),
            "io.path::directoryseparatorchar" | "io.path::altdirectoryseparatorchar" => {
                Val::text("/")
            }
            "io.path::pathseparator" => Val::text(":"),
            _ => return None,
        })
    }
}
