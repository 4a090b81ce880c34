//! A model that is asked while a person waits at the prompt.

use crate::fake::answers::{CompletionEnd, reply};
use crate::fake::{Fake, FakeAnswer, KEY};
use crate::harness::{DEADLINE, Home, Terminal, eventually};
use std::time::Instant;

/// Left open by the static side.
const OPEN: &str = "touch ran; eval \"$(uname -n)\"";

fn shell(home: &Home, fake: &Fake) -> Terminal {
    home.shell()
        .set("OPENAI_API_KEY", KEY)
        .set("OPENAI_BASE_URL", &format!("http://{}/v1", fake.address))
        .set("AEGISH_PRIMARY_MODEL", "openai/gpt-5.1")
        .set("AEGISH_FALLBACK_MODELS", "")
        .set("AEGISH_JUDGE", "undecided")
        .set("AEGISH_LLM_TIMEOUT", "600")
        .open()
}

fn verdict(action: &str) -> FakeAnswer {
    let said = format!(
        r#"{{"action": "{action}", "reason": "because I say so", "confidence": 0.9, "nonce": "(nonce)"}}"#
    );
    let mut body = reply(aegish_wire::Protocol::OpenAiChat, CompletionEnd::Good);
    body["choices"][0]["message"]["content"] = said.into();
    FakeAnswer::json(200, body)
}

#[test]
fn an_interrupt_gives_up_on_a_model_that_does_not_answer() {
    let (home, fake) = (Home::new(), Fake::always(FakeAnswer::Hang));
    let terminal = shell(&home, &fake);
    let before = terminal.ready();
    terminal.line(OPEN);
    terminal.sees("asking a model");
    eventually("the question", || fake.seen().len() == 1);
    let pressed = Instant::now();
    terminal.control('c');
    terminal.ready_after(before);
    assert!(pressed.elapsed() < DEADLINE);
    terminal.sees("nothing was run: the answer was not waited for");
    assert_eq!(terminal.run("echo $?"), "130");
    assert!(!home.at("ran").exists());
    assert!(home.read(".aegish/audit.log").contains("\"fate\":\"interrupted\""));
    // The interrupt is consumed, and lines that the static side decides need no model.
    assert_eq!(terminal.run("echo next"), "next");
}

#[test]
fn a_models_opinion_settles_an_open_verdict() {
    let (home, fake) = (Home::new(), Fake::always(verdict("allow")));
    shell(&home, &fake).run(OPEN);
    assert!(home.at("ran").exists());
    let (home, fake) = (Home::new(), Fake::always(verdict("block")));
    let terminal = shell(&home, &fake);
    let said = terminal.run(OPEN);
    assert!(said.contains("BLOCK") && said.contains("because I say so"), "{said}");
    assert!(!home.at("ran").exists());
}

#[test]
fn with_every_model_down_harmless_work_continues() {
    let (home, fake) = (Home::new(), Fake::always(FakeAnswer::Close));
    let terminal = shell(&home, &fake);
    assert_eq!(terminal.run("echo works"), "works");
    assert_eq!(fake.seen().len(), 0);
}
