//! The ranking and the categories as LaTeX tables, for the package `booktabs`.

use super::compare::Comparison;
use super::plot::category_order;
use super::system::{ComparedSystem, Rate};

/// The table: one line per system, ± half of the 95 % interval, a dash where nothing was measured.
#[must_use]
pub fn ranking_tex(comparison: &Comparison) -> String {
    let mut text = String::from(
        "% \\usepackage{booktabs}\n\\begin{tabular}{rlrrrrrrr}\n\\toprule\n\\# & System & Detection (\\%) & \
         Macro (\\%) & Pass (\\%) & Score & SE & \\$/1{,}000 & $p$ to best \\\\\n\\midrule\n",
    );
    for system in &comparison.systems {
        text.push_str(&row(system).join(" & "));
        text.push_str(" \\\\\n");
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}

/// Detection by category: one line per category, one column per system, in percent.
#[must_use]
pub fn categories_tex(comparison: &Comparison) -> String {
    let order = category_order(&comparison.systems);
    let systems: Vec<&ComparedSystem> =
        comparison.systems.iter().filter(|system| !system.figures.categories.is_empty()).collect();
    let names: Vec<String> = systems.iter().map(|system| escaped(&system.short)).collect();
    let mut text = format!(
        "% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{lr{}}}\n\\toprule\nCategory & $n$ & {} \\\\\n\\midrule\n",
        "r".repeat(systems.len()),
        names.join(" & ")
    );
    for (category, size) in &order {
        let rate = |system: &&ComparedSystem| {
            let rate = system.figures.categories.get(category);
            rate.map_or_else(
                || "--".to_owned(),
                |rate| {
                    format!("${:.1} \\pm {:.1}$", 100.0 * rate.value(), 100.0 * rate.half_width())
                },
            )
        };
        let rates: Vec<String> = systems.iter().map(rate).collect();
        text.push_str(&format!("{} & ${size}$ & {} \\\\\n", escaped(category), rates.join(" & ")));
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}

fn row(system: &ComparedSystem) -> [String; 9] {
    let figures = &system.figures;
    let or_dash = |words: Option<String>| words.unwrap_or_else(|| "--".to_owned());
    let rate = |rate: Option<Rate>| {
        or_dash(rate.map(|rate| {
            format!("${:.1} \\pm {:.1}$", 100.0 * rate.value(), 100.0 * rate.half_width())
        }))
    };
    let score = figures.score;
    let against = system.against_best.map(|pairing| match pairing.p_holm {
        p if p < 0.001 => "$<0.001$".to_owned(),
        p => format!("${p:.3}$"),
    });
    [
        or_dash(system.rank_label()),
        escaped(&system.short),
        rate(figures.detection),
        or_dash(figures.detection_macro.map(|rate| format!("${:.1}$", 100.0 * rate.value))),
        rate(figures.pass),
        or_dash(score.map(|score| format!("${:.4} \\pm {:.4}$", score.value, score.half_width()))),
        or_dash(score.map(|score| format!("${:.4}$", score.stderr))),
        or_dash(figures.cost.map(|cost| {
            let sign = if cost.unknown > 0 { "\\geq " } else { "" };
            format!("${sign}{:.2}$", cost.per_thousand)
        })),
        or_dash(against),
    ]
}

/// Text in which no character acts on LaTeX.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => out.extend(['\\', c]),
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn names_cannot_act_on_latex() {
        assert_eq!(escaped("a_b\\input{x}%\n"), "a\\_b\\textbackslash{}input\\{x\\}\\%?");
    }
}
