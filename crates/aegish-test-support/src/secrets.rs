//! Kinds of secrets, by name and by the shape of their value, each in a text that holds it.
//!
//! They are made up here, from pieces, so that no scanner takes this file for a leak.

const RANDOM: &str = "q7Zt2Lw9Xc4Vb6Nm1Ks8Jd3Hf5Gp0RyTuEiOaWqSzAxDcFvBgNhMjKlPo9876Qw";
const HEX: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";
const UPPER: &str = "Q7ZT2LW9XC4VB6NM";

pub fn random(length: usize) -> String {
    RANDOM.chars().cycle().take(length).collect()
}

/// A kind of secret.
pub struct SecretExample {
    pub kind: &'static str,
    /// Something that holds it.
    pub text: String,
    pub secret: String,
}

/// All kinds.
pub fn secrets() -> Vec<SecretExample> {
    let whole = |(kind, around, secret): (&'static str, &'static str, String)| {
        let text = match around.split_once("@@") {
            Some((before, after)) => format!("{before}{secret}@{after}"),
            None => around.replacen('@', &secret, 1),
        };
        SecretExample { kind, text, secret }
    };
    list().into_iter().chain(more()).map(whole).collect()
}

/// The parts of a secret that must not be visible: a part of a long secret would still be a leak.
pub fn parts(secret: &str) -> impl Iterator<Item = &str> {
    let pieces = secret.split(['\n', '.', '/', ':', '\\', '"', '\'', ' ', '\r']);
    pieces.filter(|piece| piece.len() >= 8 && !piece.contains("---") && !PUBLIC.contains(piece))
}

/// Words that occur in some secrets and are not secret.
const PUBLIC: &[&str] = &["Version", "GnuPG", "Private-Lines", "ENCRYPTED", "bot123456789"];

/// Kind, text around the secret (`@` is its place), and the secret.
fn list() -> Vec<(&'static str, &'static str, String)> {
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

/// Those that need more than a prefix or a name.
fn more() -> Vec<(&'static str, &'static str, String)> {
    let secret = || "Tr0ub4dor-3".to_owned();
    let named = |kind, around| (kind, around, secret());
    let block = |title: &str, inside: &str| {
        format!("-----BEGIN {title}-----\n{inside}\n{}\n-----END {title}-----", random(64))
    };
    let putty = format!("Private-Lines: 2\n{}\n{}", random(64), random(40));
    vec![
        // Clouds.
        named("aws configure", "aws configure set aws_secret_access_key @"),
        ("aws credentials file", "[default]\naws_secret_access_key = @\nregion = x", random(40)),
        ("aws session token", "export AWS_SESSION_TOKEN=\"@\"", random(200)),
        ("azure storage", "az storage blob list --account-key @", format!("{}==", random(86))),
        ("azure client secret by shape", "echo @", format!("q7Z8Q~{}", random(34))),
        (
            "azure sas",
            "azcopy cp 'https://x.example/c?sv=2022&sig=@' .",
            format!("{}%3D", random(43)),
        ),
        ("gcp refresh token", "echo @", format!("1//0{}", random(60))),
        (
            "gcp service account",
            "{\"type\": \"service_account\", \"private_key\": \"@\", \"client_id\": \"1\"}",
            block(&format!("{} KEY", "PRIVATE"), &random(64)).replace('\n', "\\n"),
        ),
        ("firebase", "echo @", format!("AAAAq7Zt2Lw:APA91b{}", random(134))),
        (
            "heroku by name",
            "HEROKU_API_KEY=@ heroku apps",
            "01234567-89ab-cdef-0123-456789abcdef".to_owned(),
        ),
        ("heroku by shape", "echo @", format!("HRKU-{}", random(60))),
        ("alibaba", "echo @", format!("LTAI5t{}", random(18))),
        // Code and packages.
        ("gitlab runner", "echo @", format!("GR13{}{}", "48941", random(20))),
        ("npmrc basic", "//registry.example.org/:_auth=@", format!("{}==", random(30))),
        ("npm config", "npm config set //registry.example.org/:_authToken @", random(36)),
        ("pypirc", "[pypi]\nusername = __token__\npassword = @\n", format!("pypi-{}", random(90))),
        ("poetry", "poetry config pypi-token.pypi @", format!("pypi-{}", random(90))),
        named("composer", "{\"http-basic\": {\"x.example\": {\"password\": \"@\"}}}"),
        ("git credential store", "https://joe:@@github.com", random(30)),
        ("cargo", "cargo login @", format!("cio{}", random(110))),
        ("artifactory", "echo @", format!("AKCp{}", random(69))),
        // Messengers, mail, payment, data.
        ("slack config", "echo @", format!("xoxe.xoxp-1-{}", random(60))),
        ("mailchimp", "echo @", format!("{}-us12", &HEX[..32])),
        (
            "discord webhook",
            "curl https://discord.com/api/webhooks/@",
            format!("123456789012345678/{}", random(68)),
        ),
        ("square", "echo @", format!("EAAA{}", random(60))),
        ("paypal", "echo '@'", format!("access_token$production${}${}", random(16), &HEX[..32])),
        ("dropbox", "echo @", format!("sl.{}", random(130))),
        ("notion", "echo @", format!("secret_{}", random(43))),
        ("airtable", "echo @", format!("pat{}.{HEX}", random(14))),
        ("mapbox", "echo @", format!("sk.eyJ{}.{}", random(70), random(22))),
        ("pulumi", "echo @", format!("pul-{}", &HEX[..40])),
        ("vault legacy", "echo @", format!("s.{}", random(24))),
        ("terraform", "echo @", format!("{}.atlasv1.{}", random(14), random(67))),
        ("laravel", "APP_KEY=@", format!("base64:{}=", random(43))),
        ("django", "SECRET_KEY = '@'", format!("django-insecure-{}", random(50))),
        ("rails", "SECRET_KEY_BASE=@", format!("{HEX}{HEX}")),
        ("sentry dsn", "SENTRY_DSN=https://@@o1.ingest.example/2", HEX[..32].to_owned()),
        // Keys and seeds.
        (
            "openssh key",
            "cat > k <<E\n@\nE",
            block(&format!("OPENSSH {} KEY", "PRIVATE"), &random(70)),
        ),
        ("ec key", "echo '@'", block(&format!("EC {} KEY", "PRIVATE"), &random(64))),
        ("encrypted key", "echo '@'", block(&format!("ENCRYPTED {} KEY", "PRIVATE"), &random(64))),
        (
            "pgp key",
            "gpg --import <<E\n@\nE",
            block(
                &format!("PGP {} KEY BLOCK", "PRIVATE"),
                &format!("Version: GnuPG v2\n\n{}", random(64)),
            ),
        ),
        ("putty key", "cat > k.ppk <<E\n@\nE", putty),
        ("age key", "echo @", format!("AGE-SECRET-KEY-1{}", UPPER.repeat(4))),
        ("wallet key", "echo @", format!("xprv9s21{}", random(103))),
        (
            "bitcoin key",
            "echo @",
            format!("K{}", "wdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"),
        ),
        (
            "seed phrase",
            "MNEMONIC='@' node sign.js",
            "abandonment ability aboveboard absentee absorbing abstractly".to_owned(),
        ),
        ("one-time password", "echo 'otpauth://totp/x?secret=@&issuer=y'", UPPER.replace('0', "A")),
        // Databases.
        named("careless address", "psql postgres://app:Q/@@db.example.org/app"),
        named("redis address", "redis-cli -u redis://:@@cache.example.org:6379"),
        named("mongodb address", "mongosh 'mongodb+srv://app:@@c0.example.org/x?w=1'"),
        named("jdbc", "java -Durl='jdbc:mysql://h/x?user=a&password=@' A"),
        named("oracle", "sqlplus scott/@@db"),
        named("pgpass", "localhost:5432:app:joe:password=@"),
        named("mysql quoted", "mysql -uroot -p'@' shop"),
        ("mysql with blanks", "mysql -uroot -p'@' shop", "correcthorse batterystaple".to_owned()),
        (
            "mysql with separators",
            "mysql -uroot -p'@' shop",
            "correcthorse;batterystaple|x".to_owned(),
        ),
        // Arguments of programs.
        (
            "quoted with blanks",
            "tool --password 'x @' --verbose",
            "correcthorse batterystaple".to_owned(),
        ),
        ("escaped blank", "PASSWORD=x\\ @ tool", "correcthorse".to_owned()),
        ("escaped quote", "PASSWORD=\"x\\\"y @\" tool", "correcthorse".to_owned()),
        ("pieces", "TOKEN='correctho'\"@\" tool", "rsebatterystaple".to_owned()),
        ("ansi quotes", "PASSWORD=$'@' tool", "correcthorse".to_owned()),
        ("dollar in single quotes", "PASSWORD='$@' tool", "correcthorse1".to_owned()),
        named("sudo fed by a pipe", "echo '@' | sudo -S apt-get update"),
        named("sudo fed by a here-string", "sudo -S id <<< \"@\""),
        named("chpasswd", "echo joe:@ | chpasswd"),
        named("printf to passwd", "printf '%s\\n%s\\n' @ x | sudo passwd joe"),
        named("docker login by pipe", "echo @ | docker login -u joe --password-stdin"),
        named("docker login", "docker login -u joe -p @ registry.example.org"),
        named("htpasswd", "htpasswd -bc /etc/users joe @"),
        named("httpie", "http -a joe:@ example.org"),
        named("curl cookie option", "curl -b 'sid=@' https://example.org"),
        ("oauth bearer option", "curl --oauth2-bearer @ https://example.org", random(30)),
        named("smbclient", "smbclient //h/s -U joe%@"),
        named("zip", "zip -P @ a.zip b"),
        named("openssl key", "openssl enc -aes-256-cbc -k @ -in a"),
        named("ldap", "ldapsearch -x -D cn=admin -w @ -b dc=x"),
        named("keytool", "keytool -list -keystore k -storepass @"),
        named("ansible", "ansible all -e ansible_become_password=@"),
        named("kubectl literal", "kubectl create secret generic x --from-literal=password=@"),
        named("helm value", "helm install x y --set auth.password=@"),
        named("terraform variable", "terraform apply -var 'db_password=@'"),
        named("windows", "setx DB_PASSWORD @1234abcd"),
        // Files.
        named("netrc on one line", "machine example.org login joe password @"),
        named("netrc on several", "machine example.org\n  login joe\n  password @\n"),
        (
            "kubeconfig key",
            "users:\n- name: x\n  user:\n    client-key-data: @\n",
            format!("LS0tLS1{}", random(120)),
        ),
        ("kubeconfig token", "users:\n- user:\n    token: @\n", random(40)),
        (
            "docker auth",
            "{\"auths\": {\"x.example\": {\"auth\": \"@\"}}}",
            format!("{}==", random(30)),
        ),
        ("dotenv", "A=1\nMAIL_PASSWORD=@\nB=2\n", secret()),
        ("dotenv export", "export STRIPE_KEY='@'", format!("rk_{}_{}", "live", random(30))),
        ("cookie line", "GET / HTTP/1.1\nHost: x\nCookie: a=b; session=@; c=d\n", random(30)),
        ("set-cookie", "Set-Cookie: id=@; Path=/; HttpOnly\n", random(30)),
        (
            "digest header",
            "curl -H 'Authorization: Digest username=\"j\", response=\"@\"' x",
            HEX[..32].to_owned(),
        ),
        ("discord bot header", "curl -H 'X: Bot @' x", random(40)),
        named("private token header", "curl -H 'PRIVATE-TOKEN: @' https://gitlab.example.org"),
        named("xml", "<add key=\"x\" password=\"@\" />"),
        named("xml element", "<password>@</password>"),
        named("ini", "[smtp]\npassword : @\n"),
        named("toml", "api_token = \"@\""),
        named("php", "define('DB_PASSWORD', '@');"),
        named("php array", "'password' => '@',"),
        named("go", "Password: \"@\","),
        named("sql", "CREATE USER joe WITH PASSWORD '@'"),
        named("sql identified", "CREATE USER joe IDENTIFIED BY '@'"),
        ("powershell", "$env:API_KEY = '@'", secret()),
    ]
}
