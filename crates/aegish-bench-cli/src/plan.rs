//! The plan of a run: systems and data sets, what is missing, what it may cost.

use crate::table::{self, Align};
use aegish_bench::dataset::{Dataset, ReadOptions, ShippedSet, shipped};
use aegish_bench::queue::RunRequest;
use aegish_bench::run::{Estimate, RunSettings, Suite, Task, Volume, estimate};
use aegish_bench::system::{Billing, BuildError, Delivery, System, SystemBuilder, SystemName};
use aegish_judge::price;
use aegish_log::{Expected, QUESTION};
use aegish_terminal::{Failure, Screen, Style, grouped, visible};
use std::path::Path;
use std::sync::Arc;

/// Number of commands whose length is measured for the estimate.
const MEASURED: usize = 1000;

/// Systems and data sets.
pub(crate) struct BenchPlan {
    pub(crate) rows: Vec<PlannedSystem>,
    pub(crate) datasets: Vec<Dataset>,
}

/// One system.
pub(crate) struct PlannedSystem {
    pub(crate) name: SystemName,
    pub(crate) system: Result<Arc<dyn System>, BuildError>,
    /// For all data sets, if it costs anything.
    pub(crate) estimate: Option<Estimate>,
}

/// The requested systems; the static side by default.
pub(crate) fn systems(
    models: &[String],
    named: &[String],
    suite: Option<Suite>,
) -> Result<Vec<SystemName>, Failure> {
    let mut names = Vec::new();
    let suite = suite.into_iter().flat_map(Suite::models).map(str::to_owned);
    for word in models.iter().cloned().chain(suite) {
        names.push(SystemName::Model(word));
    }
    for word in named {
        names.push(word.parse().map_err(|error| Failure::usage(format!("{error}")))?);
    }
    if names.is_empty() {
        names.push(SystemName::Static);
    }
    let mut once: Vec<SystemName> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    Ok(once)
}

/// The requested data sets; the shipped ones by default.
pub(crate) fn datasets(
    names: &[String],
    expect: Option<Expected>,
    seed: Option<u64>,
) -> Result<Vec<Dataset>, Failure> {
    let reading = ReadOptions { format: None, expect };
    let found: Vec<_> = if names.is_empty() {
        shipped().iter().map(ShippedSet::open).collect()
    } else {
        names.iter().map(|name| Dataset::find(name, reading)).collect()
    };
    let other = |set: Dataset| match seed {
        Some(seed) => set.instantiated(seed),
        None => Ok(set),
    };
    let ours = |name: &String| shipped().iter().any(|set| set.name == *name);
    let missing = names.iter().any(|name| !ours(name) && !Path::new(name).exists());
    let fail = |error| {
        let message = format!("nothing was asked: {error}");
        if missing { Failure::usage(message) } else { Failure::internal(message) }
    };
    found.into_iter().map(|set| set.and_then(other).map_err(fail)).collect()
}

impl BenchPlan {
    pub(crate) fn new(
        names: Vec<SystemName>,
        datasets: Vec<Dataset>,
        builder: &SystemBuilder<'_>,
        settings: &RunSettings,
    ) -> Result<Self, Failure> {
        let volume = volume(&datasets, builder, settings)?;
        let rows = names.into_iter().map(|name| {
            let paid = match &name {
                SystemName::Model(id) | SystemName::Guard(Some(id)) => Some(id.as_str()),
                _ => None,
            };
            let price = |id| match builder.delivery {
                Delivery::Requests => price::find(id),
                Delivery::Batches => price::in_batch(id),
            };
            let estimate = paid.map(|id| estimate(id, price(id), volume, builder.thinking));
            PlannedSystem { system: builder.build(&name), name, estimate }
        });
        Ok(Self { rows: rows.collect(), datasets })
    }

    /// The cost in dollars of all questions with a known price.
    pub(crate) fn dollars(&self) -> f64 {
        let able = self.rows.iter().filter(|row| row.system.is_ok());
        able.filter_map(|row| row.estimate?.dollars).sum()
    }

    /// Systems that cannot be built, with the reason.
    pub(crate) fn obstacles(&self) -> impl Iterator<Item = (&SystemName, &BuildError)> {
        self.rows.iter().filter_map(|row| Some((&row.name, row.system.as_ref().err()?)))
    }

    /// Systems whose price is unknown.
    pub(crate) fn unpriced(&self) -> impl Iterator<Item = &SystemName> {
        let unpriced = |row: &&PlannedSystem| {
            row.system.as_ref().is_ok_and(|system| {
                let info = system.info();
                info.billing == Billing::PerAnswer && info.price.is_none()
            })
        };
        self.rows.iter().filter(unpriced).map(|row| &row.name)
    }

    /// Each system with its tasks.
    pub(crate) fn tasks(&self, settings: &RunSettings) -> Vec<Vec<Task>> {
        let of = |row: &PlannedSystem| {
            let system = row.system.as_ref().ok()?;
            let expected_cost = row.estimate.map_or(0.0, |estimate| each(&estimate));
            let task = |dataset: &Dataset| Task {
                system: Arc::clone(system),
                dataset: dataset.clone(),
                settings: settings.clone(),
                expected_cost,
            };
            Some(self.datasets.iter().map(task).collect())
        };
        self.rows.iter().filter_map(of).collect()
    }

    /// The requests to workers for each system that has tasks.
    pub(crate) fn requests(
        &self,
        builder: &SystemBuilder<'_>,
        settings: &RunSettings,
    ) -> Vec<RunRequest> {
        let of = |row: &PlannedSystem| {
            let system = row.system.as_ref().ok()?;
            Some(RunRequest::new(&row.name, system.info(), builder, settings))
        };
        self.rows.iter().filter_map(of).collect()
    }

    /// A line for each system: whether it can be asked, tokens and dollars.
    pub(crate) fn show(&self, settings: &RunSettings, screen: &mut Screen) {
        let sets: Vec<String> = self
            .datasets
            .iter()
            .map(|set| {
                format!("{} ({})", visible(&set.name), settings.samples(set.counts.samples()))
            })
            .collect();
        screen.put("data: ").put(sets.join(", "));
        if settings.epochs > 1 {
            screen.put(format_args!(", {} times", settings.epochs));
        }
        screen.end();
        let head = ["system", "questions", "tokens in", "tokens out", "about $", "state"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for row in &self.rows {
            rows.push(cells(row, self.questions(settings)));
        }
        let aligned =
            [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left];
        screen.put(table::text(&rows, &aligned));
        let total: f64 = self.rows.iter().filter_map(|row| row.estimate?.dollars).sum();
        if total > 0.0 {
            screen.put("about ").paint(Style::Strong, format_args!("$ {total:.2}"));
            screen.put(" in all, estimated within a factor of two from recorded runs\n");
        }
    }

    fn questions(&self, settings: &RunSettings) -> u64 {
        self.datasets.iter().map(|set| settings.questions(set.counts.samples())).sum()
    }
}

fn cells(row: &PlannedSystem, questions: u64) -> Vec<String> {
    let number = |of: fn(&Estimate) -> u64| {
        row.estimate.as_ref().map_or_else(|| "–".to_owned(), |estimate| grouped(of(estimate)))
    };
    let dollars = match &row.estimate {
        None => "0".to_owned(),
        Some(Estimate { dollars: None, .. }) => "unknown".to_owned(),
        Some(Estimate { dollars: Some(dollars), .. }) => format!("{dollars:.2}"),
    };
    let state = match &row.system {
        Ok(_) => "ready".to_owned(),
        Err(error) => {
            let text = error.to_string();
            visible(text.strip_prefix("no model was asked: ").unwrap_or(&text))
        }
    };
    vec![
        visible(&row.name.to_string()),
        grouped(questions),
        number(|estimate| estimate.input),
        number(|estimate| estimate.output),
        dollars,
        state,
    ]
}

/// Dollars for one question.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn each(estimate: &Estimate) -> f64 {
    estimate.dollars.unwrap_or(0.0) / (estimate.questions.max(1) as f64)
}

/// How much text will be sent.
fn volume(
    datasets: &[Dataset],
    builder: &SystemBuilder<'_>,
    settings: &RunSettings,
) -> Result<Volume, Failure> {
    let mut volume =
        Volume { questions: 0, prompt: builder.prompt.text.chars().count() as u64, asked: 0 };
    for set in datasets {
        let fail = |error| Failure::internal(format!("nothing was asked: {error}"));
        let (mut seen, mut characters) = (0_u64, 0_u64);
        for sample in set.samples().map_err(fail)?.take(MEASURED) {
            let sample = sample.map_err(fail)?;
            seen += 1;
            characters += (sample.command.chars().count() + QUESTION.len()) as u64;
        }
        let questions = settings.questions(set.counts.samples());
        volume.questions += questions;
        volume.asked += characters.saturating_mul(questions) / seen.max(1);
    }
    Ok(volume)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_asked_once_and_the_static_side_by_default() {
        let names = |models: &[&str], named: &[&str]| {
            let own = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
            systems(&own(models), &own(named), None).ok()
        };
        assert_eq!(names(&[], &[]), Some(vec![SystemName::Static]));
        let one = names(&["openai/x"], &["openai/x", "static"]).map(|names| names.len());
        assert_eq!(one, Some(2));
        assert_eq!(names(&[], &["nonsense"]), None);
        let suite = systems(&[], &[], Some(Suite::Seed)).map(|names| names.len());
        assert_eq!(suite.ok(), Some(10));
    }
}
