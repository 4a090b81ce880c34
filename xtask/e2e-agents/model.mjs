// A model fake on loopback. The prompt of a request names a file with the calls to ask for. The fake asks for one after
// the other: as many results of tools as a request holds, as many calls are done. Then it says "done". Speaks the
// protocols of Anthropic, OpenAI and Google. Prints its port; writes the results of tools to a log.
import { createServer } from "node:http";
import { appendFileSync, readFileSync } from "node:fs";

const [log] = process.argv.slice(2);
const record = (line) => log && appendFileSync(log, line + "\n");

// The file: {"anthropic":{"tool":"Bash","key":"command"},…,"commands":["ls",…]}
const wanted = (text, protocol, done) => {
  const file = /CALLS:(\S+?\.json)/.exec(text)?.[1];
  if (!file) return undefined;
  const { commands, ...tools } = JSON.parse(readFileSync(file, "utf8"));
  if (done >= commands.length) return undefined;
  const { tool, key } = tools[protocol];
  // OpenCode waits that long, in milliseconds, for a shell that was killed.
  const more = { anthropic: { description: "a call" }, chat: { description: "a call", timeout: 8000 }, google: { description: "a call" } };
  return [tool, { [key]: commands[done], ...more[protocol] }];
};

// A request repeats the results of all calls so far.
const last = (results) => results.length && record("RESULT " + JSON.stringify(results.at(-1)));

const events = (response, list) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of list) {
    response.write((name ? `event: ${name}\n` : "") + `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
};

const json = (response, data) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(data));
};

const anthropic = (body, response) => {
  const blocks = body.messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
  const results = blocks.filter((block) => block.type === "tool_result");
  last(results);
  const call = body.tools?.length ? wanted(JSON.stringify(body.messages), "anthropic", results.length) : undefined;
  const message = { id: "msg_1", type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
  const block = call
    ? { type: "tool_use", id: "toolu_" + process.hrtime.bigint(), name: call[0], input: {} }
    : { type: "text", text: "" };
  const delta = call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call[1]) }
    : { type: "text_delta", text: "done" };
  const stop_reason = call ? "tool_use" : "end_turn";
  if (!body.stream) {
    return json(response, { ...message, content: [call ? { ...block, input: call[1] } : { type: "text", text: "done" }], stop_reason });
  }
  events(response, [
    ["message_start", { type: "message_start", message }],
    ["content_block_start", { type: "content_block_start", index: 0, content_block: block }],
    ["content_block_delta", { type: "content_block_delta", index: 0, delta }],
    ["content_block_stop", { type: "content_block_stop", index: 0 }],
    ["message_delta", { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } }],
    ["message_stop", { type: "message_stop" }],
  ]);
};

const openaiResponses = (body, response) => {
  const input = Array.isArray(body.input) ? body.input : [];
  const results = input.filter((item) => /_call_output$/.test(item.type ?? ""));
  last(results);
  const call = wanted(JSON.stringify(input), "responses", results.length);
  const item = call
    ? { type: "function_call", id: "fc_" + results.length, call_id: "call_" + results.length, name: call[0], arguments: JSON.stringify(call[1]) }
    : { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "done" }] };
  const done = { id: "resp_1", object: "response", status: "completed", output: [item], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } };
  events(response, [
    ["response.created", { type: "response.created", response: { id: "resp_1" } }],
    ["response.output_item.done", { type: "response.output_item.done", output_index: 0, item }],
    ["response.completed", { type: "response.completed", response: done }],
  ]);
};

const openaiChat = (body, response) => {
  const results = body.messages.filter((message) => message.role === "tool");
  last(results);
  const call = body.tools?.length ? wanted(JSON.stringify(body.messages), "chat", results.length) : undefined;
  const delta = call
    ? { role: "assistant", tool_calls: [{ index: 0, id: "call_" + results.length, type: "function", function: { name: call[0], arguments: JSON.stringify(call[1]) } }] }
    : { role: "assistant", content: "done" };
  const chunk = (delta, finish_reason) => ({ id: "c1", object: "chat.completion.chunk", created: 1, model: body.model, choices: [{ index: 0, delta, finish_reason }] });
  if (!body.stream) {
    return json(response, { id: "c1", object: "chat.completion", created: 1, model: body.model, choices: [{ index: 0, message: delta, finish_reason: call ? "tool_calls" : "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
  }
  events(response, [
    [null, chunk(delta, null)],
    [null, { ...chunk({}, call ? "tool_calls" : "stop"), usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }],
    [null, "[DONE]"],
  ]);
};

const google = (body, response, stream) => {
  const parts = (body.contents ?? []).flatMap((content) => content.parts ?? []);
  const results = parts.filter((part) => part.functionResponse);
  last(results);
  const call = body.tools?.length ? wanted(JSON.stringify(body.contents), "google", results.length) : undefined;
  const part = call ? { functionCall: { name: call[0], args: call[1] } } : { text: "done" };
  const answer = { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
  if (stream) events(response, [[null, answer]]);
  else json(response, answer);
};

const server = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => {
    record(`${request.method} ${request.url}`);
    let body = {};
    try {
      body = text ? JSON.parse(text) : {};
      const path = request.url.split("?")[0];
      if (path.endsWith("/count_tokens")) return json(response, { input_tokens: 1 });
      if (path.endsWith(":countTokens")) return json(response, { totalTokens: 1 });
      if (path.endsWith("/messages")) return anthropic(body, response);
      if (path.endsWith("/responses")) return openaiResponses(body, response);
      if (path.endsWith("/chat/completions")) return openaiChat(body, response);
      if (path.includes(":streamGenerateContent")) return google(body, response, true);
      if (path.includes(":generateContent")) return google(body, response, false);
      json(response, { data: [], models: [] });
    } catch (error) {
      record("ERROR " + error.stack);
      response.writeHead(400).end(String(error));
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
