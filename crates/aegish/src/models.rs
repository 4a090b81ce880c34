//! `aegish models`: who is asked, in which order, at what price, and whether they answer.

use crate::args::{Format, ModelsOptions};
use crate::configuration;
use aegish_judge::price::Price;
use aegish_judge::{HealthStatus, Judge, KeyState, Member, ModelHealth, ProviderSetup, accounts};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use serde::Serialize;

pub(crate) fn run(options: &ModelsOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let judge = options.chain.judge(&config)?;
    let health = if options.check { judge.health() } else { Vec::new() };
    let accounts = accounts(&|name| config.get(name));
    match options.format {
        Format::Text => {
            chain(&judge, &health, screen);
            screen.end();
            providers(&accounts, screen);
        }
        Format::Json => {
            let list = list(&judge, &health, &accounts);
            let json = serde_json::to_string(&list)
                .map_err(|error| Failure::internal(format!("nothing was listed: {error}")))?;
            screen.put(json).end();
        }
    }
    let answers = |found: &ModelHealth| matches!(found.status, HealthStatus::Healthy { .. });
    let silent = options.check && !health.iter().any(answers);
    Ok(if silent { ExitKind::Failure } else { ExitKind::Allow })
}

fn chain(judge: &Judge, health: &[ModelHealth], screen: &mut Screen) {
    screen.paint(Style::Strong, "Models, in the order in which they are asked").end();
    let members = judge.members();
    let width = members.iter().map(|member| member.model.len()).max().unwrap_or(0);
    for (place, member) in (1..).zip(&members) {
        screen
            .put(format_args!("  {place}  "))
            .paint(Style::Strong, visible(&format!("{:<width$}", member.model)));
        screen.put("  ");
        match &member.place {
            Ok(address) => {
                screen.paint(Style::Good, "ready").put(format_args!("  {}", visible(address)))
            }
            Err(why) => screen
                .paint(Style::Doubtful, "not asked")
                .put(format_args!("  {}", visible(&why.to_string()))),
        };
        screen.end();
        screen.put("     ").paint(Style::Faint, price_words(member.price)).end();
        if let Some(found) = status_of(health, member) {
            screen.put("     ");
            match found {
                HealthStatus::Healthy { latency, opinion } => screen
                    .paint(Style::Good, "answers")
                    .put(format_args!(" after {:.2} s: {}", latency.as_secs_f64(), opinion.action)),
                HealthStatus::Unhealthy(note) => screen
                    .paint(Style::Bad, "does not answer")
                    .put(format_args!(": {}", visible(&note.to_string()))),
            };
            screen.end();
        }
    }
}

fn status_of<'a>(health: &'a [ModelHealth], member: &Member) -> Option<&'a HealthStatus> {
    health.iter().find(|found| found.model == member.model).map(|found| &found.status)
}

fn price_words(price: Option<&Price>) -> String {
    let Some(price) = price else { return "price not known".to_owned() };
    match price.per_command {
        Some(flat) => format!("${flat} per command ({})", price.as_of),
        None => format!(
            "${} per million tokens read, ${} written ({})",
            price.input, price.output, price.as_of
        ),
    }
}

fn providers(accounts: &[ProviderSetup], screen: &mut Screen) {
    screen.paint(Style::Strong, "Providers").end();
    let width = accounts.iter().map(|account| account.provider.len()).max().unwrap_or(0);
    for account in accounts {
        screen.put(format_args!("  {:<width$}  ", account.provider));
        match account.key {
            KeyState::Found(variable) => {
                screen.paint(Style::Good, "key in ").put(variable);
            }
            KeyState::Missing => {
                let variables = account.key_variables.join(" or ");
                screen.paint(Style::Faint, "no key; set ").put(variables);
            }
            KeyState::NotNeeded => {
                screen.put("needs no key");
            }
        }
        match &account.address {
            Some(address) => screen.paint(Style::Faint, format_args!("  {}", visible(address))),
            None => screen.paint(
                Style::Faint,
                format_args!("  no address; set {}", account.address_variables.join(" or ")),
            ),
        };
        screen.end();
    }
    screen.put("  openai-api/NAME/MODEL asks any compatible server at NAME_BASE_URL").end();
}

#[derive(Serialize)]
struct JsonModels<'a> {
    models: Vec<JsonModel>,
    providers: Vec<JsonProvider<'a>>,
}

#[derive(Serialize)]
struct JsonModel {
    position: usize,
    model: String,
    ready: bool,
    address: Option<String>,
    why_not: Option<String>,
    price: Option<JsonCost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    health: Option<ModelState>,
}

#[derive(Serialize)]
struct JsonCost {
    input_usd_per_million: f64,
    output_usd_per_million: f64,
    cached_input_usd_per_million: Option<f64>,
    usd_per_command: Option<f64>,
    as_of: &'static str,
    source: &'static str,
}

#[derive(Serialize)]
struct ModelState {
    healthy: bool,
    latency_ms: Option<f64>,
    opinion: Option<&'static str>,
    note: Option<String>,
}

#[derive(Serialize)]
struct JsonProvider<'a> {
    provider: &'static str,
    aliases: &'static [&'static str],
    key: &'static str,
    key_found_in: Option<&'static str>,
    key_variables: &'static [&'static str],
    address: Option<&'a str>,
    address_variables: &'static [&'static str],
}

fn list<'a>(
    judge: &Judge,
    health: &[ModelHealth],
    accounts: &'a [ProviderSetup],
) -> JsonModels<'a> {
    let members = judge.members();
    let models = (1..)
        .zip(members)
        .map(|(position, member)| JsonModel {
            position,
            health: status_of(health, &member).map(state),
            ready: member.place.is_ok(),
            why_not: member.place.as_ref().err().map(ToString::to_string),
            address: member.place.ok(),
            price: member.price.map(cost),
            model: member.model,
        })
        .collect();
    let provider = |account: &'a ProviderSetup| JsonProvider {
        provider: account.provider,
        aliases: account.aliases,
        key: match account.key {
            KeyState::Found(_) => "found",
            KeyState::Missing => "missing",
            KeyState::NotNeeded => "not needed",
        },
        key_found_in: match account.key {
            KeyState::Found(variable) => Some(variable),
            KeyState::Missing | KeyState::NotNeeded => None,
        },
        key_variables: account.key_variables,
        address: account.address.as_deref(),
        address_variables: account.address_variables,
    };
    JsonModels { models, providers: accounts.iter().map(provider).collect() }
}

fn cost(price: &Price) -> JsonCost {
    JsonCost {
        input_usd_per_million: price.input,
        output_usd_per_million: price.output,
        cached_input_usd_per_million: price.cached_input,
        usd_per_command: price.per_command,
        as_of: price.as_of,
        source: price.source,
    }
}

fn state(status: &HealthStatus) -> ModelState {
    match status {
        HealthStatus::Healthy { latency, opinion } => ModelState {
            healthy: true,
            latency_ms: Some((latency.as_secs_f64() * 1e6).round() / 1e3),
            opinion: Some(opinion.action.as_str()),
            note: None,
        },
        HealthStatus::Unhealthy(note) => ModelState {
            healthy: false,
            latency_ms: None,
            opinion: None,
            note: Some(note.to_string()),
        },
    }
}
