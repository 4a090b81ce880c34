//! Roles of users and groups, and editing them in a file.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::keys::shown;
use crate::load::Person;
use crate::origin::{ConfigOrigin, ConfigSource};
use crate::table::{ValueType, setting};
use crate::value::{self, SettingValue};

/// Roles by user and by group, as the system's file gives them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roles {
    users: Vec<AssignedRole>,
    groups: Vec<AssignedRole>,
}

#[derive(Debug, Clone)]
struct AssignedRole {
    name: String,
    role: &'static str,
    place: ConfigOrigin,
}

/// The names of the roles, from loose to tight.
fn words() -> &'static [&'static str] {
    match setting("AEGISH_ROLE").map(|setting| setting.kind) {
        Some(ValueType::Word(words)) => words,
        _ => &[],
    }
}

impl Roles {
    /// Adds a line of `users` or `groups`.
    pub(crate) fn add(
        &mut self,
        kind: &str,
        name: &str,
        word: &str,
        place: ConfigOrigin,
    ) -> Result<(), String> {
        let role = match value::read(ValueType::Word(words()), word) {
            Ok(SettingValue::Word(role)) => role,
            Ok(_) => return Err("a role is one word".to_owned()),
            Err(advice) => {
                return Err(format!(
                    "the role of {} is \"{}\"; {advice}",
                    shown(name),
                    shown(word)
                ));
            }
        };
        let list = if kind == "users" { &mut self.users } else { &mut self.groups };
        list.push(AssignedRole { name: name.to_owned(), role, place });
        Ok(())
    }

    /// The role of a person: by user name, else the tightest of the groups' roles.
    pub(crate) fn of(&self, person: &Person) -> Option<(&'static str, ConfigOrigin)> {
        let own = self.users.iter().find(|given| given.name == person.name);
        let rank = |role: &str| words().iter().position(|word| *word == role);
        let found = own.or_else(|| {
            let theirs = self.groups.iter().filter(|given| person.groups.contains(&given.name));
            theirs.max_by_key(|given| rank(given.role))
        });
        found.map(|given| (given.role, given.place.clone()))
    }

    /// Every name with its origin: users, then groups.
    pub(crate) fn names(&self) -> impl Iterator<Item = (RoleHolder, &str, &ConfigOrigin)> {
        let users = self.users.iter().map(|given| (RoleHolder::User, given));
        let groups = self.groups.iter().map(|given| (RoleHolder::Group, given));
        users.chain(groups).map(|(whose, given)| (whose, given.name.as_str(), &given.place))
    }

    /// The same roles, independent of where they are set.
    fn list(&self) -> Vec<(RoleHolder, String, &'static str)> {
        let of =
            |whose: RoleHolder, list: &[AssignedRole]| -> Vec<(RoleHolder, String, &'static str)> {
                list.iter().map(|given| (whose, given.name.clone(), given.role)).collect()
            };
        let mut all = of(RoleHolder::User, &self.users);
        all.extend(of(RoleHolder::Group, &self.groups));
        all.sort_unstable();
        all
    }
}

/// Whether a name is that of a user or of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoleHolder {
    /// A user.
    User,
    /// A group.
    Group,
}

/// A file with one role changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The new text. Nothing but this role is different in it.
    pub text: String,
    /// The user's role before.
    pub before: Option<String>,
}

/// Gives a user a role in the text of `/etc/aegish/config.toml`; everything else stays as it is.
///
/// # Errors
///
/// If the text has problems, or is written so that the change has to be made by hand.
pub fn role_set(text: &str, user: &str, role: &str) -> Result<Edited, String> {
    let key = quoted(user)?;
    let Ok(SettingValue::Word(role)) = value::read(ValueType::Word(words()), role) else {
        return Err(format!("there is no role {}; roles: {}", shown(role), words().join(", ")));
    };
    let line = format!("{key} = \"{role}\"");
    let spots = spots(text, user)?;
    let mut tries = Vec::new();
    if let Some(own) = &spots.own {
        tries.push(spliced(text, own.value.clone(), &format!("\"{role}\"")));
    } else {
        if let Some(last) = spots.last {
            let end = text.get(last..).and_then(|rest| rest.find('\n'));
            let end = end.map_or(text.len(), |at| last + at);
            tries.push(spliced(text, end..end, &format!("\n{line}")));
        }
        if let Some(open) = spots.inline {
            let joint = if spots.last.is_some() { "," } else { " " };
            tries.push(spliced(text, open..open, &format!(" {line}{joint}")));
        }
        let gap = match text {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        tries.push(format!("{text}{gap}[roles.users]\n{line}\n"));
    }
    let by_hand = || format!("write this line into the table roles.users by hand: {line}");
    chosen(text, tries, |list| {
        list.retain(|(whose, name, _)| !(*whose == RoleHolder::User && name == user));
        list.push((RoleHolder::User, user.to_owned(), role));
    })
    .map(|text| Edited { text, before: spots.before })
    .ok_or_else(by_hand)
}

/// Takes a user's role out of the text of `/etc/aegish/config.toml`; everything else stays as it is.
///
/// # Errors
///
/// If the text has problems, or is written so that the change has to be made by hand.
pub fn role_unset(text: &str, user: &str) -> Result<Edited, String> {
    let spots = spots(text, user)?;
    let Some(own) = spots.own else {
        return Ok(Edited { text: text.to_owned(), before: None });
    };
    let (start, end) = (own.key.start, own.value.end);
    let head = text.get(..start).unwrap_or_default();
    let tail = text.get(end..).unwrap_or_default();
    let line_start = head.rfind('\n').map_or(0, |at| at + 1);
    let line_end = tail.find('\n').map_or(text.len(), |at| end + at + 1);
    let blanks = |text: &str| text.len() - text.trim_start().len();
    let mut tries = vec![spliced(text, line_start..line_end, "")];
    if tail.trim_start().starts_with(',') {
        tries.push(spliced(text, start..end + blanks(tail) + 1, ""));
    }
    if let Some(kept) = head.trim_end().strip_suffix(',') {
        tries.push(spliced(text, kept.len()..end, ""));
    }
    tries.push(spliced(text, start..end, ""));
    chosen(text, tries, |list| {
        list.retain(|(whose, name, _)| !(*whose == RoleHolder::User && name == user));
    })
    .map(|text| Edited { text, before: spots.before })
    .ok_or_else(|| format!("take the role of {} out of the table roles.users by hand", shown(user)))
}

/// Positions in a text.
struct Spots {
    /// The user's own key and value.
    own: Option<Own>,
    /// The end of the last value of `roles.users`.
    last: Option<usize>,
    /// The position after the opening brace, if the table is written inline.
    inline: Option<usize>,
    before: Option<String>,
}

struct Own {
    key: std::ops::Range<usize>,
    value: std::ops::Range<usize>,
}

fn spots(text: &str, user: &str) -> Result<Spots, String> {
    let page = read(text);
    if let Some(problem) = page.problems.first() {
        return Err(problem.to_string());
    }
    let mut spots = Spots { own: None, last: None, inline: None, before: None };
    let Ok(document) = DeTable::parse(text) else { return Ok(spots) };
    let roles = document.get_ref().get("roles").map(toml::Spanned::get_ref);
    let Some(DeValue::Table(roles)) = roles else { return Ok(spots) };
    let Some(value) = roles.get("users") else { return Ok(spots) };
    let DeValue::Table(users) = value.get_ref() else { return Ok(spots) };
    let span = value.span();
    if text.get(span.clone()).is_some_and(|text| text.starts_with('{')) {
        spots.inline = Some(span.start + 1);
    }
    spots.last = users.values().map(|value| value.span().end).max();
    let own = users.iter().find(|(key, _)| key.get_ref().as_ref() == user);
    if let Some((key, value)) = own {
        spots.own = Some(Own { key: key.span(), value: value.span() });
        if let DeValue::String(role) = value.get_ref() {
            spots.before = Some(role.to_string());
        }
    }
    Ok(spots)
}

/// The first of the texts in which the roles are as wanted and nothing else differs.
fn chosen(
    before: &str,
    tries: Vec<String>,
    change: impl Fn(&mut Vec<(RoleHolder, String, &'static str)>),
) -> Option<String> {
    let page = read(before);
    let mut wanted = page.roles.list();
    change(&mut wanted);
    wanted.sort_unstable();
    let values = |page: &crate::keys::SourceContent| -> Vec<(&'static str, SettingValue)> {
        page.said.iter().map(|said| (said.setting.name, said.value.clone())).collect()
    };
    let others = values(&page);
    tries.into_iter().find(|text| {
        let now = read(text);
        now.problems.is_empty() && now.roles.list() == wanted && values(&now) == others
    })
}

fn read(text: &str) -> crate::keys::SourceContent {
    crate::tables::file(
        Path::new("config.toml"),
        text.as_bytes(),
        ConfigSource::SystemTables,
        &crate::user_rules::Bases::default(),
    )
}

fn spliced(text: &str, range: std::ops::Range<usize>, new: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(range, new);
    text
}

/// A name as a TOML key.
fn quoted(name: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.chars().all(plain) {
        return Ok(name.to_owned());
    }
    if name.is_empty() || name.chars().any(|c| c.is_control() || matches!(c, '"' | '\\')) {
        return Err(format!("{} is not a name that can be written down", shown(name)));
    }
    Ok(format!("\"{name}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> String {
        role_set(text, "kim", "sysadmin").map_or_else(|error| error, |edited| edited.text)
    }

    fn unset(text: &str) -> String {
        role_unset(text, "kim").map_or_else(|error| error, |edited| edited.text)
    }

    #[test]
    fn a_role_is_written_into_every_form_of_the_table() {
        assert_eq!(set(""), "[roles.users]\nkim = \"sysadmin\"\n");
        assert_eq!(
            set("mode = 'production' # here\n"),
            "mode = 'production' # here\n\n[roles.users]\nkim = \"sysadmin\"\n"
        );
        assert_eq!(
            set("[roles.users]\nlee = 'default' # since May\n\n[roles.groups]\na = 'default'\n"),
            "[roles.users]\nlee = 'default' # since May\nkim = \"sysadmin\"\n\n[roles.groups]\na = 'default'\n"
        );
        assert_eq!(
            set("[roles]\nusers = { lee = 'default' }\n"),
            "[roles]\nusers = { kim = \"sysadmin\", lee = 'default' }\n"
        );
        assert_eq!(set("[roles]\nusers = {}\n"), "[roles]\nusers = { kim = \"sysadmin\" }\n");
        assert_eq!(
            set("[roles.users]\nkim = 'default' # was careful\n"),
            "[roles.users]\nkim = \"sysadmin\" # was careful\n"
        );
        assert_eq!(
            set("[roles]\ngroups = { wheel = 'sysadmin' }\n"),
            "[roles]\ngroups = { wheel = 'sysadmin' }\n\n[roles.users]\nkim = \"sysadmin\"\n"
        );
        assert!(set("roles = { users = {} , groups = {} }").contains("kim"));
        assert!(set("roles.users.lee = 'default'\nmode = 'production'").contains("by hand"));
        assert!(set("mode = ").contains("config.toml:1"));
    }

    #[test]
    fn a_role_is_taken_out_again_and_nothing_else() {
        for text in [
            "mode = 'production'\n",
            "[roles.users]\nlee = 'default' # since May\n",
            "[roles]\nusers = { lee = 'default' }\n",
            "[roles]\ngroups = { wheel = 'sysadmin' }\n[roles.users]\nlee = 'default'\n",
        ] {
            let there_and_back = unset(&set(text));
            assert_eq!(read(&there_and_back).roles.list(), read(text).roles.list(), "{text}");
            assert!(
                there_and_back.starts_with(text.trim_end_matches(" }\n")) || text.contains('{')
            );
        }
        assert_eq!(
            unset("[roles]\nusers = { lee = 'default', kim = 'default' }\n"),
            "[roles]\nusers = { lee = 'default' }\n"
        );
        assert_eq!(unset("mode = 'production'\n"), "mode = 'production'\n");
    }

    #[test]
    fn the_previous_role_is_returned() {
        let text = "[roles.users]\nkim = 'restricted'\n";
        let edited = role_set(text, "kim", "default");
        assert_eq!(edited.map(|edited| edited.before), Ok(Some("restricted".to_owned())));
        assert!(role_set("", "kim", "boss").is_err());
        assert!(role_set("", "a\"b", "default").is_err());
    }
}
