// Records the answers of a real kube-apiserver to objects with one invalid field, as data for the unit tests.
//
// PROBE_KUBECONFIG=… tsx test/differential/record.ts [NAME]…
import { writeFileSync } from "node:fs";
import type { Answer, Recorded } from "../golden/validation/causes.js";
import { causesOf, recordedKinds } from "../golden/validation/causes.js";
import { realServer } from "./servers.js";
import { objectOf, variants } from "./topics/fuzz.js";
import { kindFixtures } from "./topics/kinds.js";

const kubeconfig = process.env["PROBE_KUBECONFIG"];
if (kubeconfig === undefined) throw new Error("PROBE_KUBECONFIG is required: the kubeconfig of a kube-apiserver");
const server = realServer(kubeconfig);
const headers = { "user-agent": "probe/1", authorization: "Bearer admin-token", "content-type": "application/json" };
const namespace = `record-${Date.now().toString(36)}`;

async function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await server.send(
    method,
    path.replaceAll("${ns}", namespace),
    method === "PATCH" ? { ...headers, "content-type": "application/merge-patch+json" } : headers,
    body === undefined ? undefined : JSON.stringify(body).replaceAll("${ns}", namespace),
  );
  return {
    status: answer.status,
    warning: answer.headers["warning"],
    json: answer.body.length === 0 ? {} : JSON.parse(new TextDecoder().decode(answer.body)),
  };
}

await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
for (const fixture of kindFixtures) {
  if (!recordedKinds.includes(fixture.name) || (process.argv.length > 2 && !process.argv.includes(fixture.name)))
    continue;
  const object = objectOf(fixture, fixture.rich, "probe");
  const path = `${fixture.collection}/${(object["metadata"] as { name: string }).name}`;
  const recorded: Recorded = { messages: [], create: {}, update: {} };
  // A part of the pods is enough, because they are the largest kind.
  const pods = fixture.name === "pods";
  for (const [name, changed] of variants(object)) {
    if (pods && !/=(absent|empty|bad|zero|negative|null-item|twice|flipped)$/.test(name)) continue;
    const causes = causesOf(await send("POST", `${fixture.collection}?dryRun=All`, changed), recorded.messages);
    if (causes !== undefined) recorded.create[name] = causes;
  }
  await send("POST", fixture.collection, object);
  for (const [name, changed] of pods ? [] : variants(object)) {
    const { resourceVersion } = ((await send("GET", path)).json as { metadata: { resourceVersion: string } }).metadata;
    const causes = causesOf(
      await send("PUT", `${path}?dryRun=All`, {
        ...changed,
        metadata: { ...(changed["metadata"] as object), resourceVersion },
      }),
      recorded.messages,
    );
    if (causes !== undefined) recorded.update[name] = causes;
  }
  await send("PATCH", path, { metadata: { finalizers: null } });
  await send("DELETE", `${path}?gracePeriodSeconds=0`);
  const part = (cases: Recorded["create"]): string =>
    `{\n${Object.entries(cases)
      .map(([name, causes]) => `  ${JSON.stringify(name)}: ${JSON.stringify(causes)}`)
      .join(",\n")}\n }`;
  writeFileSync(
    new URL(`../golden/validation/${fixture.name}.json`, import.meta.url),
    `{\n "messages": [\n${recorded.messages.map((text) => `  ${JSON.stringify(text)}`).join(",\n")}\n ],\n "create": ${part(recorded.create)},\n "update": ${part(recorded.update)}\n}\n`,
  );
  console.log(
    `${fixture.name}: ${Object.keys(recorded.create).length} creates, ${Object.keys(recorded.update).length} updates`,
  );
}
await server.close();
