//! Commands that use the network.

use super::binding::given;
use super::items::PowerShellItems;
use crate::effect::CodeEffect;
use crate::operand::file_in;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use aegish_values::{Source, Value};
use easy_ext::ext;

#[ext(PowerShellNetwork)]
pub(super) impl Interpreter<'_> {
    /// `Invoke-WebRequest` and `Invoke-RestMethod`.
    fn web_request(&mut self, args: &Args) -> Val {
        let url = given(args, "Uri").cloned().unwrap_or_else(Val::unknown);
        let url = self.powershell_text(&url);
        let url = match url.as_known() {
            // Without a scheme it is http.
            Some(known) if !known.contains("://") => Value::known(format!("http://{known}")),
            _ => url,
        };
        let method = given(args, "Method").or_else(|| given(args, "CustomMethod"));
        let method = method.and_then(Val::as_known).unwrap_or_default().to_ascii_uppercase();
        let file = given(args, "InFile").cloned().map(|file| self.path_of_object(&file));
        let body = given(args, "Body").or_else(|| given(args, "Form")).cloned();
        let to = given(args, "OutFile").cloned().map(|file| self.path_of_object(&file));
        let to = to.map(|to| self.resolved(&to));
        let sends = file.is_some()
            || body.is_some() && !matches!(method.as_str(), "GET")
            || matches!(method.as_str(), "POST" | "PUT" | "PATCH");
        if !sends && body.as_ref().is_none_or(|body| self.taint_of(body).is_none()) {
            return self.fetch(url, to);
        }
        let file = match (file, body) {
            (Some(file), _) => Some(self.resolved(&file)),
            (None, Some(body)) => file_in(&self.taint_of(&body)),
            (None, None) => None,
        };
        self.record(CodeEffect::Send { to: url.clone(), file });
        let content = Val::from_source("received", Source::Network(url.to_string()));
        if let Some(to) = to {
            self.write_file(&to, content.to_text(), false);
        }
        content
    }
}
