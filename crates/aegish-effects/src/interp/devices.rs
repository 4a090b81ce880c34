//! Descriptors and devices that redirections name.

use super::Interp;
use super::redirect::{RedirectSink, Redirected};
use aegish_analysis::EffectKind;
use aegish_shell_state::Flow;
use aegish_syntax::Span;
use aegish_values::Value;

impl Interp<'_> {
    pub(super) fn duplicate(&mut self, number: u32, before: &mut Redirected) -> Option<Flow> {
        match number {
            1 => match &before.sink {
                RedirectSink::Network(peer) => Some(Flow::Network { peer: peer.clone() }),
                RedirectSink::File { path, .. } if before.lasting => Some(Flow::File(path.clone())),
                RedirectSink::File { .. } => Some(Flow::Output(before.id)),
                RedirectSink::Output(id) => Some(Flow::Output(*id)),
                RedirectSink::Nothing => Some(Flow::Nothing),
                RedirectSink::Shown => Some(Flow::Terminal),
                RedirectSink::Inherit => self.flow_of(1),
            },
            0 | 2 => self.flow_of(number),
            _ => {
                let flow = self.state.descriptors.get(&number).cloned();
                if flow.is_none() || self.state.perhaps_closed.contains(&number) {
                    before.opens(&Value::empty(), false);
                }
                flow
            }
        }
    }

    /// As [`Self::device`], for writing: a directory cannot be opened for that.
    pub(super) fn output_device(
        &mut self,
        target: &Value,
        before: &mut Redirected,
        span: Span,
    ) -> Option<Flow> {
        if target.as_known().is_some_and(|path| path.ends_with('/')) {
            return Some(Flow::Nothing);
        }
        self.device(target, before, span)
    }

    /// Names that Bash or the kernel treat specially.
    pub(super) fn device(
        &mut self,
        target: &Value,
        before: &mut Redirected,
        span: Span,
    ) -> Option<Flow> {
        let text = target.known_prefix();
        if let Some(rest) =
            text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/"))
        {
            let whole = target.to_string();
            let (host, port) = match target.as_known() {
                Some(_) => {
                    let (host, port) = rest.split_once('/').unwrap_or((rest, ""));
                    (Value::known(host), Value::known(port))
                }
                None => (Value::unknown("host"), Value::unknown("port")),
            };
            self.effect(EffectKind::Connect { host, port }, span);
            let peer = whole.trim_start_matches("/dev/tcp/").trim_start_matches("/dev/udp/");
            return Some(Flow::Network { peer: peer.to_owned() });
        }
        match target.as_known()? {
            "/dev/null" | "/dev/zero" | "/dev/full" => Some(Flow::Nothing),
            "/dev/tty" | "/dev/console" => Some(Flow::Terminal),
            path => {
                let number = Self::named_descriptor(path)?;
                if let Some(content) = self.written(path) {
                    return Some(Flow::Text(content));
                }
                match number {
                    0..3 => self.duplicate(number, before),
                    _ => self.state.descriptors.get(&number).cloned(),
                }
            }
        }
    }
}
