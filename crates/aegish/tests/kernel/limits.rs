//! Limits on what programs use, and the rights they do not gain.

use crate::machine::{Account, Machine};

/// Makes copies of itself that make copies. It never makes more than a thousand, and all end after some seconds.
const BOMB: &str = r#"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
  int *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t first = getpid();
  alarm(20);
  for (int tries = 0; tries < 12; tries++) {
    if (__atomic_load_n(made, __ATOMIC_SEQ_CST) > 1000) break;
    pid_t child = fork();
    if (child == 0) { alarm(5); __atomic_add_fetch(made, 1, __ATOMIC_SEQ_CST); }
  }
  if (getpid() == first) { sleep(2); printf("made %d\n", *made); return 0; }
  sleep(4);
  return 0;
}
"#;

const USE: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **words) {
  struct rlimit core;
  (void)count;
  switch (words[1][0]) {
    case 'm': { long got = 0; while (got < 512) { char *part = malloc(1 << 20); if (!part) break; memset(part, 1, 1 << 20); got++; } printf("%ld\n", got); break; }
    case 'f': { signal(SIGXFSZ, SIG_IGN); char part[1 << 16] = {0}; FILE *file = fopen("big", "w"); long got = 0; while (got < 64 && fwrite(part, sizeof part, 1, file) == 1 && fflush(file) == 0) got++; printf("%ld\n", got / 16); break; }
    case 't': { while (clock() < 4 * CLOCKS_PER_SEC) {} puts("went on"); break; }
    case 'c': getrlimit(RLIMIT_CORE, &core); printf("%ld\n", (long)core.rlim_max); break;
    case 'p': printf("%d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)); break;
  }
  return 0;
}
"#;

fn number(text: &str) -> u64 {
    text.split_ascii_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or(u64::MAX)
}

#[test]
fn a_program_that_copies_itself_without_end_ends_at_the_limit() {
    let Some(machine) = Machine::new("bomb", Account::Ordinary) else { return };
    if machine.program("bomb", BOMB).is_none() {
        return;
    }
    let free = machine.guarded(&[], "./bomb");
    assert!(number(&free.out) > 500, "{}{}", free.out, free.err);
    let held = machine.guarded(&[("AEGISH_MAX_PROCESSES", "64")], "./bomb");
    assert!(number(&held.out) < 500, "{}{}", held.out, held.err);
    let after = machine.guarded(&[("AEGISH_MAX_PROCESSES", "64")], "date +%Y && echo fine");
    assert!(after.out.ends_with("fine\n"), "{}{}", after.out, after.err);
}

#[test]
fn memory_files_and_time_end_at_their_limits() {
    for account in [Account::Root, Account::Ordinary] {
        let Some(machine) = Machine::new("use", account) else { return };
        if machine.program("use", USE).is_none() {
            return;
        }
        assert_eq!(number(&machine.guarded(&[], "./use m").out), 512);
        let held = machine.guarded(&[("AEGISH_MAX_MEMORY", "100")], "./use m").out;
        assert!((10..=100).contains(&number(&held)), "{held}");
        assert_eq!(number(&machine.guarded(&[], "./use f").out), 4);
        assert_eq!(number(&machine.guarded(&[("AEGISH_MAX_FILE_SIZE", "1")], "./use f").out), 1);
        assert_eq!(machine.guarded(&[("AEGISH_MAX_CPU_TIME", "1s")], "./use t").out, "");
    }
}

#[test]
fn programs_gain_no_rights_under_limits() {
    let Some(machine) = Machine::new("rights", Account::Ordinary) else { return };
    if machine.program("use", USE).is_none() {
        return;
    }
    assert_eq!(machine.guarded(&[("AEGISH_SUPERVISE", "off")], "./use p").out, "0\n");
    for limit in [("AEGISH_SUPERVISE", "on"), ("AEGISH_FILES", "open"), ("AEGISH_NET", "off")] {
        assert_eq!(machine.guarded(&[limit], "./use p").out, "1\n", "{limit:?}");
    }
}

#[test]
fn a_shell_that_an_agent_calls_is_supervised_and_a_person_is_not() {
    let Some(machine) = Machine::new("agent", Account::Ordinary) else { return };
    if machine.program("use", USE).is_none() {
        return;
    }
    machine.shim("bash");
    assert_eq!(machine.called_as("bash", &[], "./use p").out, "1\n");
    assert_eq!(machine.called_as("bash", &[("AEGISH_SUPERVISE", "off")], "./use p").out, "0\n");
    assert_eq!(machine.called_as("bash", &[("AEGISH_ROLE", "sysadmin")], "./use p").out, "0\n");
    assert_eq!(machine.guarded(&[], "./use p").out, "0\n");
}
