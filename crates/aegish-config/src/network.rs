//! How far connections go: the value of `AEGISH_NET`.

use aegish_policy::AllowedHost;
use std::fmt;

/// How far programs connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// Everywhere.
    Open,
    /// By TCP to these ports.
    Ports(Vec<u16>),
    /// To these hosts, through a proxy.
    Hosts(Vec<AllowedHost>),
    /// By TCP to this machine.
    Loopback,
    /// Nowhere.
    Off,
}

impl Network {
    /// Reads `open`, `ports:443,22`, `hosts:example.org`, `loopback` or `off`; the error says what to write instead.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let text = text.to_ascii_lowercase();
        match text.as_str() {
            "open" => return Ok(Self::Open),
            "loopback" => return Ok(Self::Loopback),
            "off" => return Ok(Self::Off),
            _ => {}
        }
        if let Some(list) = text.strip_prefix("hosts:") {
            let hosts: Result<_, _> =
                list.split(',').map(|host| AllowedHost::new(host.trim())).collect();
            return hosts.map(Self::Hosts);
        }
        let list = text.strip_prefix("ports:").unwrap_or_default();
        let ports: Result<Vec<u16>, _> = list.split(',').map(|port| port.trim().parse()).collect();
        match ports {
            Ok(ports) if !ports.contains(&0) => Ok(Self::Ports(ports)),
            _ => Err("write open, ports:443,22, hosts:example.org,*.example.net, loopback or off"
                .to_owned()),
        }
    }

    /// Whether it goes nowhere where the other does not.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Open) | (Self::Off, _) => true,
            (Self::Ports(own), Self::Ports(ports)) => own.iter().all(|port| ports.contains(port)),
            (Self::Hosts(own), Self::Hosts(hosts)) => {
                own.iter().all(|one| hosts.iter().any(|host| host.covers(one)))
            }
            _ => self == other,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("open"),
            Self::Loopback => f.write_str("loopback"),
            Self::Off => f.write_str("off"),
            Self::Hosts(hosts) => {
                let hosts: Vec<String> = hosts.iter().map(AllowedHost::to_string).collect();
                write!(f, "hosts:{}", hosts.join(","))
            }
            Self::Ports(ports) => {
                let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
                write!(f, "ports:{}", ports.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_read_and_written() {
        for text in
            ["open", "ports:443,22", "hosts:example.org,*.example.net:22", "loopback", "off"]
        {
            assert_eq!(Network::read(text).map(|read| read.to_string()), Ok(text.to_owned()));
        }
        for wrong in [
            "",
            "ports:",
            "ports:x",
            "ports:0",
            "ports:70000",
            "443",
            "on",
            "hosts:",
            "hosts:https://x/",
        ] {
            assert!(Network::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn less_is_tighter() {
        let network = |text| Network::read(text).unwrap_or(Network::Open);
        let within = |one, other| network(one).is_within(&network(other));
        assert!(
            within("off", "loopback") && within("ports:1", "ports:1,2") && within("off", "ports:1")
        );
        assert!(!within("loopback", "ports:1") && !within("ports:1,3", "ports:1,2"));
        assert!(
            within("hosts:a.example.org", "hosts:*.example.org,b") && within("hosts:a", "open")
        );
        assert!(!within("hosts:a,b", "hosts:a") && !within("hosts:a", "ports:443"));
        assert!(!within("open", "loopback") && within("loopback", "open"));
    }
}
