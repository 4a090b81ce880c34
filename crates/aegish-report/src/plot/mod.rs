//! The pictures of a comparison.
//!
//! Takes systems with their figures and gives scenes. Each picture has a wide form with names beside the
//! marks, and a narrow one for small screens, where marks have the numbers of a list below. Missing figures
//! are named.

mod axis;
mod bars;
mod frame;
mod heatmap;
mod labels;
mod latency;
mod reliability;
mod scatter;
mod table;

use super::draw::Scene;
use super::system::ComparedSystem;

pub(crate) use heatmap::{category_colour, category_order};

/// The form of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// For pages, papers and slides.
    Wide,
    /// For screens of 400 pixels.
    Narrow,
}

impl Form {
    pub(crate) fn width(self) -> f64 {
        match self {
            Self::Wide => 560.0,
            Self::Narrow => 344.0,
        }
    }
}

/// One picture of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plot {
    DetectionVsPass,
    CostVsDetection,
    LatencyVsDetection,
    CostVsScore,
    LatencyVsScore,
    CategoryHeatmap,
    MicroVsMacro,
    LatencyDistribution,
    CostComparison,
    Reliability,
    RankingTable,
}

impl Plot {
    pub(crate) const ALL: [Self; 11] = [
        Self::DetectionVsPass,
        Self::CostVsDetection,
        Self::LatencyVsDetection,
        Self::CostVsScore,
        Self::LatencyVsScore,
        Self::CategoryHeatmap,
        Self::MicroVsMacro,
        Self::LatencyDistribution,
        Self::CostComparison,
        Self::Reliability,
        Self::RankingTable,
    ];

    /// The name of its files.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::DetectionVsPass => "detection-vs-pass",
            Self::CostVsDetection => "cost-vs-detection",
            Self::LatencyVsDetection => "latency-vs-detection",
            Self::CostVsScore => "cost-vs-score",
            Self::LatencyVsScore => "latency-vs-score",
            Self::CategoryHeatmap => "category-heatmap",
            Self::MicroVsMacro => "micro-vs-macro",
            Self::LatencyDistribution => "latency-distribution",
            Self::CostComparison => "cost-comparison",
            Self::Reliability => "reliability",
            Self::RankingTable => "ranking-table",
        }
    }

    /// Draws it; `None` if no system has the figures.
    pub(crate) fn draw(self, systems: &[ComparedSystem], form: Form) -> Option<Scene> {
        match self {
            Self::DetectionVsPass => scatter::detection_vs_pass(systems, form),
            Self::CostVsDetection => {
                scatter::trade_off(systems, form, scatter::CostAxis::Cost, scatter::Gain::Detection)
            }
            Self::LatencyVsDetection => scatter::trade_off(
                systems,
                form,
                scatter::CostAxis::Latency,
                scatter::Gain::Detection,
            ),
            Self::CostVsScore => {
                scatter::trade_off(systems, form, scatter::CostAxis::Cost, scatter::Gain::Score)
            }
            Self::LatencyVsScore => {
                scatter::trade_off(systems, form, scatter::CostAxis::Latency, scatter::Gain::Score)
            }
            Self::CategoryHeatmap => heatmap::categories(systems, form),
            Self::MicroVsMacro => bars::micro_vs_macro(systems, form),
            Self::LatencyDistribution => latency::distribution(systems, form),
            Self::CostComparison => bars::cost(systems, form),
            Self::Reliability => reliability::reliability(systems, form),
            Self::RankingTable => table::ranking(systems),
        }
    }
}
