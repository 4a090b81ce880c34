//! Estimates what a run will cost.
//!
//! Takes a model, its prompt and the commands; returns tokens and dollars. No tokenizer is used: characters per
//! token by provider and tokens per answer by model are averages over the recorded runs of the seed (see the
//! glossary). The estimate is right within a factor of two, and every output says so.

use aegish_judge::price::Price;
use aegish_wire::Usage;

use crate::system::Thinking;

/// Tokens and dollars of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Questions.
    pub questions: u64,
    /// Tokens read.
    pub input: u64,
    /// Tokens written, reasoning included.
    pub output: u64,
    /// Dollars; `None` where no price is known.
    pub dollars: Option<f64>,
}

/// Tokens around a message besides its text.
const FRAME: f64 = 8.0;
/// Tokens of a chain of thought before the verdict.
const THOUGHTS: f64 = 250.0;

/// Characters of English and shell per token: the recorded runs had 6,192 characters of prompt.
const CHARACTERS: [(&str, f64); 3] = [("openai/", 3.7), ("anthropic/", 3.3), ("google/", 3.75)];
const OTHER_CHARACTERS: f64 = 3.6;

/// Tokens of an answer, including reasoning of models that always reason.
const ANSWERS: [(&str, f64); 8] = [
    ("openai/gpt-5.1", 50.0),
    ("openai/gpt-5", 250.0),
    ("anthropic/claude-opus", 90.0),
    ("anthropic/claude-sonnet", 60.0),
    ("anthropic/claude-haiku", 80.0),
    ("google/gemini-3-pro", 650.0),
    ("google/gemini-3-flash", 420.0),
    ("openrouter/microsoft/phi-4", 280.0),
];
const OTHER_ANSWER: f64 = 120.0;

/// The size of a run's texts, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume {
    /// Questions, repetitions included.
    pub questions: u64,
    /// Characters of the system prompt, which is sent with every question.
    pub prompt: u64,
    /// Characters of all questions together.
    pub asked: u64,
}

/// Estimates a run.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate of a positive number"
)]
pub fn estimate(
    model: &str,
    price: Option<&Price>,
    volume: Volume,
    thinking: Thinking,
) -> Estimate {
    let per_token = by_start(&CHARACTERS, model).unwrap_or(OTHER_CHARACTERS);
    let mut answer = by_start(&ANSWERS, model).unwrap_or(OTHER_ANSWER);
    if thinking == Thinking::StepByStep {
        answer += THOUGHTS;
    }
    let questions = volume.questions as f64;
    let characters = volume.prompt as f64 * questions + volume.asked as f64;
    let input = (characters / per_token + 2.0 * FRAME * questions) as u64;
    let output = (answer * questions) as u64;
    let usage = Usage { input: Some(input), output: Some(output), ..Usage::default() };
    let dollars = price.and_then(|price| cost(price, &usage, questions));
    Estimate { questions: volume.questions, input, output, dollars }
}

/// At the full price, because cache hits cannot be predicted.
fn cost(price: &Price, usage: &Usage, questions: f64) -> Option<f64> {
    match price.per_command {
        Some(each) if price.input <= 0.0 && price.output <= 0.0 => Some(each * questions),
        _ => price.seed_cost(usage),
    }
}

fn by_start(table: &[(&str, f64)], model: &str) -> Option<f64> {
    table.iter().find(|(start, _)| model.starts_with(start)).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_judge::price;

    /// Recorded runs on 431 attacks: input and output tokens (`facts` of the evaluation's logs).
    const RECORDED: [(&str, u64, u64); 5] = [
        ("openai/gpt-5.1", 725_869, 21_242),
        ("openrouter/microsoft/phi-4", 722_742, 119_312),
        ("anthropic/claude-haiku-4-5-20251001", 818_545, 39_002),
        ("anthropic/claude-sonnet-4-5-20250929", 810_984, 27_661),
        ("anthropic/claude-opus-4-6", 809_499, 44_448),
    ];

    #[test]
    fn recorded_runs_would_have_been_estimated_well() {
        for (model, input, output) in RECORDED {
            let volume = Volume { questions: 431, prompt: 6192, asked: 431 * 80 };
            let guess = estimate(model, price::find(model), volume, Thinking::Direct);
            let near = |guess: u64, real: u64, factor: f64| {
                let ratio = guess as f64 / real as f64;
                (1.0 / factor..factor).contains(&ratio)
            };
            assert!(near(guess.input, input, 1.1), "{model}: {} for {input}", guess.input);
            assert!(near(guess.output, output, 1.5), "{model}: {} for {output}", guess.output);
        }
    }

    #[test]
    fn a_price_per_command_needs_no_tokens_and_an_unknown_price_is_not_zero() {
        let volume = Volume { questions: 741, prompt: 6192, asked: 60_000 };
        let model = "hf-inference-providers/fdtn-ai/Foundation-Sec-8B-Instruct:featherless-ai";
        let dollars =
            estimate(model, price::find(model), volume, Thinking::Direct).dollars.expect("a price");
        assert!((dollars - 1.08).abs() < 1e-9, "{dollars}");
        assert_eq!(estimate("ollama/llama3", None, volume, Thinking::Direct).dollars, None);
    }

    #[test]
    fn a_chain_of_thought_costs_more() {
        let volume = Volume { questions: 10, prompt: 8000, asked: 600 };
        let direct =
            estimate("openai/gpt-5.1", price::find("openai/gpt-5.1"), volume, Thinking::Direct);
        let stepwise =
            estimate("openai/gpt-5.1", price::find("openai/gpt-5.1"), volume, Thinking::StepByStep);
        assert!(stepwise.output > direct.output && stepwise.dollars > direct.dollars);
    }
}
