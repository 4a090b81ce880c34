//! What the tasks for Inspect AI share with `aegish bench`: the system prompt, and the reader of completions.

use crate::judging::{detached_with_stack, parse_role};
use aegish_guard::Role;
use aegish_judge::{Answer, Prompt, Scoring, Stop, classify};
use pyo3::prelude::*;

/// The system prompt with which a model is asked for its opinion.
#[pyfunction]
#[pyo3(signature = (role=None))]
pub(crate) fn system_prompt(role: Option<&str>) -> PyResult<String> {
    let role = role.map_or(Ok(Role::Default), parse_role)?;
    Ok(Prompt::built_in(role).text)
}

/// The answer in a completion, or the class of error, and the reason and confidence that the model gives.
#[pyfunction]
#[pyo3(signature = (completion, stop_reason="stop"))]
pub(crate) fn answer(
    py: Python<'_>,
    completion: &str,
    stop_reason: &str,
) -> PyResult<(&'static str, Option<String>, Option<f64>)> {
    let stop = Stop::from_log(stop_reason);
    detached_with_stack(py, || {
        let answer = classify(completion, &stop, Scoring::Seed);
        let word = answer.as_str();
        match answer {
            Answer::Verdict(opinion) => (word, Some(opinion.reason), Some(opinion.confidence)),
            _ => (word, None, None),
        }
    })
}
