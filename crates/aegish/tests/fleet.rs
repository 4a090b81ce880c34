//! Bundles of a fleet on a machine: pulled by root, in force for everybody, and refused when they are not good.
#![cfg(feature = "fleet")]
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers belong to the tests

#[path = "common/machine.rs"]
mod machine;

/// The script prints a word before each answer.
fn answers(output: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in output.lines() {
        match line.strip_prefix("== ") {
            Some(name) => found.push((name, String::new())),
            None => {
                if let Some((_, text)) = found.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    found
}

#[test]
fn a_machine_takes_good_bundles_and_keeps_the_last_one() {
    let script = r#"
exec 2>&1
mkdir -p /etc/aegish "$1/fleet"; cd "$1/fleet"
key=$(aegish policy keygen fleet.key)
echo "== mode"; stat -c %a fleet.key
printf 'AEGISH_FLEET_SOURCE=%s\nAEGISH_FLEET_KEYS=%s\n' "$PWD/bundle.toml" "$key" > /etc/aegish/config
cat > policy.toml <<'T'
[roles.users]
kim = "restricted"
[[rule]]
name = "no-apply"
verdict = "deny"
program = "terraform"
because = "only from the pipeline"
T
cp policy.toml v2.toml
aegish policy sign v2.toml --key fleet.key --fleet acme --version 2 --expires 1d --out bundle.toml
echo "== pull"; aegish policy pull; echo "status $?"
echo "== again"; aegish policy pull
echo "== rule"; as_kim aegish -c 'terraform plan'; echo "status $?"
echo "== list"; as_kim aegish policy list
echo "== role"; as_kim aegish config show | grep -i role
cp bundle.toml good.toml
echo "== tampered"; sed -i 's/deny/allow/' bundle.toml; aegish policy pull; echo "status $?"
echo "== unsigned"; grep -v '^# aegish-signature' good.toml > bundle.toml; aegish policy pull; echo "status $?"
echo "== rolled back"; aegish policy sign policy.toml --key fleet.key --fleet acme --version 1 --expires 1d --out bundle.toml; aegish policy pull; echo "status $?"
echo "== expired"; aegish policy sign policy.toml --key fleet.key --fleet acme --version 3 --expires 1s --out bundle.toml; sleep 2.2; aegish policy pull; echo "status $?"
echo "== other key"; aegish policy keygen other.key > /dev/null; aegish policy sign policy.toml --key other.key --fleet acme --version 3 --expires 1d --out bundle.toml; aegish policy pull; echo "status $?"
echo "== stays"; aegish policy verify; as_kim aegish -c 'terraform plan'; echo "status $?"
echo "== not root"; aegish policy sign policy.toml --key fleet.key --fleet acme --version 4 --expires 1d --out next.toml > /dev/null; as_kim aegish policy pull --source "$PWD/next.toml"; echo "status $?"
"#;
    let Some(output) = machine::elsewhere("fleet", script) else { return };
    let answers = answers(&output);
    let answer = |name: &str| {
        let found = answers.iter().find(|(found, _)| *found == name);
        found.map(|(_, text)| text.as_str()).unwrap_or_default()
    };
    let holds = |name: &str, parts: &[&str]| {
        for part in parts {
            assert!(answer(name).contains(part), "{name}: {part}\n{output}");
        }
    };
    holds("mode", &["600"]);
    holds("pull", &["taken  acme version 2", "status 0"]);
    holds("again", &["unchanged  acme version 2"]);
    holds("rule", &["only from the pipeline", "status 1"]);
    holds("list", &["no-apply", "fleet, /etc/aegish/fleet/bundle.toml"]);
    holds("role", &["restricted", "/etc/aegish/fleet/bundle.toml"]);
    let stays = "version 2 of acme stays in force";
    holds("tampered", &["it was changed after it was signed", stays, "status 3"]);
    holds("unsigned", &["it is not signed", stays, "status 3"]);
    holds("rolled back", &["a rollback", stays, "status 3"]);
    holds("expired", &["it expired at", stays, "status 3"]);
    holds("other key", &["no trusted key signed it", stays, "status 3"]);
    holds("stays", &["good  acme version 2", "only from the pipeline", "status 1"]);
    holds("not root", &["was not taken", stays, "status 3"]);
}
