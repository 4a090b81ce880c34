//! Rows in all formats, and errors of invalid ones.

use super::Rows;
use crate::dataset::format::DatasetFormat;

/// Row, line and command of each row, or the error.
fn rows(text: &str, format: DatasetFormat) -> Vec<Result<(u64, u64, String), String>> {
    Rows::new(text.as_bytes(), format)
        .map(|row| match row {
            Ok(row) => {
                let command = row.members["command"].as_str().unwrap_or("?").to_owned();
                Ok((row.position.row, row.position.line, command))
            }
            Err(wrong) => Err(format!("{:?} {} {}", wrong.row, wrong.line, wrong.what)),
        })
        .collect()
}

fn found(text: &str, format: DatasetFormat) -> Vec<(u64, u64, String)> {
    rows(text, format).into_iter().map(|row| row.expect(text)).collect()
}

/// The error at the end, and the number of rows before it.
fn error(text: &str, format: DatasetFormat) -> (usize, String) {
    let mut all = rows(text, format);
    let last = all.pop().expect("something").expect_err("an error");
    assert!(all.iter().all(Result::is_ok), "nothing comes after an error: {all:?}");
    (all.len(), last)
}

fn two(first: (u64, u64), second: (u64, u64)) -> Vec<(u64, u64, String)> {
    vec![(first.0, first.1, "ls".to_owned()), (second.0, second.1, "a \"]},\\ b".to_owned())]
}

#[test]
fn a_list_an_object_lines_and_cells_give_the_same_rows() {
    let second = r#"{"command": "a \"]},\\ b"}"#;
    let list = format!("[\n{{\"command\":\"ls\"}},\n\n{second}\n]\n");
    assert_eq!(found(&list, DatasetFormat::Json), two((1, 2), (2, 4)));
    let object = format!(
        "{{\"metadata\": {{\"a\": [1, \"]\"]}}, \"n\": -1.5e3,\n\"commands\": [{{\"command\":\"ls\"}},{second}],\
         \"x\": null}}"
    );
    assert_eq!(found(&object, DatasetFormat::Json), two((1, 2), (2, 2)));
    let lines = format!("{{\"command\":\"ls\"}}\r\n\n{second}");
    assert_eq!(found(&lines, DatasetFormat::Jsonl), two((1, 1), (2, 3)));
    let cells = "command,expect\nls,pass\n\"a \"\"]},\\ b\",pass\n";
    assert_eq!(found(cells, DatasetFormat::Csv), two((1, 2), (2, 3)));
}

#[test]
fn a_byte_order_mark_is_skipped() {
    for (text, format) in [
        ("\u{feff}[{\"command\":\"ls\"}]", DatasetFormat::Json),
        ("\u{feff}{\"command\":\"ls\"}\n", DatasetFormat::Jsonl),
        ("\u{feff}command\nls\n", DatasetFormat::Csv),
    ] {
        assert_eq!(found(text, format).len(), 1, "{format}");
    }
}

#[test]
fn empty_sets_have_no_rows() {
    for (text, format) in [
        ("[]", DatasetFormat::Json),
        ("{\"commands\": []}", DatasetFormat::Json),
        ("", DatasetFormat::Jsonl),
        ("command\n", DatasetFormat::Csv),
    ] {
        assert!(found(text, format).is_empty(), "{text}");
    }
}

#[test]
fn metadata_of_the_object_is_read() {
    let text = "{\"commands\": [{\"command\": \"ls\"}], \"metadata\": {\"total_commands\": 1}}";
    let mut rows = Rows::new(text.as_bytes(), DatasetFormat::Json);
    assert!(rows.by_ref().all(|row| row.is_ok()));
    assert_eq!(rows.metadata().expect("an object")["total_commands"], 1);
}

#[test]
fn an_invalid_row_is_named_with_its_position() {
    for (text, before, what) in [
        ("[{\"command\": \"ls\"}, 7]", 1, "Some(2) 1 not an object"),
        ("[{\"command\": \"ls\"},\n{\"command\": x}]", 1, "Some(2) 2 not JSON"),
        ("[{\"command\": \"ls\"}\n{\"command\": \"ls\"}]", 1, "None 2 the list of rows is cut off"),
        ("[{\"command\": \"ls\"},", 1, "Some(2) 1 a value is missing"),
        ("[{\"command\": \"ls\"}", 1, "None 1 the list of rows is cut off"),
        ("[{\"command\": \"l", 0, "Some(1) 1 the file ends within a text"),
        ("[{\"command\": \"ls\"", 0, "Some(1) 1 the file ends within a row"),
        ("[{\"command\": \"ls\"}] []", 1, "None 1 something follows"),
        ("{\"command\": \"ls\"}\n{\"command\": \"ls\"}", 0, "None 1 no `commands`"),
        ("{\"commands\": {}}", 0, "None 1 `commands` is not a list"),
        ("{\"commands\": [], \"commands\": []}", 0, "None 1 `commands` is there twice"),
        ("{\"commands\": []", 0, "None 1 the object is cut off"),
        ("{\"a\" 1}", 0, "None 1 the object is cut off"),
        ("ls\n", 0, "None 1 neither a JSON list"),
        ("", 0, "None 1 neither a JSON list"),
    ] {
        let (rows, error) = error(text, DatasetFormat::Json);
        assert!(rows == before && error.starts_with(what), "{text}: {rows} {error}");
    }
    for (text, before, what) in [
        ("{\"command\": \"ls\"}\n\nls\n", 1, "Some(2) 3 not JSON"),
        ("[]\n", 0, "Some(1) 1 not an object"),
    ] {
        let (rows, error) = error(text, DatasetFormat::Jsonl);
        assert!(rows == before && error.starts_with(what), "{text}: {rows} {error}");
    }
    for (text, before, what) in [
        ("command,expect\nls,pass\nls\n", 1, "Some(2) 3 1 cells instead of 2"),
        ("ls,pass\n", 0, "None 1 the first line names no column `command`"),
    ] {
        let (rows, error) = error(text, DatasetFormat::Csv);
        assert!(rows == before && error.starts_with(what), "{text}: {rows} {error}");
    }
}

#[test]
fn an_endless_row_is_not_held_in_memory() {
    let long = format!("[{{\"command\": \"{}\"}}]", "x".repeat(9 << 20));
    assert!(error(&long, DatasetFormat::Json).1.contains("longer than 8 MiB"));
    assert!(error(&long, DatasetFormat::Jsonl).1.contains("longer than 8 MiB"));
}
