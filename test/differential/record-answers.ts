// Writes down what a real kube-apiserver answers to the last step of each probe of a topic, as data for the unit tests.
//   PROBE_KUBECONFIG=… tsx test/differential/record-answers.ts TOPIC [ID-PREFIX]…
import { writeFileSync } from "node:fs";
import { shortAnswer } from "../unit/apiserver/recorded/short-answer.js";
import type { Step } from "./probe.js";
import { realServer } from "./servers.js";
import { topics } from "./topics/index.js";

const kubeconfig = process.env["PROBE_KUBECONFIG"];
if (kubeconfig === undefined) throw new Error("PROBE_KUBECONFIG names no kubeconfig of a kube-apiserver");
const [name = "", ...prefixes] = process.argv.slice(2);
const topic = topics.find((each) => each.name === name);
if (topic === undefined) throw new Error(`no topic ${name}`);
const server = realServer(kubeconfig);
const ns = `record-${Date.now().toString(36)}`;

async function send(step: Step): Promise<Parameters<typeof shortAnswer>[0]> {
  const { method, path, json, until } = JSON.parse(JSON.stringify(step).replaceAll("${ns}", ns)) as Step;
  const headers = { authorization: "Bearer admin-token", ...(json === undefined ? {} : { "content-type": "application/json" }) };
  const body = json === undefined ? undefined : JSON.stringify(json);
  let answer = await server.send(method, path, headers, body);
  for (let tries = 0; until !== undefined && answer.status !== until && tries < 60; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    answer = await server.send(method, path, headers, body);
  }
  return { status: answer.status, warning: answer.headers["warning"] ?? "", body: JSON.parse(new TextDecoder().decode(answer.body)) as Record<string, unknown> };
}

for (const step of [{ method: "POST", path: "/api/v1/namespaces", json: { metadata: { name: ns } } } as const, ...(topic.setup ?? [])]) await send(step);
const recorded: string[] = [];
for (const probe of topic.probes) {
  if (prefixes.length > 0 && !prefixes.some((prefix) => probe.id.startsWith(prefix))) continue;
  let last: Parameters<typeof shortAnswer>[0] | undefined;
  for (const step of probe.steps) last = await send(step);
  recorded.push(JSON.stringify([probe.id, shortAnswer(last!, ns)]));
}
writeFileSync(new URL(`../unit/apiserver/recorded/${name}.json`, import.meta.url), `[\n${recorded.join(",\n")}\n]\n`);
await server.close();
