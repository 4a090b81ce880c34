//! Killed at any moment, a run leaves the files before or the files behind, never a mixture.

use super::ground::{Ground, How, Picture, same};
use aegish_undo::{Conflicts, State};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often is killed; `AEGISH_TEST_KILLS` sets another number.
const KILLS: u32 = 24;
const PREPARE: &str =
    "for d in {0..9}; do mkdir $d; for f in {0..29}; do echo $d $f >$d/$f; done; done; ln 0/0 link";
const SCRIPT: &str = "rm -r 1 2; for f in {0..29}; do echo new >>3/$f; done; mv 4 44; chmod 600 5/*; echo n >0/0; \
                      mkdir new; for f in {0..29}; do echo $f >new/$f; done";

/// What the process that is killed does.
#[test]
#[ignore = "is started by the other tests"]
fn worker() {
    let Some(dir) = std::env::var_os("AEGISH_TEST_GROUND") else { return };
    let ground = std::mem::ManuallyDrop::new(Ground::at(PathBuf::from(dir)));
    match std::env::var("AEGISH_TEST_WORK").as_deref() {
        Ok("keep") => {
            let run = ground.run(How::Overlay, SCRIPT).unwrap();
            fs::write(ground.dir.join("ready"), "").unwrap();
            run.keep(u64::MAX).unwrap();
        }
        Ok("undo") => {
            let id = ground.store.list()[0].id;
            fs::write(ground.dir.join("ready"), "").unwrap();
            ground.store.undo(id, Conflicts::Refuse).unwrap();
        }
        Ok("copies") => {
            let mut run = ground.begin(How::Copies).unwrap();
            fs::write(ground.dir.join("ready"), "").unwrap();
            ground.inside(&run, &format!("echo $$ >../pid; {SCRIPT}"));
            run.ended().unwrap();
            run.discard().unwrap();
        }
        other => panic!("{other:?}"),
    }
}

/// Starts the worker and kills it so long after it is ready; whether it was still at work.
fn killed(ground: &Ground, work: &str, after: Duration) -> bool {
    let ready = ground.dir.join("ready");
    let _ = fs::remove_file(&ready);
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::worker", "--ignored"])
        .env("AEGISH_TEST_GROUND", &ground.dir)
        .env("AEGISH_TEST_WORK", work)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !ready.exists() && began.elapsed() < Duration::from_secs(60) {
        assert!(worker.try_wait().unwrap().is_none(), "the worker failed: {work}");
        std::thread::sleep(Duration::from_micros(200));
    }
    std::thread::sleep(after);
    let alive = worker.try_wait().unwrap().is_none();
    let _ = worker.kill();
    let _ = worker.wait();
    alive
}

fn kills() -> u32 {
    std::env::var("AEGISH_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS)
}

/// Moments that cover the whole time, without an order.
fn moment(number: u32, longest: Duration) -> Duration {
    let spread = (f64::from(number) * 0.618_033_988_75).fract();
    longest.mul_f64(spread * 1.1)
}

#[test]
fn keeping_is_done_or_not_done() {
    let ground = Ground::new("kill-keep");
    ground.prepare(PREPARE);
    let before = ground.picture();
    let Some(run) = ground.run(How::Overlay, SCRIPT) else { return };
    let began = Instant::now();
    let id = run.keep(u64::MAX).unwrap();
    let longest = began.elapsed();
    let after = names(&ground.picture());
    ground.undo(id);
    let (mut done, mut alive) = (0, 0);
    for number in 0..kills() {
        alive += u32::from(killed(&ground, "keep", moment(number, longest)));
        ground.store.recover();
        let now = ground.picture();
        if now != before {
            same(&names(&now), &after, &format!("kill {number}: neither before nor behind"));
            done += 1;
        }
        for run in ground.store.list() {
            ground.store.undo(run.id, Conflicts::Refuse).unwrap();
        }
        same(&ground.picture(), &before, &format!("kill {number}: undone"));
    }
    println!("{alive} of {} killed at work; {done} were kept", kills());
}

#[test]
fn undoing_is_finished_by_the_next_one() {
    let ground = Ground::new("kill-undo");
    ground.prepare(PREPARE);
    let before = ground.picture();
    let mut longest = Duration::from_millis(50);
    for number in 0..kills() / 2 {
        let Some(run) = ground.run(How::Overlay, SCRIPT) else { return };
        run.keep(u64::MAX).unwrap();
        let began = Instant::now();
        if !killed(&ground, "undo", moment(number, longest)) {
            longest = longest.min(began.elapsed());
        }
        ground.store.recover();
        if let Some(left) = ground.store.list().first() {
            assert_eq!(left.state, State::Kept, "kill {number}");
            ground.store.undo(left.id, Conflicts::Refuse).unwrap();
        }
        same(&ground.picture(), &before, &format!("kill {number}"));
    }
}

#[test]
fn what_was_copied_comes_back_whenever_the_run_is_killed() {
    let ground = Ground::new("kill-copies");
    ground.prepare(PREPARE);
    let before = ground.picture();
    for number in 0..kills() / 2 {
        let pid = ground.dir.join("pid");
        let _ = fs::remove_file(&pid);
        killed(&ground, "copies", moment(number, Duration::from_millis(120)));
        // What the worker had started may still be at work, or about to begin.
        std::thread::sleep(Duration::from_millis(200));
        let command = fs::read_to_string(&pid).unwrap_or_default();
        while !command.is_empty() && PathBuf::from(format!("/proc/{}", command.trim())).exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        ground.store.recover();
        for run in ground.store.list() {
            ground.store.undo(run.id, Conflicts::Override).unwrap();
        }
        same(&ground.picture(), &before, &format!("kill {number}"));
    }
}

/// The paths with their content, without times.
fn names(picture: &Picture) -> Picture {
    let timeless = |text: &String| {
        let words: Vec<&str> = text.splitn(4, ' ').collect();
        format!("{} {}", words[0], words[3])
    };
    picture.iter().map(|(path, text)| (path.clone(), timeless(text))).collect()
}
