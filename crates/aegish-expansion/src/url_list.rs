//! Addresses that stand for several (`curl`).

use aegish_values::MAX_ALTERNATIVES;

/// The paths that `{a,b}` and `[a-c]` of an address stand for.
#[must_use]
pub fn url_list(pattern: &str) -> Vec<String> {
    let mut paths = vec![String::new()];
    let mut rest = pattern;
    while let Some(at) = rest.find(['{', '[']) {
        let (before, tail) = rest.split_at(at);
        let close = if tail.starts_with('{') { '}' } else { ']' };
        let inside = tail.get(1..).unwrap_or_default();
        let Some((inside, after)) = inside.split_once(close) else { break };
        let parts: Vec<String> = match inside.split_once('-') {
            Some((from, to)) if close == ']' => {
                let to = to.split(':').next().unwrap_or(to);
                // Bounded: a range with more parts names files by numbers or letters, of which these are enough to tell.
                match (from.chars().next(), to.chars().next(), from.parse::<u32>(), to.parse()) {
                    (_, _, Ok(from), Ok(to)) => (from..=to)
                        .take(MAX_ALTERNATIVES)
                        .map(|number| number.to_string())
                        .collect(),
                    // Bounded: there are not more letters.
                    (Some(from), Some(to), ..) => {
                        (from..=to).take(MAX_ALTERNATIVES).map(String::from).collect()
                    }
                    _ => Vec::new(),
                }
            }
            _ => inside.split(',').map(str::to_owned).collect(),
        };
        let begun = paths
            .iter()
            .flat_map(|path| parts.iter().map(move |part| format!("{path}{before}{part}")));
        // Bounded: more lists than this in one address are no names of files.
        paths = begun.take(4 * MAX_ALTERNATIVES).collect();
        rest = after;
    }
    for path in &mut paths {
        path.push_str(rest);
    }
    paths
}
