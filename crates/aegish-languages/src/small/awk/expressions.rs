//! awk: values of expressions, variables, fields, lines that are read.

use super::super::known;
use super::parse::Expr;
use super::run::Awk;
use super::values::{Array, Datum, changed, computed, is_own};
use crate::CodeEffect;
use aegish_values::{Value, join_values, origin};
use std::cmp::Ordering;

impl Awk<'_> {
    pub(super) fn value(&mut self, expression: &Expr) -> Datum {
        if !self.spend() {
            self.lost = true;
            return Datum::Text(Value::one_of_many_values());
        }
        match expression {
            Expr::Text(text) => Datum::known(text.as_str()),
            Expr::Number(number) => Datum::Number(*number),
            Expr::Regex(regex) => {
                let line = self.field(0);
                truth(found(regex, &line))
            }
            Expr::Variable(name) => self.variable(name),
            Expr::Element(array, keys) => {
                let key = self.key(keys);
                self.element(array, &key)
            }
            Expr::Field(index) => {
                let index = self.value(index).number();
                // Most versions stop here.
                self.lost |= index.is_some_and(|index| index < 0.0);
                self.datum_of_field(index)
            }
            Expr::Assign(target, operator, value) => {
                let mut new = self.value(value);
                if !operator.is_empty() {
                    let old = self.value(target);
                    new = arithmetic(operator, &old, &new);
                }
                self.assign(target, new.clone());
                new
            }
            Expr::Condition(test, then, otherwise) => match self.value(test).truth() {
                Some(true) => self.value(then),
                Some(false) => self.value(otherwise),
                None => {
                    let mut first = Datum::Unset;
                    self.maybe(|awk| first = awk.value(then));
                    let mut second = Datum::Unset;
                    self.maybe(|awk| second = awk.value(otherwise));
                    first.join(&second)
                }
            },
            Expr::Binary(operator, a, b) => self.binary(operator, a, b),
            Expr::Unary("!", value) => {
                let value = self.value(value).truth();
                truth(value.map(|value| !value))
            }
            Expr::Unary(operator, value) => {
                let value = self.value(value);
                arithmetic(operator, &Datum::Number(0.0), &value)
            }
            Expr::Step(target, by, new) => {
                let old = self.value(target);
                let after = arithmetic("+", &old, &Datum::Number(*by));
                self.assign(target, after.clone());
                if *new { after } else { arithmetic("+", &old, &Datum::Number(0.0)) }
            }
            Expr::Join(parts) => {
                let mut text = Value::empty();
                for part in parts {
                    text.append(&self.value(part).text());
                }
                if text.pieces().len() > 256 {
                    text = computed(&[text]);
                }
                Datum::Text(text)
            }
            Expr::Call(name, arguments) => self.call(name, arguments),
            Expr::Indirect(name, arguments) => {
                let function = self.variable(name).text();
                match function.as_known() {
                    Some(function) => {
                        let function = function.to_owned();
                        self.call(&function, arguments)
                    }
                    None => {
                        let values: Vec<Value> =
                            arguments.iter().map(|argument| self.value(argument).text()).collect();
                        let commands = values.iter().filter(|value| is_own(value)).cloned();
                        for command in commands.collect::<Vec<Value>>() {
                            self.execute(command);
                        }
                        Datum::Text(computed(&values))
                    }
                }
            }
            Expr::In(keys, array) => {
                let key = self.key(keys);
                let array = self.array(array);
                let array = self.memory.arrays.get(&array);
                let here = key.as_known().and_then(|key| match array {
                    Some(array) if array.elsewhere.is_some() => None,
                    Some(array) => Some(array.items.contains_key(key)),
                    None => Some(false),
                });
                truth(here)
            }
            Expr::Getline(source, target) => self.getline(source.as_ref(), target.as_deref()),
            Expr::List(values) => Datum::Text(self.key(values)),
        }
    }

    fn binary(&mut self, operator: &str, a: &Expr, b: &Expr) -> Datum {
        match operator {
            "&&" | "||" => {
                let decides = operator == "||";
                let first = self.value(a).truth();
                match first {
                    Some(first) if first == decides => truth(Some(decides)),
                    Some(_) => truth(self.value(b).truth()),
                    None => {
                        let mut second = None;
                        self.maybe(|awk| second = awk.value(b).truth());
                        truth(second.filter(|second| *second == decides))
                    }
                }
            }
            "~" | "!~" => {
                let text = self.value(a).text();
                let fits = match b {
                    Expr::Regex(regex) => found(regex, &text),
                    other => {
                        let regex = self.value(other).text();
                        regex.as_known().and_then(|regex| found(regex, &text))
                    }
                };
                truth(fits.map(|fits| fits == (operator == "~")))
            }
            "<" | "<=" | "==" | "!=" | ">" | ">=" => {
                let (a, b) = (self.value(a), self.value(b));
                truth(a.order(&b).map(|order| match operator {
                    "<" => order == Ordering::Less,
                    "<=" => order != Ordering::Greater,
                    "==" => order == Ordering::Equal,
                    "!=" => order != Ordering::Equal,
                    ">" => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }))
            }
            _ => {
                let (a, b) = (self.value(a), self.value(b));
                arithmetic(operator, &a, &b)
            }
        }
    }

    /// The name under which an array is kept: that of the caller, if it was passed on.
    pub(super) fn array(&self, name: &str) -> String {
        match self.memory.scalars.get(&format!("{name}[]")) {
            Some(Datum::Text(alias)) => alias.as_known().unwrap_or(name).to_owned(),
            _ => name.to_owned(),
        }
    }

    pub(super) fn key(&mut self, keys: &[Expr]) -> Value {
        let mut key = Value::empty();
        for (at, part) in keys.iter().enumerate() {
            if at > 0 {
                key.push_str("\u{1c}");
            }
            key.append(&self.value(part).text());
        }
        key
    }

    fn element(&mut self, name: &str, key: &Value) -> Datum {
        if name == "ENVIRON" {
            let value = key.as_known().and_then(|key| (self.env)(key));
            return Datum::Input(value.map_or(Value::unknown("environment variable"), known));
        }
        if name == "ARGV" && !self.memory.arrays.contains_key("ARGV") {
            return Datum::Input(Value::unknown("argument"));
        }
        let array = self.array(name);
        // An element that is asked for exists from then on.
        let items = self.memory.arrays.get(&array).map(|array| &array.items);
        if key.as_known().is_some_and(|key| items.is_none_or(|items| !items.contains_key(key)))
            && self.memory.arrays.get(&array).is_none_or(|array| array.elsewhere.is_none())
        {
            self.put(name, key, Datum::Unset);
            return Datum::Unset;
        }
        let Some(array) = self.memory.arrays.get(&array) else { return Datum::Unset };
        let here = match key.as_known() {
            Some(key) => array.items.get(key).cloned(),
            None => array.items.values().cloned().reduce(|a, b| a.join(&b)),
        };
        match (here, &array.elsewhere) {
            (Some(here), Some(more)) => here.join(more),
            (Some(here), None) => here,
            (None, Some(more)) => more.clone(),
            (None, None) => Datum::Unset,
        }
    }

    pub(super) fn put(&mut self, name: &str, key: &Value, value: Datum) {
        // What stands among the words of the program is a file that it reads, or an assignment.
        if name == "ARGV" {
            let text = value.text();
            let assigns = text.as_known().is_some_and(|text| text.is_empty() || text.contains('='));
            if !assigns {
                self.push(CodeEffect::Read(text));
            }
            self.lost = true;
        }
        let name = self.array(name);
        let array: &mut Array = self.memory.arrays.entry(name).or_default();
        match key.as_known() {
            Some(key) if array.items.len() < 4096 => {
                array.items.insert(key.to_owned(), value);
            }
            _ => {
                let more = array.elsewhere.take();
                array.elsewhere = Some(more.map_or(value.clone(), |more| more.join(&value)));
            }
        }
    }

    fn variable(&mut self, name: &str) -> Datum {
        if let Some(value) = self.memory.scalars.get(name) {
            return value.clone();
        }
        match name {
            "NF" => match &self.memory.record.fields {
                Some(fields) => Datum::Number(fields.len() as f64),
                None => Datum::Input(Value::unknown(origin::NUMBER)),
            },
            "NR" | "FNR" if self.input.is_some() => Datum::Number(self.lines as f64),
            "NR" | "FNR" | "RT" | "FILENAME" | "PROCINFO" | "ERRNO" | "ARGC" => {
                Datum::Input(Value::unknown("computed"))
            }
            "SUBSEP" => Datum::known("\u{1c}"),
            "FS" | "OFS" => Datum::known(" "),
            "ORS" | "RS" => Datum::known("\n"),
            "CONVFMT" | "OFMT" => Datum::known("%.6g"),
            _ if self.exact || self.program.set.contains(name) => Datum::Unset,
            _ => Datum::Input(Value::unknown(origin::VARIABLE)),
        }
    }

    pub(super) fn special(&self, name: &str, usual: &str) -> Value {
        self.memory.scalars.get(name).map_or_else(|| known(usual), Datum::text)
    }

    pub(super) fn assign_name(&mut self, name: &str, value: Datum) {
        if name == "NF" {
            self.change_count(&value);
            return;
        }
        self.memory.scalars.insert(name.to_owned(), value);
    }

    pub(super) fn assign(&mut self, target: &Expr, value: Datum) {
        match target {
            Expr::Variable(name) => self.assign_name(name, value),
            Expr::Element(array, keys) => {
                let key = self.key(keys);
                self.put(array, &key, value);
            }
            Expr::Field(index) => {
                let index = self.value(index).number();
                self.set_field(index, &value.text());
            }
            _ => {}
        }
    }

    pub(super) fn field(&self, index: usize) -> Value {
        let record = &self.memory.record;
        if index == 0 {
            return record.text.clone();
        }
        if let Some(value) = record.set.get(&index) {
            return value.clone();
        }
        match &record.fields {
            Some(fields) => fields.get(index - 1).cloned().unwrap_or_default(),
            None if is_own(&record.text) => computed(std::slice::from_ref(&record.text)),
            None => Value::unknown(origin::INPUT_FIELD).tainted(record.text.taint()),
        }
    }

    fn datum_of_field(&self, index: Option<f64>) -> Datum {
        match index {
            Some(index) if (0.0..4096.0).contains(&index) => {
                Datum::Input(self.field(index as usize))
            }
            Some(_) => Datum::Unset,
            None => {
                let record = &self.memory.record;
                let own = record.set.values().chain(record.fields.iter().flatten());
                let all = match &record.fields {
                    Some(_) => Value::empty(),
                    None => self.field(usize::MAX),
                };
                Datum::Input(own.fold(all, |all, one| join_values(&all, one)))
            }
        }
    }

    fn set_field(&mut self, index: Option<f64>, value: &Value) {
        match index {
            Some(0.0) => self.set_record(value.clone()),
            Some(index) if (1.0..4096.0).contains(&index) => {
                let index = index as usize;
                let separator = self.special("OFS", " ");
                let record = &mut self.memory.record;
                if let Some(fields) = &mut record.fields {
                    while fields.len() < index {
                        fields.push(Value::empty());
                    }
                    if let Some(field) = fields.get_mut(index - 1) {
                        *field = value.clone();
                    }
                    record.text = joined(fields, &separator);
                } else {
                    record.set.insert(index, value.clone());
                    record.text = join_values(&record.text, value);
                }
            }
            Some(_) => {}
            None => {
                let record = &mut self.memory.record;
                record.text = join_values(&record.text, value);
                record.fields = None;
            }
        }
    }

    fn change_count(&mut self, value: &Datum) {
        let separator = self.special("OFS", " ");
        let count = value.number().map(|count| count.clamp(0.0, 4096.0) as usize);
        let record = &mut self.memory.record;
        match (&mut record.fields, count) {
            (Some(fields), Some(count)) => {
                fields.resize(count, Value::empty());
                record.text = joined(fields, &separator);
            }
            (fields, _) => *fields = None,
        }
    }

    pub(super) fn set_record(&mut self, text: Value) {
        let separator = self.special("FS", " ");
        let fields = match (text.as_known(), separator.as_known()) {
            (Some(text), Some(separator)) => super::library::parts(text, separator)
                .map(|parts| parts.into_iter().map(Value::known).collect()),
            _ => None,
        };
        let record = &mut self.memory.record;
        record.fields = fields;
        record.text = text;
        record.set.clear();
    }
}

fn joined(fields: &[Value], separator: &Value) -> Value {
    let mut text = Value::empty();
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            text.append(separator);
        }
        text.append(field);
    }
    text
}

fn truth(value: Option<bool>) -> Datum {
    match value {
        Some(value) => Datum::Number(f64::from(u8::from(value))),
        None => Datum::Input(Value::unknown(origin::NUMBER)),
    }
}

/// Whether an expression matches a text, if that is known.
fn found(regex: &str, text: &Value) -> Option<bool> {
    let expression = super::library::expression(&regex.replace("\\/", "/"))?;
    Some(expression.find(text.as_known()?, 0)?.is_some())
}

fn arithmetic(operator: &str, a: &Datum, b: &Datum) -> Datum {
    let (Some(left), Some(right)) = (a.number(), b.number()) else {
        // A number names nothing, unless the text itself says which it may be.
        let (a, b) = (a.text(), b.text());
        let own = is_own(&a) && is_own(&b);
        return Datum::Input(Value::unknown(if own { origin::COUNTER } else { origin::NUMBER }));
    };
    Datum::Number(match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "%" => left % right,
        _ => left.powf(right),
    })
}

pub(super) fn letters(value: &Value, change: impl Fn(&str) -> String) -> Datum {
    Datum::Text(changed(value, &[], |text| Some(change(text))))
}
