//! Lists of hosts: what is on the list is reached through the proxy, and nothing else is.

use crate::machine::{Account, Machine, Ran};

const HOSTS: &str = include_str!("hosts.c");

/// A network in which every name leads to the same server, which is another machine for the session.
const SERVICES: &str = "ip link set lo up; ip addr add 10.9.8.7/24 dev lo; \
                        mount --bind /mnt/home/hosts /etc/hosts; \
                        for p in 22 80 443 8080; do ./hosts serve 10.9.8.7 $p; done; \
                        ./hosts serve 127.0.0.1 443; ./hosts serve 127.0.0.1 3000";
const NAMES: &str = "127.0.0.1 localhost inside.example\n\
                     10.9.8.7 allowed.example sub.allowed.example ssh.example denied.example\n";
const LIST: &str = "hosts:allowed.example,*.wild.example,ssh.example:22,inside.example";

/// Ways to hosts that are not on the list, each with a control: the same without limits, or for a host that is on it.
const WAYS_OUT: &[(&str, &str)] = &[
    // By itself.
    ("direct 10.9.8.7 443", ""),
    ("direct 10.9.8.7 80", ""),
    ("direct 127.0.0.1 3000", ""),
    // Other hosts and ports.
    ("tunnel denied.example 443 denied.example", "tunnel allowed.example 443 allowed.example"),
    (
        "tunnel sub.allowed.example 443 sub.allowed.example",
        "tunnel allowed.example 443 allowed.example",
    ),
    ("tunnel allowed.example 8080 allowed.example", "tunnel allowed.example 443 allowed.example"),
    ("tunnel 10.9.8.7 443", "tunnel allowed.example 443 allowed.example"),
    ("tunnel ssh.example 443 ssh.example", "raw ssh.example 22 SSH-2.0-x"),
    // Another host over a connection to one that is on the list.
    ("tunnel allowed.example 443 denied.example", "tunnel allowed.example 443 allowed.example"),
    ("tunnel allowed.example 443", "tunnel allowed.example 443 Allowed.Example"),
    ("tunnel ssh.example 22 denied.example", "tunnel ssh.example 22 ssh.example"),
    ("raw allowed.example 443 GET", "tunnel allowed.example 443 allowed.example"),
    // Names that lead to this machine.
    ("tunnel inside.example 443 inside.example", "tunnel allowed.example 443 allowed.example"),
    ("tunnel localhost 3000 localhost", "tunnel allowed.example 443 allowed.example"),
    // Pages.
    ("get http://denied.example/ allowed.example", "get http://allowed.example/ allowed.example"),
    (
        "get http://allowed.example:8080/ allowed.example",
        "get http://allowed.example/ allowed.example",
    ),
    (
        "get http://allowed.example@denied.example/ allowed.example",
        "get http://u:p@allowed.example/ x",
    ),
];

fn machine(name: &str, account: Account) -> Option<Machine> {
    let machine = Machine::new(name, account)?.with_services(SERVICES);
    machine.file("hosts", NAMES);
    machine.program("hosts", HOSTS)?;
    Some(machine)
}

fn limited(machine: &Machine, list: &str, way: &str) -> Ran {
    machine.guarded(&[("AEGISH_NET", list)], &format!("./hosts {way}"))
}

#[test]
fn only_hosts_of_the_list_are_reached() {
    for account in [Account::Root, Account::Ordinary] {
        let Some(machine) = machine("hosts", account) else { return };
        for (way, control) in WAYS_OUT {
            let works = match control.is_empty() {
                true => machine.guarded(&[], &format!("./hosts {way}")),
                false => limited(&machine, LIST, control),
            };
            assert!(
                works.out.contains("reached"),
                "{account:?} {control}: {}{}",
                works.out,
                works.err
            );
            let held = limited(&machine, LIST, way);
            assert!(!held.out.contains("reached"), "{account:?} {way}: {}{}", held.out, held.err);
        }
    }
}

#[test]
fn what_is_refused_says_why() {
    let Some(machine) = machine("hosts-told", Account::Ordinary) else { return };
    let ran = limited(&machine, LIST, "tunnel denied.example 443 denied.example");
    assert!(
        ran.out.contains(" 403 ") && ran.out.contains("denied.example port 443"),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("hosts was not connected: denied.example port 443"), "{}", ran.err);
    let ran = limited(&machine, LIST, "direct 10.9.8.7 443");
    assert!(ran.err.contains("through the proxy only"), "{}", ran.err);
    let ran = limited(&machine, LIST, "tunnel allowed.example 443 denied.example");
    assert!(ran.err.contains("was used for another host"), "{}", ran.err);
}

#[test]
fn a_page_is_asked_of_the_host_that_was_looked_at_and_once() {
    let Some(machine) = machine("hosts-pages", Account::Ordinary) else { return };
    let ran = limited(&machine, LIST, "twice http://allowed.example/ denied.example");
    assert!(
        ran.out.contains("Host: allowed.example") && ran.out.contains("ab"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(!ran.out.contains("denied.example") && !ran.out.contains("second"), "{}", ran.out);
}

#[test]
fn this_machine_is_reached_if_it_is_on_the_list() {
    let Some(machine) = machine("hosts-here", Account::Ordinary) else { return };
    let reached = |list, way| limited(&machine, list, way).out.contains("reached");
    assert!(reached("hosts:localhost", "direct 127.0.0.1 3000"));
    assert!(reached("hosts:localhost", "tunnel localhost 3000 localhost"));
    assert!(reached("hosts:localhost:3000", "direct 127.0.0.1 3000"));
    assert!(!reached("hosts:localhost:3000", "direct 127.0.0.1 443"));
    assert!(!reached("hosts:localhost", "direct 10.9.8.7 443"));
}

#[test]
fn the_proxy_of_a_session_serves_that_session_alone() {
    let Some(machine) = machine("hosts-own", Account::Ordinary) else { return };
    // Another session reads where the proxy is, and may reach this machine.
    let theirs = "until test -s proxy; do sleep 0.1; done; https_proxy=$(cat proxy) AEGISH_NET=loopback \
                  /mnt/bin/aegish -c './hosts tunnel allowed.example 443 allowed.example'";
    let text = "echo $https_proxy >proxy; sleep 4; ./hosts tunnel allowed.example 443 allowed.example >own";
    let both = format!(
        "AEGISH_NET={LIST} /mnt/bin/aegish -c '{text}' & {theirs}; wait; echo own; cat own"
    );
    let ran = machine.plainly(&both);
    let (before, own) = ran.out.split_once("own\n").unwrap_or_default();
    assert!(!before.contains("reached"), "{}{}", ran.out, ran.err);
    assert!(own.contains("reached"), "{}{}", ran.out, ran.err);
}

#[test]
fn programs_take_the_proxy_by_themselves() {
    let Some(machine) = machine("hosts-curl", Account::Ordinary) else { return };
    let text = "curl -sS http://allowed.example/ | head -1; curl -sS http://denied.example/; \
                curl -sS --noproxy '*' http://10.9.8.7/";
    let ran = machine.guarded(&[("AEGISH_NET", LIST)], text);
    if ran.err.contains("command not found") {
        println!("skipped: no curl");
        return;
    }
    assert!(ran.out.starts_with("reached\n"), "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("denied.example port 80 is not among the hosts"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert_eq!(ran.out.matches("reached").count(), 1, "{}{}", ran.out, ran.err);
}

#[test]
fn a_plan_grants_the_hosts_that_the_text_names() {
    let Some(machine) = machine("hosts-plan", Account::Ordinary) else { return };
    let run = |text: &str| machine.plainly(&format!("/mnt/bin/aegish run --tight {text}"));
    let ran = run("-- 'curl -sS http://allowed.example/'");
    assert!(
        ran.out.contains("reached") && ran.err.contains("network allowed.example:80"),
        "{}{}",
        ran.out,
        ran.err
    );
    let wider = "-- 'http_host=denied; curl -sS http://allowed.example/ -o /dev/null; ./hosts get http://denied.example/ x'";
    let ran = run(wider);
    assert!(!ran.out.contains("reached"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("--also-connect denied.example:80"), "{}{}", ran.out, ran.err);
    let ran = run(&format!("--also-connect denied.example {wider}"));
    assert!(ran.out.contains("reached"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_list_of_hosts_is_not_claimed_where_another_guard_supervises() {
    let Some(machine) = machine("hosts-nested", Account::Root) else { return };
    let nested = format!("AEGISH_NET={LIST} /mnt/bin/aegish -c 'echo ran'");
    let ran = machine.guarded(&[("AEGISH_SUPERVISE", "on")], &nested);
    assert!(ran.out.is_empty() && ran.err.contains("one supervisor"), "{}{}", ran.out, ran.err);
}
