//! Pickled objects: a program for a small stack machine that may call functions.

use crate::machine::Machine;
use crate::value::{Args, Forgotten, Val};
use aegish_values::Taint;

/// Most steps of a pickle that are followed.
const MAX_STEPS: usize = 4096;

/// Pickled objects: a program for a small stack machine that may call functions.
pub trait Pickles: Machine {
    /// Follows a pickle. An operation that is not known makes the analysis open.
    fn unpickled(&mut self, bytes: &[u8]) -> Val {
        let mut stack: Vec<Option<Val>> = Vec::new();
        let mut memo: Vec<(usize, Val)> = Vec::new();
        let mut rest = bytes;
        for _ in 0..MAX_STEPS {
            let Some((op, after)) = rest.split_first() else { break };
            rest = after;
            if *op == b'.' {
                return stack.pop().flatten().unwrap_or_else(Val::unknown);
            }
            if self.pickle_step(*op, &mut rest, &mut stack, &mut memo).is_none() {
                break;
            }
        }
        self.leave_open();
        Val::Unknown(Taint::none(), Forgotten::Callable)
    }

    fn pickle_step(
        &mut self,
        op: u8,
        rest: &mut &[u8],
        stack: &mut Vec<Option<Val>>,
        memo: &mut Vec<(usize, Val)>,
    ) -> Option<()> {
        match op {
            0x80 => {
                take(rest, 1)?;
            }
            0x95 => {
                take(rest, 8)?;
            }
            b'(' => stack.push(None),
            b'N' => stack.push(Some(Val::None)),
            0x88 | 0x89 => stack.push(Some(Val::Bool(op == 0x88))),
            b'c' => {
                let (module, name) = (line(rest)?, line(rest)?);
                stack.push(Some(self.pickled_global(&module, &name)));
            }
            0x93 => {
                let (name, module) = (stack.pop()??, stack.pop()??);
                stack.push(Some(self.pickled_global(&module.as_known()?, &name.as_known()?)));
            }
            b'S' => {
                let text = line(rest)?;
                stack.push(Some(Val::text(text.trim_matches(['\'', '"']))));
            }
            b'V' => stack.push(Some(Val::text(line(rest)?))),
            b'I' | b'L' => {
                let text = line(rest)?;
                stack.push(Some(
                    text.trim_end_matches('L').parse().map_or(Val::unknown(), Val::Int),
                ));
            }
            b'F' => {
                line(rest)?;
                stack.push(Some(Val::unknown()));
            }
            b'K' => stack.push(Some(Val::Int(i64::from(*take(rest, 1)?.first()?)))),
            b'M' => {
                let bytes = take(rest, 2)?;
                stack.push(Some(Val::Int(i64::from(u16::from_le_bytes([
                    *bytes.first()?,
                    *bytes.get(1)?,
                ])))));
            }
            b'J' | b'G' => {
                take(rest, if op == b'J' { 4 } else { 8 })?;
                stack.push(Some(Val::unknown()));
            }
            0x8c | b'U' | b'C' => {
                let length = usize::from(*take(rest, 1)?.first()?);
                stack.push(Some(Val::bytes(take(rest, length)?.to_vec())));
            }
            b'X' | b'T' | b'B' => {
                let bytes = take(rest, 4)?;
                let length =
                    bytes.iter().rev().fold(0_usize, |all, byte| all * 256 + usize::from(*byte));
                stack.push(Some(Val::bytes(take(rest, length)?.to_vec())));
            }
            b')' => stack.push(Some(Val::Tuple([].into()))),
            b't' => {
                let items = marked(stack)?;
                stack.push(Some(Val::Tuple(items.into())));
            }
            0x85..=0x87 => {
                let count = usize::from(op - 0x84);
                let items: Option<Vec<Val>> =
                    stack.split_off(stack.len().checked_sub(count)?).into_iter().collect();
                stack.push(Some(Val::Tuple(items?.into())));
            }
            b']' | b'}' | 0x8f => stack.push(Some(Val::unknown())),
            b'l' | b'd' => {
                marked(stack)?;
                stack.push(Some(Val::unknown()));
            }
            b'e' | b'u' | 0x90 => {
                marked(stack)?;
            }
            b'a' | b'b' => {
                stack.pop()?;
            }
            b's' => {
                stack.pop()?;
                stack.pop()?;
            }
            b'R' | 0x81 => {
                let (args, function) = (stack.pop()??, stack.pop()??);
                let list = self.iterate(&args).list;
                stack.push(Some(self.call(&function, Args::of(list))));
            }
            b'i' => {
                let (module, name) = (line(rest)?, line(rest)?);
                let list = marked(stack)?;
                let function = self.pickled_global(&module, &name);
                stack.push(Some(self.call(&function, Args::of(list))));
            }
            b'o' => {
                let mut list = marked(stack)?;
                let function = if list.is_empty() { return None } else { list.remove(0) };
                stack.push(Some(self.call(&function, Args::of(list))));
            }
            0x94 => memo.push((memo.len(), stack.last()?.clone()?)),
            b'p' | b'q' | b'r' => {
                let place = index(op, rest)?;
                memo.push((place, stack.last()?.clone().unwrap_or_else(Val::unknown)));
            }
            b'g' | b'h' | b'j' => {
                let place = index(op, rest)?;
                let value = memo.iter().rev().find(|(at, _)| *at == place)?.1.clone();
                stack.push(Some(value));
            }
            b'0' => {
                stack.pop()?;
            }
            b'2' => stack.push(stack.last()?.clone()),
            _ => return None,
        }
        Some(())
    }

    fn pickled_global(&mut self, module: &str, name: &str) -> Val {
        Val::Library(self.canonical(&format!("{module}.{name}")))
    }
}

impl<M: Machine> Pickles for M {}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    Some(head)
}

fn line(rest: &mut &[u8]) -> Option<String> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let text = take(rest, end)?;
    take(rest, 1)?;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn index(op: u8, rest: &mut &[u8]) -> Option<usize> {
    match op {
        b'p' | b'g' => line(rest)?.parse().ok(),
        b'q' | b'h' => Some(usize::from(*take(rest, 1)?.first()?)),
        _ => Some(take(rest, 4)?.iter().rev().fold(0, |all, byte| all * 256 + usize::from(*byte))),
    }
}

/// What was pushed since the last mark.
fn marked(stack: &mut Vec<Option<Val>>) -> Option<Vec<Val>> {
    let place = stack.iter().rposition(Option::is_none)?;
    let items = stack.split_off(place);
    Some(items.into_iter().flatten().collect())
}
