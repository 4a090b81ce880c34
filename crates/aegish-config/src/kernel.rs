//! Settings of what the kernel holds for all programs of a session.

use crate::table::Preset::{Always, ByMode, Unset};
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

pub(crate) const SUPERVISE: Setting = Setting {
    name: "AEGISH_SUPERVISE",
    kind: ValueType::Word(&["off", "debug", "on"]),
    default: ByMode { development: "off", production: "on" },
    by: ANYBODY,
    tighter: Tighter::LaterWord,
    doc: "whether every program that is started, by whatever program, is judged before its first instruction; `on` also where aegish is called by the name of a shell, as agents do; `debug` lets any program debug others, which leaves it a way around; `off` for the role `sysadmin` unless it is set, as sudo does not work with it",
};

pub(crate) const NET: Setting = Setting {
    name: "AEGISH_NET",
    kind: ValueType::Network,
    default: Always("open"),
    by: ANYBODY,
    tighter: Tighter::Fewer,
    doc: "how far programs connect: `open` everywhere; `ports:443,22` by TCP to these ports; `hosts:example.org,*.example.net,localhost` to these hosts, through a proxy of the guard that `https_proxy` names; `loopback` by TCP to this machine; `off` nowhere",
};

pub(crate) const SOCKETS: Setting = Setting {
    name: "AEGISH_SOCKETS",
    kind: ValueType::List { empty: Empty::Nothing },
    default: ByMode { development: "agent,display", production: "agent" },
    by: PEOPLE,
    tighter: Tighter::Fewer,
    doc: "Unix sockets that stay open under supervision though what listens there acts outside the session: `services` (containers, systemd, D-Bus), `terminals` (tmux, screen, servers of editors), `agent` (ssh-agent, gpg-agent), `display` (X, Wayland), or paths",
};

pub(crate) const UNDO_TIME: Setting = Setting {
    name: "AEGISH_UNDO_TIME",
    kind: ValueType::Time,
    default: Always("7d"),
    by: PEOPLE,
    tighter: Tighter::Harmless,
    doc: "how long a run with `aegish run --undo` or the answer `u` can be undone",
};

pub(crate) const UNDO_SIZE: Setting = Setting {
    name: "AEGISH_UNDO_SIZE",
    kind: ValueType::Count { least: 1, most: 16_777_216 },
    default: Always("2048"),
    by: PEOPLE,
    tighter: Tighter::Harmless,
    doc: "the most MiB of earlier files that are kept to undo runs: a run that needs more is not begun or not kept, and older ones are forgotten first",
};

pub(crate) const MAX_PROCESSES: Setting = Setting {
    name: "AEGISH_MAX_PROCESSES",
    kind: ValueType::Count { least: 16, most: 1_000_000 },
    default: ByMode { development: "1000000", production: "4096" },
    by: ANYBODY,
    tighter: Tighter::Less,
    doc: "the most processes and threads of a session, by a control group where one can be made; otherwise the user's processes beside those that run when the session begins, which the kernel does not count for root",
};

pub(crate) const MAX_MEMORY: Setting = Setting {
    name: "AEGISH_MAX_MEMORY",
    kind: ValueType::Count { least: 64, most: 16_777_216 },
    default: Unset("no limit"),
    by: ANYBODY,
    tighter: Tighter::Less,
    doc: "the most memory in MiB: of a session by a control group where one can be made, and of the data of each program",
};

pub(crate) const MAX_FILE_SIZE: Setting = Setting {
    name: "AEGISH_MAX_FILE_SIZE",
    kind: ValueType::Count { least: 1, most: 16_777_216 },
    default: Unset("no limit"),
    by: ANYBODY,
    tighter: Tighter::Less,
    doc: "the largest file in MiB that a program can write",
};

pub(crate) const MAX_CPU_TIME: Setting = Setting {
    name: "AEGISH_MAX_CPU_TIME",
    kind: ValueType::Time,
    default: Unset("no limit"),
    by: ANYBODY,
    tighter: Tighter::Less,
    doc: "how long each program may compute",
};
