//! Requests made with curl: options are kept in an array, and the request is made of them.

use super::objects::PhpObjects;
use crate::effect::CodeEffect;
use crate::heap::Entries;
use crate::operand::file_in;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PhpValues;
use aegish_values::{Source, Taint};
use easy_ext::ext;

/// The key of the address.
const URL: &str = "#CURLOPT_URL";

#[ext(PhpRequests)]
pub(super) impl Interpreter<'_> {
    fn request_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        let option = |value: &Val| match value {
            Val::Library(name) => Val::text(&**name),
            Val::Int(10002) => Val::text(URL),
            other => other.clone(),
        };
        Some(match path {
            "curl_init" => {
                let mut entries = Entries::default();
                if let Some(url) = first.filter(|url| *url != Val::None) {
                    entries.list.push((Val::text(URL), url));
                }
                self.php_array(entries)
            }
            "curl_setopt" => {
                let (name, value) = (option(args.get(1)?), args.get(2)?.clone());
                let handle = first?;
                self.php_set_index(&handle, &name, value.clone());
                // Functions that get what is received.
                if self.is_function(&value) {
                    let received = Val::from_source("received", Source::Network(String::new()));
                    self.maybe(|this| this.call(&value, Args::of(vec![handle, received])));
                }
                Val::Bool(true)
            }
            "curl_setopt_array" => {
                let (handle, options) = (first?, self.php_entries(args.get(1)?));
                for (name, value) in options.list {
                    self.php_set_index(&handle, &option(&name), value);
                }
                Val::Bool(true)
            }
            "curl_exec" | "curl_multi_add_handle" => {
                let handle = if path == "curl_exec" { first? } else { args.get(1)?.clone() };
                let get = |this: &mut Self, name: &str| this.php_index(&handle, &Val::text(name));
                let url = get(self, URL);
                if url == Val::None {
                    return Some(Val::unknown());
                }
                let mut taint = Taint::none();
                let mut sends = false;
                for name in [
                    "#CURLOPT_POSTFIELDS",
                    "#CURLOPT_INFILE",
                    "#CURLOPT_READDATA",
                    "#CURLOPT_HTTPHEADER",
                ] {
                    let body = get(self, name);
                    let one = self.taint_of(&body);
                    sends |= body != Val::None && name != "#CURLOPT_HTTPHEADER"
                        || file_in(&one).is_some();
                    taint.absorb(&one);
                }
                let url = self.php_text(&url);
                if sends {
                    self.record(CodeEffect::Send { to: url.clone(), file: file_in(&taint) });
                    return Some(Val::from_source("received", Source::Network(url.to_string())));
                }
                let received = self.fetch(url, None);
                let target = get(self, "#CURLOPT_FILE");
                if matches!(target, Val::File(_)) {
                    self.write_to(&target, std::slice::from_ref(&received));
                }
                received
            }
            "curl_multi_getcontent" => Val::from_source("received", Source::Network(String::new())),
            _ => return None,
        })
    }
}
