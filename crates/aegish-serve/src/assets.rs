//! The page and the description of the interface.

pub(crate) const PAGE: &str = include_str!("../assets/page.html");
pub(crate) const SCRIPT: &str = include_str!("../assets/page.js");
pub(crate) const STYLE: &str = include_str!("../assets/page.css");
pub(crate) const OPENAPI: &str = include_str!("../assets/openapi.json");

#[cfg(test)]
mod tests {
    use super::OPENAPI;
    use crate::ROUTES;
    use serde_json::Value;

    #[test]
    fn the_description_lists_every_path_and_no_other() {
        let described: Value = serde_json::from_str(OPENAPI).expect("JSON");
        let paths = described["paths"].as_object().expect("paths");
        let mut listed: Vec<(String, String)> = Vec::new();
        for (path, methods) in paths {
            let methods = methods.as_object().expect("methods");
            listed.extend(methods.keys().map(|method| (method.clone(), path.clone())));
        }
        let mut known: Vec<(String, String)> = ROUTES
            .iter()
            .map(|(method, path)| ((*method).to_owned(), (*path).to_owned()))
            .collect();
        listed.sort();
        known.sort();
        assert_eq!(listed, known);
    }
}
