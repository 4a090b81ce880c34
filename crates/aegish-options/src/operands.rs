//! Operands and the slots of a grammar for them.

use aegish_profiles::{ArgumentRole, Count, OperandSlot};

/// Roles for `count` operands.
pub(crate) fn assign(slots: &[OperandSlot], count: usize) -> Vec<Option<ArgumentRole>> {
    let repeated = slots
        .iter()
        .position(|slot| matches!(slot.count, Count::Any | Count::Some) || takes_rest(slot.role));
    let mut roles = vec![None; count];
    let Some((middle, slot)) = repeated.and_then(|at| Some((at, slots.get(at)?))) else {
        // Required slots come first; the remaining words fill the optional ones from the left.
        let required = slots.iter().filter(|slot| slot.count == Count::One).count();
        let mut spare = count.saturating_sub(required);
        let mut next = 0;
        for slot in slots {
            if slot.count == Count::Optional {
                if spare == 0 {
                    continue;
                }
                spare -= 1;
            }
            if let Some(role) = roles.get_mut(next) {
                *role = Some(slot.role);
            }
            next += 1;
        }
        return roles;
    };
    let (before, after) =
        (slots.get(..middle).unwrap_or_default(), slots.get(middle + 1..).unwrap_or_default());
    let head = before.len().min(count);
    for (role, slot) in roles.iter_mut().zip(before) {
        *role = Some(slot.role);
    }
    let tail = after.len().min(count - head);
    // With a single operand, `["copy-from+", "copy-to"]` has a source and no destination.
    let tail = if slot.count == Count::Some && count - head == tail {
        tail.saturating_sub(1)
    } else {
        tail
    };
    for role in roles.get_mut(head..count - tail).unwrap_or_default() {
        *role = Some(slot.role);
    }
    for (role, slot) in roles.get_mut(count - tail..).unwrap_or_default().iter_mut().zip(after) {
        *role = Some(slot.role);
    }
    roles
}

/// Roles that take the rest of the line.
pub(crate) fn takes_rest(role: ArgumentRole) -> bool {
    matches!(
        role,
        ArgumentRole::Argv
            | ArgumentRole::EnvArgv
            | ArgumentRole::ArgvUntil
            | ArgumentRole::ShellWords
            | ArgumentRole::RemoteWords
            | ArgumentRole::RemoteArgv
            | ArgumentRole::Args
            | ArgumentRole::IndirectArgv
            | ArgumentRole::Setting(_)
            | ArgumentRole::Words(_)
            | ArgumentRole::ShellArgv
    )
}
