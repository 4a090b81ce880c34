//! Tables of cron.

use crate::embedded::{Builder, CommandForm, Embedded, lines};
use crate::kind::CrontabFields;

pub(crate) fn commands(text: &str, fields: CrontabFields) -> Vec<Embedded> {
    lines(text).filter_map(|line| entry(text, line.start, line.end(), fields)).collect()
}

/// The command of one line, if it is an entry.
fn entry(source: &str, start: usize, end: usize, fields: CrontabFields) -> Option<Embedded> {
    let line = source.get(start..end)?;
    let first = line.trim_start();
    if first.is_empty() || first.starts_with('#') {
        return None;
    }
    let times = if first.starts_with('@') { 1 } else { 5 };
    // `NAME=value` sets a variable; the first field of a time has no `=`.
    if first.split_whitespace().next()?.contains('=')
        || first.split_whitespace().nth(1) == Some("=")
    {
        return None;
    }
    let before = times + usize::from(fields == CrontabFields::TimeAndUser);
    let mut place = start + (line.len() - first.len());
    for _ in 0..before {
        let rest = source.get(place..end)?;
        let word = rest.find([' ', '\t'])?;
        let gap = rest.get(word..)?.find(|c: char| c != ' ' && c != '\t')?;
        place += word + gap;
    }
    command(source, place, end)
}

/// `%` ends the command, and what follows is its standard input, a line per `%`; `\%` is a plain one.
fn command(source: &str, start: usize, end: usize) -> Option<Embedded> {
    let mut builder = Builder::new(source);
    let (mut from, mut input) = (start, false);
    let mut escaped = false;
    for (index, c) in source.get(start..end)?.char_indices() {
        let here = start + index;
        if c == '%' {
            if escaped {
                builder.copy(from, here - 1);
                from = here;
            } else {
                builder.copy(from, here);
                builder.insert(if input { "\n" } else { " <<'INPUT'\n" }, here);
                input = true;
                from = here + 1;
            }
        }
        escaped = c == '\\' && !escaped;
    }
    builder.copy(from, end);
    if input {
        builder.insert("\nINPUT\n", end);
    }
    (!builder.is_blank()).then(|| builder.finish(CommandForm::Line, String::new()))
}

#[cfg(test)]
mod tests {
    use super::commands;
    use crate::kind::CrontabFields;

    #[test]
    fn entries_lose_their_times_and_users() {
        let table = "# backup\nMAILTO=kim\n*/5 * * * *  tar cf x.tar ~/notes\n@daily\techo hi\n";
        let found = commands(table, CrontabFields::Time);
        let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["tar cf x.tar ~/notes", "echo hi"]);
        assert_eq!(table.get(found[0].file_offset(0)..).unwrap().get(..3), Some("tar"));
        let system =
            commands("1 2 * * * root run-parts /etc/cron.daily\n", CrontabFields::TimeAndUser);
        assert_eq!(system[0].text, "run-parts /etc/cron.daily");
    }

    #[test]
    fn text_behind_a_percent_sign_is_input() {
        let found =
            commands("0 0 * * * mail kim%hello%bye\n0 0 * * * date +\\%F\n", CrontabFields::Time);
        assert_eq!(found[0].text, "mail kim <<'INPUT'\nhello\nbye\nINPUT\n");
        assert_eq!(found[1].text, "date +%F");
    }
}
