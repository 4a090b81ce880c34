//! Counters over the entries that were sent: verdicts, the time they took, and what models cost.

use std::collections::BTreeMap;

use aegish_audit::{AuditAction, AuditLine, EventKind};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Point;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum,
};

use crate::host::Host;
use crate::otlp::{now, resource, scope, text};

/// Upper bounds of the times of verdicts, in seconds.
const BOUNDS: [f64; 10] = [5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 5e-3, 2.5e-2, 0.1, 1.0, 10.0];

/// What was counted since this process began.
pub(crate) struct Counters {
    start: u64,
    /// By action, rule and what decided.
    verdicts: BTreeMap<(&'static str, String, String), u64>,
    times: Vec<u64>,
    time: f64,
    cost: f64,
}

impl Counters {
    pub(crate) fn new() -> Self {
        Self {
            start: now(),
            verdicts: BTreeMap::new(),
            times: vec![0; BOUNDS.len() + 1],
            time: 0.0,
            cost: 0.0,
        }
    }

    pub(crate) fn add(&mut self, lines: &[AuditLine]) {
        let decisions = lines.iter().filter_map(|line| line.entry.as_ref());
        for entry in decisions.filter(|entry| entry.event == EventKind::Decision) {
            let action = entry.action.map_or("none", AuditAction::as_str);
            let rule = entry.rule_name.clone().unwrap_or_default();
            let by = entry.decided_by.clone().unwrap_or_default();
            *self.verdicts.entry((action, rule, by)).or_default() += 1;
            let seconds = entry.latency_ms.unwrap_or_default() / 1e3;
            let place = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
            if let Some(count) = self.times.get_mut(place) {
                *count += 1;
            }
            self.time += seconds;
            self.cost += entry.cost_usd.unwrap_or_default();
        }
    }

    pub(crate) fn request(&self, host: &Host) -> ExportMetricsServiceRequest {
        let scope = ScopeMetrics {
            scope: Some(scope()),
            metrics: vec![self.verdicts(), self.times(), self.cost()],
            ..ScopeMetrics::default()
        };
        let resource = ResourceMetrics {
            resource: Some(resource(host)),
            scope_metrics: vec![scope],
            ..ResourceMetrics::default()
        };
        ExportMetricsServiceRequest { resource_metrics: vec![resource] }
    }

    fn verdicts(&self) -> Metric {
        let points = self.verdicts.iter().map(|((action, rule, by), count)| NumberDataPoint {
            attributes: vec![
                text("aegish.action", action),
                text("aegish.rule", rule),
                text("aegish.decided_by", by),
            ],
            start_time_unix_nano: self.start,
            time_unix_nano: now(),
            value: Some(Point::AsInt(i64::try_from(*count).unwrap_or(i64::MAX))),
            ..NumberDataPoint::default()
        });
        sum("aegish.verdicts", "Commands that were judged", "{command}", points.collect())
    }

    fn times(&self) -> Metric {
        let point = HistogramDataPoint {
            start_time_unix_nano: self.start,
            time_unix_nano: now(),
            count: self.times.iter().sum(),
            sum: Some(self.time),
            bucket_counts: self.times.clone(),
            explicit_bounds: BOUNDS.to_vec(),
            ..HistogramDataPoint::default()
        };
        let data = Histogram {
            data_points: vec![point],
            aggregation_temporality: AggregationTemporality::Cumulative.into(),
        };
        Metric {
            name: "aegish.verdict.duration".to_owned(),
            description: "How long it took to judge a command".to_owned(),
            unit: "s".to_owned(),
            data: Some(Data::Histogram(data)),
            ..Metric::default()
        }
    }

    fn cost(&self) -> Metric {
        let point = NumberDataPoint {
            start_time_unix_nano: self.start,
            time_unix_nano: now(),
            value: Some(Point::AsDouble(self.cost)),
            ..NumberDataPoint::default()
        };
        sum("aegish.model.cost", "What asking models cost", "{USD}", vec![point])
    }
}

fn sum(name: &str, description: &str, unit: &str, data_points: Vec<NumberDataPoint>) -> Metric {
    let data = Sum {
        data_points,
        aggregation_temporality: AggregationTemporality::Cumulative.into(),
        is_monotonic: true,
    };
    Metric {
        name: name.to_owned(),
        description: description.to_owned(),
        unit: unit.to_owned(),
        data: Some(Data::Sum(data)),
        ..Metric::default()
    }
}
