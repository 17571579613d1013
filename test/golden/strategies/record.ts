// Creates the inputs on a real kube-apiserver and records the stored and printed results. Run it by hand on a fresh
// server, where the objects remain:
//
// KUBESTREAM_URL=https://127.0.0.1:PORT KUBESTREAM_TOKEN=admin-token npx tsx test/golden/strategies/record.ts
import { writeFileSync } from "node:fs";
import { Agent, request } from "undici";
import { inputs } from "./inputs.js";
import { invalidInputs } from "./invalid.js";
import { updates } from "./updates.js";

const url = process.env["KUBESTREAM_URL"] ?? "";
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
const headers = { authorization: `Bearer ${process.env["KUBESTREAM_TOKEN"] ?? ""}`, "content-type": "application/json" };

async function send(method: "GET" | "POST" | "PATCH", path: string, body?: unknown, accept = "application/json"): Promise<{ status: number; body: unknown }> {
  const response = await request(url + path, { method, dispatcher, headers: { ...headers, accept, ...(method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {}) }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await response.body.text();
  return { status: response.statusCode, body: JSON.parse(text) };
}

const recorded: Record<string, unknown> = {};
await send("POST", "/api/v1/namespaces", { metadata: { name: "strategies" } });
for (const input of inputs) {
  const { name } = input.body["metadata"] as { name: string };
  const answer = await send("POST", `${input.path}?fieldManager=golden`, input.body);
  const table = answer.status === 201 ? await send("GET", `${input.path}/${name}?includeObject=Object`, undefined, "application/json;as=Table;v=v1;g=meta.k8s.io") : undefined;
  recorded[input.name] = { status: answer.status, stored: answer.body, ...(table === undefined ? {} : { table: table.body }) };
}
const refused: Record<string, unknown> = {};
for (const input of invalidInputs) refused[input.name] = (await send("POST", input.path, input.body)).body;
const updated: Record<string, unknown> = {};
await send("POST", "/api/v1/namespaces", { metadata: { name: "changes" } });
for (const update of updates) {
  await send("POST", update.path, update.body);
  const { name } = update.body["metadata"] as { name: string };
  updated[update.name] = (await send("PATCH", `${update.path}/${name}${update.subresource === undefined ? "" : `/${update.subresource}`}`, update.patch)).body;
}
writeFileSync(new URL("updated.json", import.meta.url), `${JSON.stringify(strip(updated), undefined, 1)}\n`);
writeFileSync(new URL("refused.json", import.meta.url), `${JSON.stringify(strip(refused), undefined, 1)}\n`);
writeFileSync(new URL("recorded.json", import.meta.url), `${JSON.stringify(strip(recorded), undefined, 1)}\n`);
await dispatcher.close();

/**
 * Removes parts that differ between runs (random UIDs become one) and the text of descriptions, which is upstream's.
 */
function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value === "string") return value.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !["managedFields", "resourceVersion"].includes(key))
      .map(([key, child]) => [key, key === "description" ? (child === "" ? "" : "<text>") : key === "creationTimestamp" ? "<time>" : strip(child)]),
  );
}
