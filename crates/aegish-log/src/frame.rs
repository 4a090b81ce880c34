//! The parts of a header that are known at the start, as JSON: `eval` and `plan`.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::clock::{self, Digits};
use super::spec::{EvalConfig, PromptCopies, Spec};

/// The name of the scorer in samples and results.
pub(super) const SCORER: &str = "security_classification_scorer";
/// Log versions are Inspect's.
pub(super) const VERSION: u32 = 2;

/// `eval` and `plan` of a log.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Frame {
    pub(super) eval: Map<String, Value>,
    #[serde(default)]
    pub(super) plan: Map<String, Value>,
}

impl Frame {
    pub(super) fn new(spec: &Spec) -> Self {
        Self { eval: eval(spec), plan: plan(spec) }
    }

    /// The text at a path of keys in `eval`.
    pub(super) fn text(&self, path: &[&str]) -> Option<&str> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.eval.get(*first)?, |value, key| value.get(key))?.as_str()
    }

    /// The system prompt as it was sent.
    pub(super) fn prompt(&self) -> Option<&str> {
        let steps = self.plan.get("steps")?.as_array()?;
        steps.iter().find_map(|step| step.get("params")?.get("template")?.as_str())
    }

    /// Which parts of the log contain the prompt.
    pub(super) fn copies(&self) -> PromptCopies {
        match self.text(&["metadata", "prompt_copies"]) {
            Some("header") => PromptCopies::HeaderOnly,
            _ => PromptCopies::EverySample,
        }
    }

    /// Replaces the limits by those of a run that resumes the log.
    pub(super) fn set_limits(&mut self, time_limit: f64, cost_limit: Option<f64>) {
        let put = |part: &mut Map<String, Value>, within: &str, name: &str, value: Value| {
            if let Some(Value::Object(fields)) = part.get_mut(within) {
                fields.insert(name.to_owned(), value);
            }
        };
        put(&mut self.eval, "config", "time_limit", whole_seconds(time_limit));
        put(&mut self.eval, "metadata", "time_limit_seconds", time_limit.into());
        if let Some(dollars) = cost_limit {
            put(&mut self.eval, "config", "cost_limit", dollars.into());
        }
    }

    /// The first member of a log.
    pub(super) fn start(&self) -> Value {
        json!({ "version": VERSION, "eval": self.eval, "plan": self.plan })
    }
}

fn eval(spec: &Spec) -> Map<String, Value> {
    let dataset = &spec.dataset;
    let ids = dataset.sample_ids.as_ref().map(|ids| ids.iter().map(|id| id_value(id)).collect());
    let mut eval = object([
        ("eval_id", Some(spec.eval_id.clone().into())),
        ("run_id", Some(spec.run_id.clone().into())),
        ("created", Some(clock::iso(spec.created, Digits::Seconds).into())),
        ("task", Some(spec.task.clone().into())),
        ("task_id", Some(spec.task_id.clone().into())),
        ("task_version", Some(0.into())),
        ("task_attribs", Some(json!({}))),
        ("task_args", Some(spec.task_args.clone().into())),
        ("task_args_passed", Some(spec.task_args.clone().into())),
        ("model", Some(spec.model.clone().into())),
        ("model_base_url", spec.model_base_url.clone().map(Value::from)),
        ("model_args", Some(json!({}))),
        ("model_generate_config", Some(generate(spec).into())),
        ("config", Some(config(&spec.config).into())),
        ("packages", Some(json!({ "aegish": env!("CARGO_PKG_VERSION") }))),
        ("scorers", Some(json!([{ "name": SCORER, "options": {}, "metrics": [] }]))),
        ("metadata", Some(metadata(spec).into())),
    ]);
    let dataset = object([
        ("name", Some(dataset.name.clone().into())),
        ("location", dataset.location.clone().map(Value::from)),
        ("samples", Some(dataset.samples.into())),
        ("sample_ids", ids.map(Value::Array)),
        ("shuffled", Some(false.into())),
    ]);
    eval.insert("dataset".to_owned(), dataset.into());
    if let Some(revision) = &spec.revision {
        let revision = object([
            ("type", Some("git".into())),
            ("origin", Some(revision.origin.clone().unwrap_or_default().into())),
            ("commit", Some(revision.commit.clone().into())),
            ("dirty", Some(revision.dirty.into())),
        ]);
        eval.insert("revision".to_owned(), revision.into());
    }
    eval
}

/// Fields that Inspect does not have.
fn metadata(spec: &Spec) -> Map<String, Value> {
    let mut metadata = spec.metadata.clone();
    let prompt = spec.prompt.as_ref();
    let known = object([
        ("dataset_sha256", spec.dataset.sha256.clone().map(Value::from)),
        ("prompt_sha256", prompt.map(|prompt| prompt.sha256.clone().into())),
        (
            "prompt_copies",
            prompt
                .filter(|prompt| prompt.copies == PromptCopies::HeaderOnly)
                .map(|_| "header".into()),
        ),
        // Inspect's own field holds whole seconds only.
        ("time_limit_seconds", spec.config.time_limit.map(Value::from)),
    ]);
    metadata.extend(known);
    metadata
}

fn generate(spec: &Spec) -> Map<String, Value> {
    let mut generate = spec.generate.clone();
    generate.extend(object([
        ("max_retries", spec.config.max_retries.map(Value::from)),
        ("max_connections", spec.config.max_connections.map(Value::from)),
    ]));
    generate
}

fn config(config: &EvalConfig) -> Map<String, Value> {
    object([
        ("limit", config.limit.map(Value::from)),
        ("epochs", Some(config.epochs.into())),
        ("epochs_reducer", Some(json!([config.reducer.name()]))),
        ("fail_on_error", config.fail_on_error.map(Value::from)),
        ("retry_on_error", config.retry_on_error.map(Value::from)),
        ("time_limit", config.time_limit.map(whole_seconds)),
        ("cost_limit", config.cost_limit.map(Value::from)),
        ("log_samples", Some(true.into())),
    ])
}

/// Inspect's own field holds whole seconds only.
fn whole_seconds(seconds: f64) -> Value {
    (seconds.ceil() as u64).into()
}

fn plan(spec: &Spec) -> Map<String, Value> {
    let step = |solver: &String| {
        let params = match (&spec.prompt, solver.as_str()) {
            (Some(prompt), "system_message") => json!({ "template": prompt.text }),
            _ => json!({}),
        };
        json!({ "solver": solver, "params": params })
    };
    object([
        ("name", Some("plan".into())),
        ("steps", Some(spec.solvers.iter().map(step).collect())),
        ("config", Some(generate(spec).into())),
    ])
}

/// An object of the fields that have a value.
fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let known = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.collect()
}

/// An id as Inspect writes it: numeric ids are numbers, so that they sort as numbers.
pub(super) fn id_value(id: &str) -> Value {
    match id.parse::<u32>() {
        Ok(number) if number.to_string() == id => number.into(),
        _ => id.into(),
    }
}
