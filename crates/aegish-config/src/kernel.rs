//! Settings of what the kernel holds for all programs of a session.

use crate::table::Preset::{Always, ByMode};
use crate::table::{ANYBODY, Empty, PEOPLE, Setting, Tighter, ValueType};

pub(crate) const FILES: Setting = Setting {
    name: "AEGISH_FILES",
    kind: ValueType::Word(&["off", "open", "home", "project", "readonly"]),
    default: ByMode { development: "off", production: "open" },
    by: ANYBODY,
    tighter: Tighter::LaterWord,
    doc: "files that the kernel closes to every program: `open` closes the system's secrets, other people's homes and the guard's own files; `home`, `project` and `readonly` also your own secrets, and writing elsewhere; `off` for the role `sysadmin` unless it is set, as sudo does not work with it",
};

pub(crate) const READABLE: Setting = Setting {
    name: "AEGISH_READABLE",
    kind: ValueType::List { empty: Empty::Nothing },
    default: Always(""),
    by: PEOPLE,
    tighter: Tighter::Fewer,
    doc: "critical files that `AEGISH_FILES` leaves open, such as `~/.ssh/id_ed25519` for ssh",
};
