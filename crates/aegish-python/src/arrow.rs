//! Arrow batches: a column with commands in, a column with verdicts out.
//!
//! The input is read where it lies. Columns of the input are columns of the output, without a copy.

use crate::AegishError;
use crate::judging::{Settings, detached, parse_role};
use crate::parallel::in_chunks;
use crate::verdict::{effects, rounded};
use aegish_guard::{Decision, Role};
use aegish_verdict::{CheckInput, Checker};
use arrow_array::builder::{BooleanBuilder, Float32Builder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_array::{LargeStringArray, StringArray, StringViewArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema};
use arrow_select::concat::concat;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::{PyArray, PyRecordBatch};
use std::ops::Range;
use std::sync::Arc;

/// The name of the column with the verdicts.
const VERDICT: &str = "verdict";

/// Judges each command of a batch by itself, on all cores, and returns the batch with the column `verdict`.
#[pyfunction]
#[pyo3(signature = (
    batch, *, column="command", role=None, cwd=None, fail_mode="open", machine="this", threads=None
))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub(crate) fn check_arrow<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    column: &str,
    role: Option<&str>,
    cwd: Option<&str>,
    fail_mode: &str,
    machine: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let checker = Settings { role, cwd, fail_mode, machine }.checker()?;
    let batch = input(batch, column)?;
    let commands = TextColumn::named(&batch, column)?.ok_or_else(|| missing(&batch, column))?;
    let rows = Rows {
        commands,
        directories: TextColumn::named(&batch, "cwd")?,
        roles: roles(&batch)?,
        checker,
    };
    let parts = detached(py, || in_chunks(batch.num_rows(), threads, |part| rows.judge(part)))?;
    let parts = parts.map_err(AegishError::new_err)?;
    let judged = detached(py, || with_verdicts(&batch, &parts))?.map_err(failure)?;
    let judged = PyRecordBatch::new(judged);
    // Other libraries take the batch through the Arrow PyCapsule interface.
    if py.import("pyarrow").is_ok() {
        judged.into_pyarrow(py)
    } else {
        Ok(judged.into_pyobject(py)?.into_any())
    }
}

/// A batch, or an array of texts as a batch with one column.
fn input(object: &Bound<'_, PyAny>, column: &str) -> PyResult<RecordBatch> {
    if !object.hasattr("__arrow_c_array__")? {
        return Err(PyTypeError::new_err(
            "not one batch: pass a record batch or an array; a table has them in `to_batches()`",
        ));
    }
    let (array, field) = object.extract::<PyArray>()?.into_inner();
    if matches!(array.data_type(), DataType::Struct(_)) {
        return Ok(object.extract::<PyRecordBatch>()?.into_inner());
    }
    let field = field.as_ref().clone().with_name(column);
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).map_err(failure)
}

fn missing(batch: &RecordBatch, column: &str) -> PyErr {
    let schema = batch.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    PyValueError::new_err(format!("no column `{column}`: the batch has {}", names.join(", ")))
}

fn failure(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("nothing was returned: {error}; smaller batches may help"))
}

/// A column of texts in one of Arrow's layouts.
enum TextColumn {
    Small(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
}

impl TextColumn {
    /// The column of this name, if there is one.
    fn named(batch: &RecordBatch, name: &str) -> PyResult<Option<Self>> {
        let Some(array) = batch.column_by_name(name) else { return Ok(None) };
        match array.data_type() {
            DataType::Utf8 => Ok(Some(Self::Small(array.as_string().clone()))),
            DataType::LargeUtf8 => Ok(Some(Self::Large(array.as_string().clone()))),
            DataType::Utf8View => Ok(Some(Self::View(array.as_string_view().clone()))),
            other => {
                let message = format!(
                    "the column `{name}` holds {other} and not texts: cast it to a column of strings"
                );
                Err(PyTypeError::new_err(message))
            }
        }
    }

    fn get(&self, row: usize) -> Option<&str> {
        match self {
            Self::Small(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }
}

/// The role of each row; empty if the batch has no such column.
fn roles(batch: &RecordBatch) -> PyResult<Vec<Option<Role>>> {
    let Some(column) = TextColumn::named(batch, "role")? else { return Ok(Vec::new()) };
    (0..batch.num_rows()).map(|row| column.get(row).map(parse_role).transpose()).collect()
}

/// The rows of a batch.
struct Rows {
    commands: TextColumn,
    directories: Option<TextColumn>,
    roles: Vec<Option<Role>>,
    checker: Checker,
}

impl Rows {
    /// Judges some of the rows. A row without a command has no verdict.
    fn judge(&self, rows: Range<usize>) -> Result<StructArray, ArrowError> {
        let mut verdicts = VerdictColumn::default();
        for row in rows {
            let Some(text) = self.commands.get(row) else {
                verdicts.skip();
                continue;
            };
            let cwd = self.directories.as_ref().and_then(|column| column.get(row));
            let input = CheckInput { cwd, ..CheckInput::command(text) };
            match self.roles.get(row).copied().flatten() {
                Some(role) if role != self.checker.role => {
                    // The checker gives nobody a looser role than its own.
                    verdicts.push(&Checker { role, ..self.checker.clone() }.check(&input));
                }
                _ => verdicts.push(&self.checker.check(&input)),
            }
        }
        verdicts.finish()
    }
}

/// The fields of a verdict.
fn fields() -> Fields {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let effect = Field::new_list_field(DataType::Utf8, true);
    Fields::from(vec![
        text("action"),
        text("rule"),
        text("rule_name"),
        text("reason"),
        Field::new("confidence", DataType::Float32, true),
        Field::new("open", DataType::Boolean, true),
        Field::new_list("effects", effect, true),
    ])
}

#[derive(Default)]
struct VerdictColumn {
    action: StringBuilder,
    rule: StringBuilder,
    rule_name: StringBuilder,
    reason: StringBuilder,
    confidence: Float32Builder,
    open: BooleanBuilder,
    effects: ListBuilder<StringBuilder>,
    /// Whether the row has a verdict.
    known: Vec<bool>,
}

impl VerdictColumn {
    fn push(&mut self, decision: &Decision) {
        self.action.append_value(decision.action().as_str());
        self.rule.append_value(decision.rule().id);
        self.rule_name.append_value(decision.rule().name);
        self.reason.append_value(decision.reason());
        self.confidence.append_value(rounded(decision.confidence()));
        self.open.append_value(decision.is_open());
        for effect in effects(decision) {
            self.effects.values().append_value(effect);
        }
        self.effects.append(true);
        self.known.push(true);
    }

    fn skip(&mut self) {
        for column in [&mut self.action, &mut self.rule, &mut self.rule_name, &mut self.reason] {
            column.append_null();
        }
        self.confidence.append_null();
        self.open.append_null();
        self.effects.append(false);
        self.known.push(false);
    }

    fn finish(mut self) -> Result<StructArray, ArrowError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.action.finish()),
            Arc::new(self.rule.finish()),
            Arc::new(self.rule_name.finish()),
            Arc::new(self.reason.finish()),
            Arc::new(self.confidence.finish()),
            Arc::new(self.open.finish()),
            Arc::new(self.effects.finish()),
        ];
        StructArray::try_new(fields(), columns, Some(self.known.into()))
    }
}

/// The batch with one more column.
fn with_verdicts(
    batch: &RecordBatch,
    parts: &[Result<StructArray, ArrowError>],
) -> Result<RecordBatch, ArrowError> {
    let mut arrays: Vec<&dyn Array> = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Ok(array) => arrays.push(array),
            Err(error) => return Err(ArrowError::ComputeError(error.to_string())),
        }
    }
    let verdicts: ArrayRef = if arrays.is_empty() {
        Arc::new(VerdictColumn::default().finish()?)
    } else {
        concat(&arrays)?
    };
    let schema = batch.schema();
    // A batch that was judged before gets new verdicts.
    let kept = |(index, field): (usize, &FieldRef)| (field.name() != VERDICT).then_some(index);
    let kept: Vec<usize> = schema.fields().iter().enumerate().filter_map(kept).collect();
    let rest = batch.project(&kept)?;
    let mut fields: Vec<FieldRef> = rest.schema().fields().to_vec();
    fields.push(Arc::new(Field::new(VERDICT, verdicts.data_type().clone(), true)));
    let mut columns = rest.columns().to_vec();
    columns.push(verdicts);
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)
}
