#!/usr/bin/env python3
"""Checks the events of `aegish audit` by schemas and readers of others.

    python3 scripts/check-events.py AEGISH

Makes an audit log, exports it, and compares

- OCSF with the published schema, as the package `ocsf-json-schema` carries it (1.8.0; the profile Record Integrity is
  newer, so its attribute is checked apart),
- ECS with Elastic's own types (`@elastic/ecs` of npm) by the TypeScript compiler,
- OTLP with the official protobufs (`opentelemetry-proto`), in a collector that is gone at first, then refuses, then takes.

Needs npm and the Python packages `ocsf-json-schema`, `jsonschema`, `opentelemetry-proto`.
"""

import copy
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import jsonschema
from ocsf_json_schema import OcsfJsonSchemaEmbedded, get_ocsf_schema
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

COMMANDS = ["ls", "cat /etc/shadow", "false", "echo hi; exit 3", "npm i left-pad", 'eval "$(./x)"', "kill -9 $$"]
OCSF = "1.8.0"
# The attributes of the object in ocsf-schema, objects/attestation.json.
ATTESTATION = {"uid", "authority_uid", "signatures", "fingerprint", "prev_event", "chain_uid"}
TYPES = ["@elastic/ecs@9.4.0", "typescript@5"]
# Expected event types of the categories, from Elastic's page about event.category.
EXPECTED = {
    "process": {"access", "change", "end", "info", "start"},
    "intrusion_detection": {"allowed", "denied", "info"},
}


def check_ocsf(lines):
    schema = OcsfJsonSchemaEmbedded(get_ocsf_schema(version=OCSF))

    def errors(event):
        event = copy.deepcopy(event)
        attestation = event.pop("attestation")
        assert set(attestation) <= ATTESTATION and "fingerprint" in attestation, attestation
        profiles = [name for name in event["metadata"]["profiles"] if name != "record_integrity"]
        event["metadata"]["profiles"] = profiles
        name = schema.lookup_class_name_from_uid(event["class_uid"])
        validator = jsonschema.Draft202012Validator(schema.get_class_schema(name, profiles))
        return [f"{'/'.join(map(str, error.path))}: {error.message[:200]}" for error in validator.iter_errors(event)]

    events = [json.loads(line) for line in lines]
    found = [error for event in events for error in errors(event)]
    # A schema that takes everything would prove nothing.
    for spoil in ({"verdict": "block"}, {"severity_id": "high"}, {"disposition_id": 4711}):
        assert errors({**events[0], **spoil}), spoil
    without = copy.deepcopy(events[0])
    del without["process"]
    assert errors(without)
    return len(events), found


def check_ecs(lines, folder):
    documents = [json.loads(line) for line in lines]
    found = []
    for document in documents:
        event = document["event"]
        expected = set().union(*(EXPECTED[name] for name in event["category"]))
        if not set(event["type"]) <= expected:
            found.append(f"event.type {event['type']} is not expected for {event['category']}")
    subprocess.run(["npm", "init", "-y"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["npm", "install", "--silent", *TYPES], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    rows = "".join(f"export const d{n}: Own = {json.dumps(each)};\n" for n, each in enumerate(documents))
    wrong = copy.deepcopy(documents[0])
    wrong["process"]["cmdline"] = "x"
    (folder / "check.ts").write_text(
        'import type { Ecs } from "@elastic/ecs";\n'
        # Fields of a vendor's own are allowed under a name of its own.
        "type Own = Ecs & { aegish: Record<string, unknown> };\n"
        f"{rows}// @ts-expect-error a field that is none\nexport const wrong: Own = {json.dumps(wrong)};\n"
    )
    options = ["--noEmit", "--strict", "--skipLibCheck", "--moduleResolution", "node", "--target", "es2020"]
    run = subprocess.run(["npx", "tsc", *options, "check.ts"], cwd=folder, capture_output=True, text=True)
    return len(documents), found + run.stdout.splitlines()


class Collector(ThreadingHTTPServer):
    """Takes OTLP over HTTP, or refuses it."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.lines, self.verdicts, self.refused = 200, [], 0, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        server = self.server
        if server.status != 200:
            server.refused += 1
        elif self.path == "/v1/logs":
            request = ExportLogsServiceRequest.FromString(body)
            for resource in request.resource_logs:
                names = {pair.key for pair in resource.resource.attributes}
                assert {"service.name", "host.name"} <= names, names
                for scope in resource.scope_logs:
                    for record in scope.log_records:
                        assert record.time_unix_nano and record.severity_number
                        server.lines.append(record.body.string_value)
        elif self.path == "/v1/metrics":
            request = ExportMetricsServiceRequest.FromString(body)
            for resource in request.resource_metrics:
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        if metric.name == "aegish.verdicts":
                            assert metric.sum.is_monotonic
                            server.verdicts += sum(point.as_int for point in metric.sum.data_points)
        else:
            raise AssertionError(self.path)
        self.send_response(server.status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def check_otlp(aegish, environment, log):
    def send(port, seconds=20):
        command = [aegish, "audit", "send", "--to", f"http://127.0.0.1:{port}", "--once"]
        try:
            run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
            return run.returncode, run.stderr.strip()
        except subprocess.TimeoutExpired:
            return None, "still trying"

    collector = Collector()
    expected = log.read_text().splitlines()
    gone = send(1, 3)
    collector.status = 503
    refused = send(collector.server_port, 3)
    assert collector.refused and not collector.lines
    collector.status = 200
    taken, again = send(collector.server_port), send(collector.server_port)
    found = []
    if collector.lines != expected:
        found.append(f"{len(collector.lines)} lines were taken of {len(expected)}, or in another order")
    decisions = sum(json.loads(line)["event"] == "decision" for line in expected)
    if collector.verdicts != decisions:
        found.append(f"aegish.verdicts is {collector.verdicts}, and there are {decisions} decisions")
    print(f"  collector gone: {gone}; refuses: {refused}; takes: {taken}; once more: {again}")
    return len(expected), found


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    aegish = str(Path(sys.argv[1]).resolve())
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "HOME": name}
        for command in COMMANDS:
            run = [aegish, "-c", command]
            subprocess.run(run, cwd=name, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        time.sleep(0.1)

        def export(form):
            command = [aegish, "audit", "export", "--format", form]
            run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            return run.stdout.splitlines()

        log = folder / ".aegish" / "audit.log"
        types = folder / "types"
        types.mkdir()
        for what, check in (
            (f"OCSF {OCSF}", lambda: check_ocsf(export("ocsf"))),
            ("ECS", lambda: check_ecs(export("ecs"), types)),
            ("OTLP", lambda: check_otlp(aegish, environment, log)),
        ):
            count, errors = check()
            print(f"{what}: {count} events, {len(errors)} errors")
            for error in errors[:20]:
                print(f"  {error}")
            failed |= bool(errors) or count == 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
