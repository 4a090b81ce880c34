//! Permissions that a file mode, octal or symbolic, grants.

use aegish_effects::Value;

/// Whether every possible value of a mode locks the owner out of a directory or file.
pub(crate) fn locks_owner_out(mode: &Value) -> bool {
    takes_from_owner(mode, &['r', 'x'])
}

/// Whether every possible value of a mode takes the right to read from the owner of a file.
pub(crate) fn hides_from_owner(mode: &Value) -> bool {
    takes_from_owner(mode, &['r'])
}

/// Whether every possible value of a mode takes one of these rights from the owner.
fn takes_from_owner(mode: &Value, rights: &[char]) -> bool {
    let readings = match mode.as_known() {
        Some(text) => return takes(text, rights),
        None => mode.readings(16).unwrap_or_default(),
    };
    !readings.is_empty() && readings.iter().all(|text| takes(text, rights))
}

/// `000`, `644`, `u-rwx`, `a-x`, `u=`, `u::r`: the owner no longer has all of these rights.
fn takes(text: &str, rights: &[char]) -> bool {
    if !text.is_empty() && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte)) {
        let bits = u32::from_str_radix(text, 8).unwrap_or(0);
        let has = |right: &char| bits & if *right == 'r' { 0o400 } else { 0o100 } != 0;
        return !rights.iter().all(has);
    }
    let gives = |what: &str| {
        let has = |right: &char| what.contains(*right) || (*right == 'x' && what.contains('X'));
        rights.iter().all(has)
    };
    let mut missing = false;
    for clause in text.split(',') {
        // The entry of the owner in an access control list.
        if let Some(what) = clause.strip_prefix("u::").or_else(|| clause.strip_prefix("user::")) {
            missing = !gives(what);
            continue;
        }
        let (who, mut rest) = clause.split_at(clause.find(['+', '-', '=']).unwrap_or(clause.len()));
        if !(who.is_empty() || who.contains(['u', 'a'])) || who.contains(':') {
            continue;
        }
        while let Some(operator) = rest.chars().next() {
            let after = rest.get(1..).unwrap_or("");
            let (what, next) = after.split_at(after.find(['+', '-', '=']).unwrap_or(after.len()));
            rest = next;
            match operator {
                '-' => missing |= what.contains(rights),
                '=' => missing = !gives(what),
                _ => missing &= !gives(what),
            }
        }
    }
    missing
}

/// The relevant parts of a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Granted {
    /// The set-user-ID or set-group-ID bit.
    pub(crate) set_id: bool,
    /// Writable for everybody without a sticky bit, so that anybody can remove files of others.
    pub(crate) world_write: bool,
    /// Everybody or the group may read or write.
    pub(crate) others: bool,
}

impl Granted {
    /// Permissions that some possible value of the mode grants; none if it is unknown.
    pub(crate) fn of(mode: &Value) -> Self {
        let mut all = Self::default();
        let readings = match mode.as_known() {
            Some(text) => return Self::of_text(text),
            None => mode.readings(16).unwrap_or_default(),
        };
        for text in &readings {
            let one = Self::of_text(text);
            all.set_id |= one.set_id;
            all.world_write |= one.world_write;
            all.others |= one.others;
        }
        all
    }

    fn of_text(text: &str) -> Self {
        let digits = text.strip_prefix(['=', '+']).unwrap_or(text);
        if !digits.is_empty() && digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte)) {
            let bits = u32::from_str_radix(digits, 8).unwrap_or(0);
            return Self {
                set_id: bits & 0o6000 != 0,
                world_write: bits & 0o002 != 0 && bits & 0o1000 == 0,
                others: bits & 0o066 != 0,
            };
        }
        let mut granted = Self::default();
        let mut sticky = false;
        for clause in text.split(',') {
            let who_end = clause.find(['+', '-', '=']).unwrap_or(clause.len());
            let (who, mut rest) = clause.split_at(who_end);
            if who.contains(':') {
                granted.list_entry(clause);
                continue;
            }
            while let Some(operator) = rest.chars().next() {
                let after = rest.get(1..).unwrap_or("");
                let end = after.find(['+', '-', '=']).unwrap_or(after.len());
                let (what, next) = after.split_at(end);
                rest = next;
                if operator == '-' {
                    continue;
                }
                let nobody = who.is_empty();
                let reaches = |letters: &[char]| who.contains(letters) || who.contains('a');
                granted.set_id |= what.contains('s') && (nobody || reaches(&['u', 'g']));
                granted.world_write |= what.contains('w') && reaches(&['o']);
                granted.others |= what.contains(['r', 'w']) && (nobody || reaches(&['g', 'o']));
                sticky |= what.contains('t');
            }
        }
        granted.world_write &= !sticky;
        granted
    }

    /// An entry of an access control list, as `setfacl` takes it: `user:name:rw`, `o::r`, `d:g:staff:rwx`.
    fn list_entry(&mut self, entry: &str) {
        let entry =
            entry.strip_prefix("default:").or_else(|| entry.strip_prefix("d:")).unwrap_or(entry);
        let mut fields = entry.split(':');
        let (Some(kind), Some(name), Some(what)) = (fields.next(), fields.next(), fields.next())
        else {
            return;
        };
        let other = matches!(kind, "o" | "other");
        // The entry without a name is that of the owner.
        let foreign = other || (matches!(kind, "u" | "user" | "g" | "group") && !name.is_empty());
        self.others |= foreign && what.contains(['r', 'w', '4', '5', '6', '7']);
        self.world_write |= other && what.contains(['w', '6', '7']);
    }
}

#[cfg(test)]
mod tests {
    use super::{Granted, hides_from_owner, locks_owner_out};
    use aegish_effects::Value;

    #[test]
    fn modes_that_exclude_the_owner_are_recognised() {
        for mode in
            ["000", "0", "644", "077", "a-rwx", "u-rwx", "-x", "u=", "ugo-r", "u=w,g=rx", "a="]
        {
            assert!(locks_owner_out(&Value::known(mode)), "{mode}");
        }
        for mode in [
            "755",
            "700",
            "0750",
            "500",
            "go-rwx",
            "u+x",
            "o-r",
            "u=rwx",
            "g=",
            "a-rwx,u+rwx",
            "a-w",
            "u=rX",
            "+t",
        ] {
            assert!(!locks_owner_out(&Value::known(mode)), "{mode}");
        }
    }

    #[test]
    fn modes_that_hide_a_file_from_its_owner_are_recognised() {
        for mode in ["000", "200", "u-r", "a-rw", "u=w", "u::-wx", "user::---"] {
            assert!(hides_from_owner(&Value::known(mode)), "{mode}");
        }
        for mode in ["600", "644", "-x", "go-rwx", "u=rw", "u::r", "u:kim:---", "a-x"] {
            assert!(!hides_from_owner(&Value::known(mode)), "{mode}");
        }
    }

    #[test]
    fn modes_are_read_as_chmod_reads_them() {
        for (mode, set_id, world_write, others) in [
            ("755", false, false, true),
            ("0644", false, false, true),
            ("600", false, false, false),
            ("700", false, false, false),
            ("777", false, true, true),
            ("1777", false, false, true),
            ("4755", true, false, true),
            ("02755", true, false, true),
            ("u+s", true, false, false),
            ("+s", true, false, false),
            ("g+s", true, false, false),
            ("o+s", false, false, false),
            ("u-s", false, false, false),
            ("u+x,g+s", true, false, false),
            ("u=rwxs", true, false, false),
            ("u+rx+s", true, false, false),
            ("+x", false, false, false),
            ("a+rwx", false, true, true),
            ("o+w", false, true, true),
            ("+t", false, false, false),
            ("go-rwx", false, false, false),
            ("o+r", false, false, true),
            ("nonsense", false, false, false),
            ("u:kim:rw", false, false, true),
            ("d:group:staff:r", false, false, true),
            ("o::rwx", false, true, true),
            ("u::rwx,m::rx", false, false, false),
            ("u:kim:---", false, false, false),
            ("u:kim", false, false, false),
        ] {
            let granted = Granted::of(&Value::known(mode));
            assert_eq!(granted, Granted { set_id, world_write, others }, "{mode}");
        }
    }
}
