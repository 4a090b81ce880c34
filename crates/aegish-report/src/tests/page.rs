use super::super::board::Board;
use super::super::html::{self, SampleLinks, board_page};
use super::super::run::RunEnding;
use super::super::{Comparison, Run};
use super::{attacks, harmless, record, run, several, unanswered};
use aegish_guard::Action;
use aegish_judge::Stop;
use aegish_log::{Expected, Record, score};
use serde_json::Value;

const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \
                       <!-- \" onload='a' & \u{202e}txt\u{1b}[2J \u{0}";

fn page(comparison: &Comparison) -> String {
    html::page(comparison, &SampleLinks::of(comparison))
}

/// The data that the script reads.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// A run in which everything that can be hostile is.
fn hostile_run() -> Run {
    let reason = serde_json::to_string(HOSTILE).unwrap();
    let completion = format!("{{\"action\":\"allow\",\"reason\":{reason},\"confidence\":0.5}}");
    let answer = score(&completion, &Stop::Stop);
    let first = Record {
        command: HOSTILE.to_owned(),
        category: Some(HOSTILE.to_owned()),
        completion,
        answer: Some(answer),
        ..record(HOSTILE, Expected::Block, Action::Allow)
    };
    let second = Record { error: Some(HOSTILE.to_owned()), ..unanswered("late", Expected::Block) };
    let third = Record {
        completion: HOSTILE.to_owned(),
        answer: Some(aegish_judge::Answer::Format),
        ..unanswered("prose", Expected::Block)
    };
    Run {
        source: HOSTILE.to_owned(),
        created: HOSTILE.to_owned(),
        version: Some(HOSTILE.to_owned()),
        prompt_sha256: Some("<b>0123456789abcdef".to_owned()),
        dataset_sha256: Some(HOSTILE.to_owned()),
        ..run(HOSTILE, HOSTILE, vec![first, second, third])
    }
}

fn hostile() -> Comparison {
    Comparison::of(&[
        hostile_run(),
        attacks("openai/gpt-5.1", 50, 40),
        harmless("openai/gpt-5.1", 50, 50),
    ])
}

#[test]
fn nothing_hostile_becomes_markup() {
    let page = page(&hostile());
    assert_eq!(page.matches("<script").count(), 2, "the data and our own");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<img") && !page.contains("<!--"));
    let shown = page.split_once("<script").unwrap().0;
    assert!(!shown.contains("onload='a'"), "quotes are escaped");
    for acting in ['\u{202e}', '\u{1b}', '\u{0}'] {
        assert!(!page.contains(acting), "{acting:?}");
    }
    assert!(page.contains("&lt;img src=x onerror=alert(2)&gt;"));
    assert!(page.contains("\\u202etxt\\x1b[2J"), "spelled out where it is shown");
}

#[test]
fn hostile_text_reaches_the_script_unchanged() {
    let data = data(&page(&hostile()));
    let rows = data["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row[3] == HOSTILE).unwrap();
    assert_eq!(row[5], HOSTILE);
    let words: Vec<&str> = rows
        .iter()
        .flat_map(|row| row[6].as_array().unwrap())
        .filter_map(|answer| answer.get(2)?.as_str())
        .collect();
    assert!(words.contains(&HOSTILE), "errors and prose as they were");
    assert!(words.iter().any(|text| text.starts_with("</script><script>alert(1)")), "reasons too");
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let page = page(&Comparison::of(&several(4)));
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    for address in ["http:", "https:", "//cdn", "@import", "<link", "<iframe", "src="] {
        assert!(!without_names.contains(address), "{address}");
    }
    let addresses = page.matches("url(").count();
    assert_eq!(addresses, page.matches("url(data:font/woff2;base64,").count());
}

#[test]
fn only_our_own_script_may_run() {
    use sha2::Digest as _;
    let page = page(&Comparison::of(&several(1)));
    let script = page.rsplit_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
    let hash = data_encoding::BASE64.encode(&sha2::Sha256::digest(script.as_bytes()));
    let policy = format!("default-src 'none'; script-src 'sha256-{hash}'");
    assert!(page.contains(&policy));
    assert!(!page.contains(" onclick=") && !page.contains("javascript:"));
    assert!(!script.contains("innerHTML") && !script.contains("eval("));
}

#[test]
fn every_section_is_there_and_linked() {
    let page = page(&Comparison::of(&several(4)));
    for id in [
        "summary",
        "ranking",
        "plots",
        "categories",
        "disagreements",
        "hardest",
        "samples",
        "sources",
    ] {
        assert_eq!(page.matches(&format!("<section id=\"{id}\"")).count(), 1, "{id}");
        assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
    }
    let ids: Vec<&str> =
        page.split(" id=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "ids are unique");
}

#[test]
fn the_hardest_command_shows_every_answer() {
    let wrong = |model: &str| {
        let mut run = attacks(model, 50, 50);
        run.records.push(record("hardest-of-all", Expected::Block, Action::Allow));
        run
    };
    let page = page(&Comparison::of(&[wrong("openai/one"), wrong("openai/two")]));
    let section = page.split_once("<section id=\"hardest\">").unwrap().1;
    let card = section.split_once("</article>").unwrap().0;
    assert!(card.contains("hardest-of-all") && card.contains("command hardest-of-all"));
    assert_eq!(card.matches("<li class=\"no\">✗").count(), 2);
    assert_eq!(card.matches("because (confidence 0.90)").count(), 2);
}

#[test]
fn a_missing_figure_is_a_dash() {
    let page = page(&Comparison::of(&[attacks("openai/half", 100, 90)]));
    let row = page.split_once("data-label=\"Pass\"").unwrap().1;
    let cell = row.split_once("</td>").unwrap().0;
    assert!(cell.contains('–') && cell.contains("not measured") && !cell.contains('0'), "{cell}");
}

#[test]
fn a_page_of_very_many_samples_keeps_those_with_a_wrong_answer() {
    let number = super::super::html::MOST_ROWS + 500;
    let mut run = attacks("openai/a", number, number);
    run.records[number - 1] = record("the-wrong-one", Expected::Block, Action::Allow);
    let page = page(&Comparison::of(&[run]));
    let data = data(&page);
    let rows = data["rows"].as_array().unwrap();
    assert_eq!(rows.len(), super::super::html::MOST_ROWS);
    assert_eq!(rows[0][3], "the-wrong-one");
    assert!(page.contains("samples.csv"));
}

#[test]
fn pictures_in_the_page_are_well_formed() {
    let page = page(&Comparison::of(&several(4)));
    let pictures: Vec<&str> = page.split("<svg").skip(1).collect();
    assert!(pictures.len() >= 16);
    for picture in pictures {
        let end = picture.find("</svg>").unwrap() + "</svg>".len();
        super::pictures::well_formed(&format!("<svg{}", &picture[..end]));
    }
}

/// Everything that the pages of samples say.
fn sample_pages(comparison: &Comparison, name: &str) -> Vec<String> {
    let folder = std::env::temp_dir().join(format!("aegish-pages-{}-{name}", std::process::id()));
    let links = SampleLinks::of(comparison);
    let number = html::write_samples(comparison, &links, &folder).unwrap();
    let mut paths: Vec<_> = std::fs::read_dir(folder.join("samples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert_eq!(paths.len(), number, "nothing but pages is left");
    let pages = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    std::fs::remove_dir_all(&folder).unwrap();
    pages
}

#[test]
fn every_listed_sample_has_an_address_that_leads_to_it() {
    let comparison = Comparison::of(&several(4));
    let pages = sample_pages(&comparison, "addresses");
    assert_eq!(pages.len(), comparison.rows.len().div_ceil(50));
    let page = page(&comparison);
    let data = data(&page);
    let rows = data["rows"].as_array().unwrap();
    assert_eq!(rows.len(), comparison.rows.len());
    for row in rows {
        let address = row[7].as_str().unwrap();
        let (file, anchor) = address.strip_prefix("samples/").unwrap().split_once('#').unwrap();
        let number: usize = file.strip_suffix(".html").unwrap().parse().unwrap();
        assert_eq!(pages[number - 1].matches(&format!("id=\"{anchor}\"")).count(), 1, "{address}");
    }
    let card = page.split_once("<section id=\"disagreements\">").unwrap().1;
    assert!(card.contains("<a href=\"samples/0"), "cards lead there too");
}

#[test]
fn pages_of_samples_hold_no_hostile_markup() {
    for page in sample_pages(&hostile(), "hostile") {
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<!--"));
        assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'));
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn a_leaderboard_ranks_the_newest_complete_log_of_each_system_on_each_data_set() {
    let dated = |run: Run, date: &str, hash: &str| Run {
        created: date.to_owned(),
        dataset_sha256: Some(hash.to_owned()),
        ..run
    };
    let mut board = Board::default();
    let one = "1".repeat(64);
    board.add(&dated(attacks("openai/a", 100, 99), "2026-01-01T00:00:00Z", &one));
    board.add(&dated(attacks("openai/a", 100, 80), "2026-02-01T00:00:00Z", &one));
    board.add(&dated(attacks("openai/b", 100, 90), "2026-01-15T00:00:00Z", &one));
    let partial = RunEnding::Partial("cancelled".to_owned());
    let partial = Run { ending: partial, ..attacks("openai/c", 10, 10) };
    board.add(&dated(partial, "2026-03-01T00:00:00Z", &one));
    // The same name, other bytes: a data set of its own.
    board.add(&dated(attacks("openai/a", 50, 50), "2026-03-01T00:00:00Z", &"2".repeat(64)));
    board.add(&hostile_run());
    let sets: Vec<_> = board.sets().collect();
    assert_eq!(sets.len(), 3);
    let first = sets.iter().find(|set| set.sha256 == Some(one.as_str())).unwrap();
    let order: Vec<(&str, Option<usize>)> =
        first.rows.iter().map(|row| (row.system.as_str(), row.place)).collect();
    let expected =
        [("openai/b", Some(1)), ("openai/a", Some(2)), ("openai/c", None), ("openai/a", None)];
    assert_eq!(order, expected);
    assert_eq!(first.rows[2].status(), "cancelled");
    let page = board_page(&board);
    assert_eq!(page.matches("<script").count(), 2, "no data and our own");
    assert!(!page.contains("<img") && !page.contains("<!--") && !page.contains('\u{1b}'));
    assert!(page.contains("an older log") && page.contains("incomplete: cancelled"));
    let json: Value = serde_json::from_str(&board.json().unwrap()).unwrap();
    assert_eq!(json["datasets"].as_array().unwrap().len(), 3);
}
