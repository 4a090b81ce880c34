//! The rules, one file each. A rule's doc comment is its manual page and the table of its answers.
//!
//! A rule objects in several variants. `# Answers`, behind the manual page, has a table `[VARIANT]` for each, with
//! either `all = "allow|warn|block"` or the three roles; `sysadmin` and `restricted` default to `default`.
//!
//! * `open = true`: the static side cannot decide, a judge may settle it; without one the action stands.
//! * `core = true`: where it blocks, no user rule but root's lets it through.
//! * `confidence`: how sure the rule is of what it says, 0.95 if not given.
//! * `instead`: what would be fine.
//!
//! The modules and the list below are kept by `cargo xtask gen`: a new rule is added at the end of the list.

use crate::finding::{Findings, Rule};
use crate::view::View;

macro_rules! registry {
    ($($module:ident),+ $(,)?) => {
        /// All rules: the seed's in the seed's order, then the additional ones.
        static RULES: &[Rule] = &[$($module::RULE),+];

        /// Asks every rule about one subject.
        pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
            let mut rank = 0;
            $(
                out.rank = rank;
                $module::check(view, out);
                rank += 1;
            )+
            let _ = rank;
        }
    };
}

pub(crate) mod account_change;
pub(crate) mod arbitrary_command_execution;
pub(crate) mod command_shadowing;
pub(crate) mod container_escape;
pub(crate) mod critical_file_read;
pub(crate) mod critical_file_write;
pub(crate) mod data_exfiltration;
pub(crate) mod destructive_file_system;
pub(crate) mod direct_shell_spawner;
pub(crate) mod disguised_code;
pub(crate) mod download_and_execute;
pub(crate) mod download_only;
pub(crate) mod enumeration;
pub(crate) mod environment_injection;
pub(crate) mod indirect_shell_escape;
pub(crate) mod kernel_interface;
pub(crate) mod library_loading;
pub(crate) mod network_change;
pub(crate) mod non_critical_write;
pub(crate) mod normal_operation;
pub(crate) mod package_install;
pub(crate) mod path_change;
pub(crate) mod persistence;
pub(crate) mod power_change;
pub(crate) mod privilege_escalation;
pub(crate) mod process_inspection;
pub(crate) mod process_kill;
pub(crate) mod remote_destruction;
pub(crate) mod resource_exhaustion;
pub(crate) mod reverse_or_bind_shell;
pub(crate) mod scheduled_content;
pub(crate) mod secret_shown;
pub(crate) mod security_tool_disabled;
pub(crate) mod service_change;
pub(crate) mod unparsable_command;
pub(crate) mod unread_code;
pub(crate) mod unresolved_command;
pub(crate) mod work_loss;

registry![
    indirect_shell_escape,
    direct_shell_spawner,
    arbitrary_command_execution,
    reverse_or_bind_shell,
    critical_file_read,
    critical_file_write,
    privilege_escalation,
    data_exfiltration,
    library_loading,
    download_and_execute,
    enumeration,
    download_only,
    non_critical_write,
    normal_operation,
    destructive_file_system,
    resource_exhaustion,
    disguised_code,
    scheduled_content,
    environment_injection,
    path_change,
    command_shadowing,
    unresolved_command,
    unread_code,
    unparsable_command,
    persistence,
    security_tool_disabled,
    container_escape,
    kernel_interface,
    process_inspection,
    work_loss,
    service_change,
    power_change,
    process_kill,
    remote_destruction,
    account_change,
    package_install,
    network_change,
    secret_shown,
];

/// All rules: the seed's in the seed's order, then the additional ones.
#[must_use]
pub fn rules() -> &'static [Rule] {
    RULES
}

/// The rule with this id (`4`, `1a`) or name (`critical-file-read`).
#[must_use]
pub fn rule(id_or_name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id_or_name || rule.name == id_or_name)
}

#[cfg(test)]
mod tests {
    use super::{RULES, rule};
    use crate::Role;
    use crate::table::RULE_FILES;
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_file_is_registered_under_its_own_name() {
        let files: BTreeSet<String> =
            RULE_FILES.iter().map(|file| file.replace('_', "-")).collect();
        let names: BTreeSet<String> = RULES.iter().map(|rule| rule.name.to_owned()).collect();
        assert_eq!(files, names);
        assert_eq!(names.len(), RULES.len(), "a rule is registered twice");
    }

    #[test]
    fn ids_are_unique_and_begin_with_the_seed_in_its_order() {
        let ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        let seed = ["1a", "1b", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"];
        assert_eq!(ids.get(..seed.len()), Some(&seed[..]));
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        for rule in RULES.iter().skip(seed.len()) {
            assert_eq!(rule.id, rule.name);
        }
    }

    #[test]
    fn every_manual_page_has_the_fixed_headings() {
        for rule in RULES {
            for heading in ["# What\n", "# Why\n", "# Example\n", "# Instead\n"] {
                assert!(rule.manual.contains(heading), "{}: {heading}", rule.name);
            }
            assert!(rule.manual.starts_with(rule.title), "{}", rule.name);
            assert!(!rule.summary.is_empty() && rule.summary.ends_with('.'), "{}", rule.name);
        }
    }

    #[test]
    fn every_rule_but_the_last_of_the_seed_has_answers() {
        let without: Vec<&str> =
            RULES.iter().filter(|rule| rule.kinds.is_empty()).map(|rule| rule.id).collect();
        assert_eq!(without, ["13"]);
    }

    #[test]
    fn the_restricted_role_is_never_milder_than_the_default() {
        for rule in RULES {
            for kind in rule.kinds {
                assert!(
                    kind.action(Role::Restricted) >= kind.action(Role::Default),
                    "{}.{}",
                    rule.name,
                    kind.name
                );
                assert!(
                    kind.action(Role::Sysadmin) <= kind.action(Role::Default),
                    "{}.{}",
                    rule.name,
                    kind.name
                );
                assert!(kind.instead.ends_with('.'), "{}.{}", rule.name, kind.name);
            }
        }
    }

    #[test]
    fn rules_are_found_by_id_and_by_name() {
        assert_eq!(rule("4").map(|rule| rule.name), Some("critical-file-read"));
        assert_eq!(rule("work-loss").map(|rule| rule.id), Some("work-loss"));
        assert!(rule("none").is_none());
    }
}
