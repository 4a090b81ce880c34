//! Files read line by line in which some lines run a command: minicom's scripts, procmail's recipes,
//! rsyslog's rules, top's settings, roff documents, COBOL calls.

use super::quoted_words::{head, unquoted};
use super::{is_stream, known, shell, write};
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::{Value, origin};

/// minicom, runscript: `! command`, `!< command`. Everything else is sent to the remote side.
pub(super) fn runscript(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let line = line.trim_start();
        // A label may precede the statement.
        let line = match line.split_once(':') {
            Some((label, rest)) if label.bytes().all(|b| b.is_ascii_alphanumeric()) => rest.trim(),
            _ => line,
        };
        if let Some(command) = line.strip_prefix('!') {
            shell(command.trim_start_matches('<'), effects);
        }
    }
}

/// The debugger of Perl: `! command` and `!! command` run it, `source file` and `. file` read commands. Gives the lines
/// that it evaluates.
pub(super) fn perl_debugger(code: &str, effects: &mut Vec<CodeEffect>) -> String {
    let mut perl = String::new();
    for line in code.lines() {
        // `| command` shows the output of a command of the debugger page by page.
        let line = line.trim().trim_start_matches('|').trim_start();
        if let Some(command) = line.strip_prefix('!') {
            shell(command.trim_start_matches('!'), effects);
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let evaluated = match word {
            "source" | "." => {
                effects.push(CodeEffect::Script(Lang::PerlDebugger, known(rest.trim())));
                continue;
            }
            // Steps, breakpoints and listings.
            "n" | "s" | "c" | "r" | "q" | "b" | "B" | "L" | "T" | "S" | "V" | "X" | "l" | "v"
            | "f" | "h" | "R" | "y" | "M" | "o" => continue,
            "p" | "x" | "m" | "w" | "{" | "{{" | "<" | "<<" | ">" | ">>" | "t" => rest,
            _ => line,
        };
        perl.push_str(evaluated);
        perl.push_str(";\n");
    }
    perl
}

/// procmail: the action of a recipe is a pipe, a file or an address; conditions may run programs.
pub(super) fn procmail(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut action_next = false;
    for line in super::quoted_words::joined(code) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(':') {
            action_next = true;
        } else if let Some(condition) = line.strip_prefix('*') {
            let condition = condition.trim_start().trim_start_matches('!').trim_start();
            if let Some(command) = condition.strip_prefix('?') {
                shell(command, effects);
            }
        } else if action_next {
            action_next = false;
            if let Some(command) = line.strip_prefix('|') {
                shell(command, effects);
            } else if let Some(address) = line.strip_prefix('!') {
                effects.push(CodeEffect::Send { to: known(address.trim()), file: None });
            } else if !line.starts_with('{') && !is_stream(line) {
                write(known(line), true, effects);
            }
        } else {
            for (index, part) in line.split('`').enumerate() {
                if index % 2 == 1 {
                    shell(part, effects);
                }
            }
        }
    }
}

/// rsyslog: `selector ^program`, `selector /file`, `action(type="omprog" binary="program")`.
pub(super) fn rsyslog(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in super::quoted_words::joined(code) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '$']) {
            continue;
        }
        if let Some((_, binary)) = line.split_once("binary=") {
            let binary = binary.trim_start();
            let text = match binary.strip_prefix(['"', '\'']) {
                Some(quoted) => quoted.split(['"', '\'']).next().unwrap_or(""),
                None => binary.split([' ', ')']).next().unwrap_or(""),
            };
            shell(text, effects);
            continue;
        }
        // The action is the last field. Quoted fields before it are compared with the message.
        let tail = line.rsplit_once('"').map_or(line, |(_, tail)| tail);
        let Some(action) = tail.split_whitespace().last() else { continue };
        let action = action.split(';').next().unwrap_or("");
        if let Some(program) = action.strip_prefix('^') {
            effects.push(CodeEffect::Argv(vec![known(program)]));
        } else if let Some(pipe) = action.strip_prefix('|') {
            write(known(pipe), true, effects);
        } else {
            let path = action.trim_start_matches('-');
            if path.starts_with('/') && !is_stream(path) && line.len() > action.len() {
                write(known(path), true, effects);
            }
        }
    }
}

/// top's settings: `pipe`, a name and a command, or `file`, a name and a path, between tabs.
pub(super) fn toprc(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let mut fields = line.splitn(3, '\t');
        match (fields.next(), fields.next(), fields.next()) {
            (Some("pipe"), Some(_), Some(command)) => shell(command, effects),
            (Some("file"), Some(_), Some(path)) => {
                effects.push(CodeEffect::Read(known(path.trim())));
            }
            _ => {}
        }
    }
}

/// roff and its preprocessor pic in unsafe mode (`-U`): requests that run or open something.
pub(super) fn roff(code: &str, directories: &[Value], effects: &mut Vec<CodeEffect>) {
    let mut picture = false;
    for line in code.lines() {
        if let Some(request) = line.strip_prefix(['.', '\'']) {
            let (name, rest) = head(request);
            match name {
                "PS" => picture = true,
                "PE" | "PF" => picture = false,
                "sy" | "pso" | "pi" => shell(rest, effects),
                "so" | "mso" | "cf" | "trf" if !rest.is_empty() => {
                    super::included(unquoted(rest), directories, effects);
                }
                "open" | "opena" => {
                    let path = head(rest).1;
                    if !is_stream(path) {
                        write(known(path), name == "opena", effects);
                    }
                }
                _ => {}
            }
        } else if picture {
            let (name, rest) = head(line);
            let mut letters = rest.chars();
            match (name, letters.next()) {
                ("sh", Some(mark)) => {
                    let command = letters.as_str();
                    let close = if mark == '{' { '}' } else { mark };
                    shell(command.rsplit_once(close).map_or(command, |(body, _)| body), effects);
                }
                ("copy", Some('"')) => effects.push(CodeEffect::Read(known(unquoted(rest)))),
                _ => {}
            }
        }
    }
}

/// COBOL: `CALL "SYSTEM" USING "command"`. A command that is not a literal stays unknown.
pub(super) fn cobol(code: &str, effects: &mut Vec<CodeEffect>) {
    let text = code.replace('\'', "\"");
    let mut rest = text.as_str();
    while let Some(at) = find_word(rest, "call") {
        let tail = rest.get(at + 4..).unwrap_or("").trim_start();
        rest = tail;
        let Some((name, after)) = tail.strip_prefix('"').and_then(|text| text.split_once('"'))
        else {
            continue;
        };
        rest = after;
        if !matches!(name.to_ascii_lowercase().as_str(), "system" | "c$system") {
            continue;
        }
        // The clause follows within a few words. A search to the end for every call would be quadratic.
        let near = after.len().min(64);
        let near = (near..=after.len()).find_map(|end| after.get(..end)).unwrap_or("");
        let Some(at) = find_word(near, "using") else { continue };
        let argument = after.get(at + 5..).unwrap_or("").trim_start();
        match argument.strip_prefix('"').and_then(|text| text.split_once('"')) {
            Some((command, after)) => {
                shell(command, effects);
                rest = after;
            }
            None => effects.push(CodeEffect::Shell(Value::unknown(origin::VARIABLE))),
        }
    }
}

/// The position of a word; case is ignored.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let edge = |byte: Option<&u8>| byte.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'-');
    let bytes = text.as_bytes();
    (0..bytes.len()).find(|&at| {
        bytes
            .get(at..at + word.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
            && edge(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && edge(bytes.get(at + word.len()))
    })
}

/// fail2ban's actions: `actionban = command` and similar keys. A line that starts with a blank continues the
/// one before.
pub(super) fn fail2ban(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut running = false;
    for line in code.lines() {
        if line.starts_with([' ', '\t']) {
            if running {
                shell(line, effects);
            }
            continue;
        }
        running = false;
        let Some((key, value)) = line.split_once('=') else { continue };
        let key = key.trim();
        running = matches!(
            key,
            "actionstart"
                | "actionstop"
                | "actioncheck"
                | "actionban"
                | "actionunban"
                | "actionflush"
                | "actionreload"
                | "actionrepair"
                | "actionprolong"
        );
        if running {
            shell(value, effects);
        }
    }
}

/// `LESSOPEN`: a command. Without a bar before it, its output names the file that less shows.
pub(super) fn lessopen(code: &str, effects: &mut Vec<CodeEffect>) {
    let code = code.trim();
    let piped = code.starts_with('|');
    let command = code.trim_start_matches(['|', '-']);
    shell(command, effects);
    let words = super::quoted_words::words(command);
    if !piped
        && let [name, path, ..] = words.as_slice()
        && matches!(name.as_str(), "echo" | "printf")
        && path.contains('/')
    {
        effects.push(CodeEffect::Read(known(path.as_str())));
    }
}

/// ffmpeg filter graphs: filters that read a file or load a library.
pub(super) fn ffmpeg_filter(code: &str, effects: &mut Vec<CodeEffect>) {
    for filter in code.split([',', ';']) {
        // Labels of streams may precede and follow the filter.
        let mut filter = filter.trim();
        while let Some((_, rest)) = filter.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            filter = rest.trim_start();
        }
        let filter = filter.split('[').next().unwrap_or(filter);
        let Some((name, options)) = filter.split_once('=') else { continue };
        for (index, option) in options.split(':').enumerate() {
            let (key, value) = option.split_once('=').unwrap_or(("", option));
            let value = unquoted(value);
            let reads = match name.trim() {
                "movie" | "amovie" | "subtitles" | "ass" => {
                    matches!(key, "filename" | "f") || (key.is_empty() && index == 0)
                }
                "drawtext" => key == "textfile",
                "lut3d" | "lut1d" => key == "file",
                "sendcmd" | "asendcmd" => matches!(key, "filename" | "f"),
                _ => false,
            };
            // Plug-ins for audio and video are shared libraries.
            let library = match name.trim() {
                "ladspa" => matches!(key, "file" | "f"),
                "frei0r" | "frei0r_src" => key == "filter_name",
                _ => false,
            };
            if library && value.contains('/') {
                effects.push(CodeEffect::Load(known(value)));
            }
            if reads && !is_stream(value) {
                effects.push(CodeEffect::Read(known(value)));
            }
        }
    }
}

/// debugfs: `!command` at its prompt; `dump`, `rdump`, `write` move files to and from the machine.
pub(super) fn debugfs(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let line = line.trim();
        if let Some(command) = line.strip_prefix('!') {
            shell(command, effects);
            continue;
        }
        let words = super::quoted_words::words(line);
        match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["dump", "-p", _, to] | ["dump", _, to] => write(known(*to), false, effects),
            ["rdump", .., to] => write(known(*to), false, effects),
            ["write", from, _] => effects.push(CodeEffect::Read(known(*from))),
            _ => {}
        }
    }
}

/// logrotate: scripts between a keyword and `endscript`, and programs named for compression.
pub(super) fn logrotate(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut script: Option<String> = None;
    for line in code.lines() {
        // `/var/log/x { firstaction`: the keyword may follow the bracket.
        let line = if script.is_none() { line.rsplit('{').next().unwrap_or(line) } else { line };
        let (word, rest) = head(line);
        match (&mut script, word) {
            // A script exists to run commands, so they are judged like commands of the text.
            (Some(body), "endscript") => {
                effects.push(CodeEffect::Eval(Lang::Shell, known(std::mem::take(body))));
                script = None;
            }
            (Some(body), _) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, "prerotate" | "postrotate" | "firstaction" | "lastaction" | "preremove") => {
                script = Some(String::new());
            }
            (None, "compresscmd" | "uncompresscmd") => shell(rest, effects),
            (None, "include") => effects.push(CodeEffect::Read(known(rest))),
            _ => {}
        }
    }
}

/// fastfetch: modules of the type `command` run their text with a shell.
pub(super) fn fastfetch(code: &str, effects: &mut Vec<CodeEffect>) {
    for module in code.split('{').skip(1) {
        let module = module.split('}').next().unwrap_or(module);
        if setting(module, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("command"))
            && let Some(command) = setting(module, "text")
        {
            effects.push(CodeEffect::Eval(Lang::Shell, known(command)));
        }
    }
}

/// An input of ffmpeg: a file, or a protocol or filter that names files.
pub(super) fn ffmpeg_input(code: &str, effects: &mut Vec<CodeEffect>) {
    let named = ["movie=", "amovie=", "file:", "async:", "cache:"]
        .iter()
        .find_map(|kind| code.strip_prefix(kind));
    match (named, code.strip_prefix("concat:")) {
        (_, Some(list)) => {
            effects.extend(list.split('|').map(|path| CodeEffect::Read(known(path))));
        }
        (Some(path), _) => {
            effects.push(CodeEffect::Read(known(path.split([':', ',']).next().unwrap_or(path))));
        }
        _ => effects.push(CodeEffect::Read(known(code))),
    }
}

/// The text of a key in a flat JSON object.
fn setting(object: &str, key: &str) -> Option<String> {
    let place = object.find(&format!("\"{key}\""))?;
    let rest = object.get(place + key.len() + 2..)?.trim_start().strip_prefix(':')?;
    let mut letters = rest.trim_start().strip_prefix('"')?.chars();
    let mut out = String::new();
    while let Some(c) = letters.next() {
        match c {
            '"' => return Some(out),
            '\\' => match letters.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => break,
            },
            c => out.push(c),
        }
    }
    Some(out)
}
