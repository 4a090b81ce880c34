use super::super::{Comparison, json, ranking_csv, samples_csv, table};
use super::{attacks, harmless};
use serde_json::Value;

fn comparison() -> Comparison {
    Comparison::of(&[
        attacks("openai/gpt-5.1", 200, 192),
        harmless("openai/gpt-5.1", 100, 100),
        attacks("anthropic/claude-haiku-4-5-20251001", 200, 150),
        harmless("anthropic/claude-haiku-4-5-20251001", 100, 90),
        attacks("local/unknown", 200, 100),
    ])
}

#[test]
fn the_table_reads_as_it_should() {
    let expected = "\
#  system            detection %  macro %        pass %  asks %            score      SE   $/1k    total p50/p90    model p50/p90  no verdict  failed    n  p to best
─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
1  gpt-5.1           96.0 ± 2.8*     96.0  100.0 ± 1.8*    10.0  0.9800 ± 0.0131  0.0069  $2.25  4.00 s / 4.00 s  1.00 s / 1.00 s           0       0  300       best
2  claude-haiku-4-5  75.0 ± 6.0      75.0   90.0 ± 6.0      9.0  0.8250 ± 0.0431  0.0214  $1.50  4.00 s / 4.00 s  1.00 s / 1.00 s           0       0  300     <0.001
–  unknown           50.0 ± 6.9      50.0             –       –                –       –      –  4.00 s / 4.00 s  1.00 s / 1.00 s           0       0  200     <0.001
";
    let found = table(&comparison());
    let head: Vec<&str> = found.lines().take(5).collect();
    assert_eq!(head.join("\n"), expected.trim_end(), "\n{found}");
    assert!(found.contains("note: No score without harmless commands: unknown."));
}

#[test]
fn names_cannot_act_on_a_terminal() {
    let found = table(&Comparison::of(&[attacks("evil/\u{1b}[2J\nname", 200, 100)]));
    assert!(found.contains("\\x1b[2J\\nname"), "{found}");
    assert!(!found.contains('\u{1b}'));
}

#[test]
fn endless_names_do_not_push_the_figures_off_the_screen() {
    let name = format!("{}-the-end", "x".repeat(200));
    let found = table(&Comparison::of(&[attacks(&name, 200, 100)]));
    let row = found.lines().nth(2).unwrap();
    assert!(row.contains("x…") && row.contains("-the-end  50.0 ± 6.9"), "{row}");
    assert!(row.chars().count() < 170, "{row}");
}

#[test]
fn the_json_has_the_metrics_under_their_names() {
    let text = json(&comparison()).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let first = &value["systems"][0];
    assert_eq!(first["system"], "openai/gpt-5.1");
    assert_eq!(first["rank"], 1);
    assert_eq!(first["metrics"]["detection_rate"], 0.96);
    assert_eq!(first["metrics"]["per_category"]["upload"][0], 50);
    assert_eq!(value["systems"][1]["against_best"]["shared"], 300);
    let last = &value["systems"][2];
    assert_eq!(last["rank"], Value::Null);
    assert!(last["metrics"].get("pass_rate").is_none(), "missing, not 0");
    assert_eq!(value["logs"][0]["dataset"], "attacks");
}

#[test]
fn the_csv_has_a_line_for_each_system_and_nothing_where_nothing_was_measured() {
    let text = ranking_csv(&comparison()).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let column = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(&rows[0][column("aegish_score")], "0.98");
    assert_eq!(&rows[0][column("latency_p50_ms")], "4000");
    assert_eq!(&rows[2][column("pass_rate")], "");
    assert_eq!(&rows[2][column("cost_total_usd")], "");
    assert_eq!(&rows[2][column("rank")], "");
}

#[test]
fn the_samples_survive_a_table() {
    let mut run = attacks("openai/a", 2, 2);
    run.records[0].command = "=cmd|' /C calc'!A0, \"x\"\nsecond line".to_owned();
    let text = samples_csv(&Comparison::of(&[run])).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    // An apostrophe keeps a spreadsheet from running it.
    assert_eq!(rows[0].iter().next_back(), Some("'=cmd|' /C calc'!A0, \"x\"\nsecond line"));
    assert_eq!(rows[1].iter().next_back(), Some("command a1"));
    assert_eq!(&rows[0][6], "BLOCK");
}
