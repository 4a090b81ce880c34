//! Services that programs may not reach: sockets that act outside the session, other machines.

use crate::machine::{Account, Machine, Namespaces, Ran};

const CONNECT: &str = include_str!("connect.c");

/// Services outside the session. The one that must not be reached answers `!`, the harmless ones `.`.
const SERVICES: &str = "ip link set lo up; ip addr add 10.9.8.7/24 dev lo; \
                        ./connect serve /var/tmp/docker.sock '!'; ./connect serve /var/tmp/harmless_ .; \
                        ./connect serve 7001 '!'; ./connect serve 7002 .; ./connect datagrams; ./connect full; \
                        chmod 777 /var/tmp";

/// Ways to a socket whose service acts outside.
const TO_SOCKET: &[&str] = &[
    "path",
    "symlink",
    "hard-link",
    "renamed",
    "dots",
    "relative",
    "descriptor",
    "descriptor-itself",
    "root-of-other",
    "own-root",
    "chroot",
    "bind-mount",
    "hidden",
    "nonblocking",
    "vfork",
    "user-namespace",
    "without-end",
    "32-bit",
    "32-bit-old",
];

/// Ways to other machines, and to be reached from them.
const TO_OTHERS: &[&str] = &[
    "far",
    "far-mapped",
    "far-fast-open",
    "far-fast-message",
    "udp",
    "udp6",
    "raw",
    "ping",
    "packet",
    "netlink",
    "vsock",
    "datagram",
    "datagram-pair",
    "listen",
    "listen-unbound",
    "listen-any-6",
];

fn machine(name: &str, account: Account) -> Option<Machine> {
    let machine = Machine::new(name, account)?.with_services(SERVICES);
    machine.program("connect", CONNECT)?;
    Some(machine)
}

fn connect(machine: &Machine, settings: &[(&str, &str)], way: &str) -> Ran {
    machine.guarded(settings, &format!("./connect {way}"))
}

/// Those of the ways that work without the limits, and of these the ones that still work with them.
fn tried<'w>(
    machine: &Machine,
    settings: &[(&str, &str)],
    ways: &[&'w str],
) -> (Vec<&'w str>, Vec<String>) {
    let (mut works, mut escaped) = (Vec::new(), Vec::new());
    for way in ways {
        let free = connect(machine, &[("AEGISH_SUPERVISE", "off")], way);
        if !free.out.contains("reached") {
            println!(
                "skipped: without limits this does not work either: {way} {}{}",
                free.out, free.err
            );
            continue;
        }
        works.push(*way);
        let held = connect(machine, settings, way);
        if held.out.contains("reached") {
            escaped.push(format!("{way}: {}{}", held.out, held.err));
        }
    }
    (works, escaped)
}

#[test]
fn no_way_to_a_socket_that_acts_outside_works_under_supervision() {
    use Namespaces::{Allowed, Forbidden};
    for (account, namespaces) in
        [(Account::Root, Allowed), (Account::Ordinary, Allowed), (Account::Ordinary, Forbidden)]
    {
        let made = machine("sockets", account);
        let Some(machine) = made.and_then(|machine| machine.with_namespaces(namespaces)) else {
            return;
        };
        let settings = [("AEGISH_SUPERVISE", "on")];
        let (works, escaped) = tried(&machine, &settings, TO_SOCKET);
        assert!(escaped.is_empty(), "{account:?} {}", escaped.join("\n"));
        assert!(works.len() > 10, "{account:?}: only {works:?} could be tried");
        let told = connect(&machine, &settings, "path").err;
        assert!(told.contains("connect was not connected: /var/tmp/docker.sock"), "{told}");
        let open = [("AEGISH_SUPERVISE", "on"), ("AEGISH_SOCKETS", "services")];
        assert_eq!(connect(&machine, &open, "path").out, "reached\n");
        let open = [("AEGISH_SUPERVISE", "on"), ("AEGISH_SOCKETS", "/var/tmp/docker.sock")];
        assert_eq!(connect(&machine, &open, "path").out, "reached\n");
    }
}

#[test]
fn no_way_to_other_machines_works_where_only_this_one_is_allowed() {
    use Namespaces::{Allowed, Forbidden};
    for (account, namespaces) in
        [(Account::Root, Allowed), (Account::Ordinary, Allowed), (Account::Ordinary, Forbidden)]
    {
        let made = machine("machines", account);
        let Some(machine) = made.and_then(|machine| machine.with_namespaces(namespaces)) else {
            return;
        };
        for settings in [
            &[("AEGISH_NET", "loopback")][..],
            &[("AEGISH_NET", "loopback"), ("AEGISH_SUPERVISE", "on")],
            &[("AEGISH_NET", "off")],
            &[("AEGISH_NET", "ports:443"), ("AEGISH_SUPERVISE", "on")],
        ] {
            let (works, escaped) = tried(&machine, settings, TO_OTHERS);
            assert!(escaped.is_empty(), "{account:?} {settings:?} {}", escaped.join("\n"));
            assert!(works.len() > 8, "{account:?}: only {works:?} could be tried");
        }
    }
}

#[test]
fn what_is_allowed_is_reached() {
    for account in [Account::Root, Account::Ordinary] {
        let Some(machine) = machine("allowed", account) else { return };
        let reached = |settings: &[(&str, &str)], way: &str| {
            let ran = connect(&machine, settings, way);
            assert_eq!(ran.out, "reached\n", "{account:?} {settings:?} {way} {}", ran.err);
        };
        for way in ["far", "far-mapped", "here", "here-6", "here-nothing", "udp", "listen"] {
            reached(&[("AEGISH_SUPERVISE", "on")], way);
        }
        for way in ["here", "here-6", "here-nothing", "listen-here"] {
            reached(&[("AEGISH_NET", "loopback")], way);
        }
        let ports = [("AEGISH_NET", "ports:7001,22"), ("AEGISH_SUPERVISE", "on")];
        reached(&ports, "far");
        assert!(!connect(&machine, &ports, "other-port").out.contains("no answer"));
        let off = connect(&machine, &[("AEGISH_NET", "off")], "here");
        assert!(!off.out.contains("reached"), "{}", off.out);
    }
}

#[test]
fn errors_and_signals_are_as_without_supervision() {
    let Some(machine) = machine("errors", Account::Ordinary) else { return };
    for way in ["nobody", "interrupted", "harmless"] {
        let free = connect(&machine, &[("AEGISH_SUPERVISE", "off")], way);
        let held = connect(&machine, &[("AEGISH_SUPERVISE", "on")], way);
        assert_eq!(held.out, free.out, "{way} {}", held.err);
    }
}

#[test]
fn addresses_and_sockets_that_change_meanwhile_never_reach_the_goal() {
    let Some(machine) = machine("races", Account::Ordinary) else { return };
    /// Tries without supervision, which shows that it can be done.
    const CONTROL: u32 = 1000;
    let tries = crate::machine::races();
    for way in ["race-path", "race-address", "race-socket"] {
        let control = format!("{way} {}", tries.min(CONTROL));
        let text = format!("{way} {tries}");
        let free = connect(&machine, &[("AEGISH_SUPERVISE", "off")], &control);
        assert!(free.out.contains("reached"), "{way}: {}{}", free.out, free.err);
        let settings = [("AEGISH_SUPERVISE", "on"), ("AEGISH_NET", "loopback")];
        let held = connect(&machine, &settings, &text);
        assert!(!held.out.contains("reached"), "{way}: {}", held.out);
        // The harmless one is reached, so that the tries were tries.
        assert!(way == "race-socket" || !held.out.contains("elsewhere 0"), "{way}: {}", held.out);
    }
}

#[test]
fn a_guard_within_a_guard_does_not_claim_what_it_cannot_hold() {
    let Some(machine) = machine("nested-net", Account::Root) else { return };
    let nested = "AEGISH_NET=loopback /mnt/bin/aegish -c 'echo ran'";
    let ran = machine.guarded(&[("AEGISH_SUPERVISE", "on")], nested);
    assert!(ran.out.is_empty() && ran.err.contains("one supervisor"), "{}{}", ran.out, ran.err);
    let ran = machine.guarded(&[("AEGISH_NET", "loopback")], nested);
    assert_eq!(ran.out, "ran\n", "{}", ran.err);
}
