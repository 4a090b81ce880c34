//! Every event fits its schema, and the chain can be verified from events alone.

use crate::{ROOMY, all_kinds, log, read, recorder};
use aegish_events::{Host, ecs, ocsf};
use aegish_test_support::folder::Folder;
use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fs::OpenOptions;
use std::io::Write as _;

fn schema(name: &str) -> jsonschema::Validator {
    let path = format!("{}/schemas/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

fn events(folder: &Folder) -> Vec<Value> {
    let host = Host::new(Some("h1"), &log(folder));
    read(&log(folder)).iter().flat_map(|line| ocsf(line, &host)).collect()
}

fn assert_fits(schema: &jsonschema::Validator, event: &Value) {
    let errors: Vec<String> = schema.iter_errors(event).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{event:#}\n{errors:#?}");
}

#[test]
fn every_event_fits_the_schema_of_its_class() {
    let folder = Folder::new("events-ocsf");
    let mut recorder = recorder(&folder, ROOMY);
    all_kinds(&mut recorder);
    // A writer that died leaves a stump, and the next one says so.
    OpenOptions::new().append(true).open(log(&folder)).unwrap().write_all(b"{\"cut").unwrap();
    recorder.record(&crate::allowed(1)).unwrap();
    let events = events(&folder);
    let classes = [
        (1007, schema("ocsf-process-activity")),
        (2004, schema("ocsf-detection-finding")),
        (0, schema("ocsf-base-event")),
    ];
    let mut counts = [0; 3];
    for event in &events {
        let at = classes.iter().position(|(class, _)| event["class_uid"] == *class).unwrap();
        assert_fits(&classes[at].1, event);
        counts[at] += 1;
        let (class, activity) = (&event["class_uid"], &event["activity_id"]);
        let wanted = class.as_u64().unwrap() * 100 + activity.as_u64().unwrap();
        assert_eq!(event["type_uid"], wanted);
    }
    // A warning, one that was answered for, one that was handed on, and a block are findings.
    assert_eq!(counts, [10, 4, 1]);
    let block = events.iter().find(|event| event["is_alert"] == true).unwrap();
    assert_eq!(block["finding_info"]["title"], "critical-file-read");
    assert_eq!((&block["disposition_id"], &block["action_id"]), (&2.into(), &2.into()));
    // A schema that takes everything would prove nothing.
    let mut wrong = block.clone();
    wrong["finding_info"].as_object_mut().unwrap().remove("uid");
    assert!(!classes[1].1.is_valid(&wrong));
    wrong = block.clone();
    wrong["verdict"] = "block".into();
    assert!(!classes[1].1.is_valid(&wrong));
}

#[test]
fn the_chain_is_verified_from_the_events_alone() {
    let folder = Folder::new("events-chain");
    all_kinds(&mut recorder(&folder, ROOMY));
    let launches: Vec<Value> =
        events(&folder).into_iter().filter(|event| event["class_uid"] == 1007).collect();
    let mut before: Option<Value> = None;
    for event in launches {
        let raw = event["raw_data"].as_str().unwrap();
        let hash = HEXLOWER.encode(&Sha256::digest(raw.as_bytes()));
        assert_eq!(event["attestation"]["fingerprint"]["value"], hash);
        if let Some(before) = &before {
            let previous = &event["attestation"]["prev_event"];
            assert_eq!(previous["uid"], before["metadata"]["uid"]);
            assert_eq!(previous["fingerprint"], before["attestation"]["fingerprint"]);
        } else {
            assert!(event["attestation"].get("prev_event").is_none());
        }
        before = Some(event);
    }
}

#[test]
fn every_document_fits_the_common_schema() {
    let folder = Folder::new("events-ecs");
    all_kinds(&mut recorder(&folder, ROOMY));
    let host = Host::new(Some("h1"), &log(&folder));
    let schema = schema("ecs");
    let documents: Vec<Value> =
        read(&log(&folder)).iter().filter_map(|line| ecs(line, &host)).collect();
    assert_eq!(documents.len(), 9);
    for document in &documents {
        assert_fits(&schema, document);
    }
    let block = documents.iter().find(|document| document["event"]["kind"] == "alert").unwrap();
    assert_eq!(block["process"]["command_line"], "cat /etc/shadow");
    assert_eq!(block["event"]["type"], serde_json::json!(["start", "denied"]));
    let ended = &documents[2];
    assert_eq!(ended["process"]["entity_id"], documents[1]["process"]["entity_id"]);
    assert_eq!(ended["event"]["duration"], 12_000_000);
}
