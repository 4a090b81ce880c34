//! A directed graph of names: finds its cycles and draws it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Each name with the names that it uses.
#[derive(Debug, Default, Clone)]
pub(crate) struct Graph(pub(crate) BTreeMap<String, BTreeSet<String>>);

impl Graph {
    /// Everything that is reachable from a name by at least one edge.
    pub(crate) fn reachable(&self, from: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut next: Vec<&str> = vec![from];
        while let Some(name) = next.pop() {
            for used in self.0.get(name).into_iter().flatten() {
                if found.insert(used.as_str()) {
                    next.push(used);
                }
            }
        }
        found
    }

    /// The groups of names that use each other, directly or indirectly.
    pub(crate) fn cycles(&self) -> Vec<BTreeSet<String>> {
        let mut groups = BTreeSet::new();
        for name in self.0.keys() {
            let reached = self.reachable(name);
            let back = |other: &&str| self.reachable(other).contains(name.as_str());
            let group: BTreeSet<String> =
                reached.iter().copied().filter(back).map(str::to_owned).collect();
            if !group.is_empty() {
                groups.insert(group);
            }
        }
        groups.into_iter().collect()
    }

    /// Draws a Mermaid graph without redundant edges.
    pub(crate) fn mermaid(&self) -> String {
        let mut text = String::from("```mermaid\ngraph TD\n");
        for (name, uses) in &self.0 {
            let _ = writeln!(text, "    {name}");
            for used in uses {
                let implied = uses
                    .iter()
                    .any(|other| other != used && self.reachable(other).contains(used.as_str()));
                if !implied {
                    let _ = writeln!(text, "    {name} --> {used}");
                }
            }
        }
        text.push_str("```\n");
        text
    }

    /// Writes a table of all edges.
    pub(crate) fn table(&self, what: &str) -> String {
        let mut text = format!("| {what} | uses |\n|---|---|\n");
        for (name, uses) in &self.0 {
            let uses: Vec<&str> = uses.iter().map(String::as_str).collect();
            let _ = writeln!(text, "| {name} | {} |", uses.join(", "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &[&str])]) -> Graph {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Graph(edges.iter().map(|(name, uses)| ((*name).to_owned(), owned(uses))).collect())
    }

    #[test]
    fn names_that_use_each_other_through_others_are_one_cycle() {
        let graph = graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["a", "d"]), ("d", &[])]);
        let cycle = ["a", "b", "c"].map(str::to_owned).into();
        assert_eq!(graph.cycles(), vec![cycle]);
    }

    #[test]
    fn arrows_that_follow_from_others_are_not_drawn() {
        let graph = graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]);
        assert!(!graph.mermaid().contains("a --> c"));
        assert!(graph.cycles().is_empty());
    }
}
