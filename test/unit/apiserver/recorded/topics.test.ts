// What a real kube-apiserver 1.36 answered to probes of the differential prober, the last step of each.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiServer, type ApiServer } from "../../../../src/apiserver/server.js";
import type { Step } from "../../../differential/probe.js";
import { topics } from "../../../differential/topics/index.js";
import { shortAnswer } from "./short-answer.js";

const admin = { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} };
const NS = "recorded-1";

describe.each(["policies", "fuzz", "definition"])("%s", (name) => {
  const topic = topics.find((each) => each.name === name)!;
  const recorded = JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), "utf8")) as [id: string, answer: Record<string, unknown>][];
  const probes = new Map(topic.probes.map((probe) => [probe.id, probe]));
  let server: ApiServer;

  async function send(step: Step): Promise<Parameters<typeof shortAnswer>[0]> {
    const { method, path, json } = JSON.parse(JSON.stringify(step).replaceAll("${ns}", NS)) as Step;
    const headers = { authorization: "Bearer admin-token", ...(json === undefined ? {} : { "content-type": "application/json" }) };
    const response = await server.handle(new Request(`http://server${path}`, { method, headers, ...(json === undefined ? {} : { body: JSON.stringify(json) }) }));
    return { status: response.status, warning: response.headers.get("warning") ?? "", body: (await response.json()) as Record<string, unknown> };
  }

  beforeAll(async () => {
    server = createApiServer({ loops: false, authorizationMode: "RBAC", tokens: new Map([["admin-token", admin]]) });
    for (const step of [{ method: "POST", path: "/api/v1/namespaces", json: { metadata: { name: NS } } } as const, ...(topic.setup ?? [])]) await send(step);
  });
  afterAll(() => server.close());

  it.each(recorded)("%s", async (id, answer) => {
    let last: Parameters<typeof shortAnswer>[0] | undefined;
    for (const step of probes.get(id)!.steps) last = await send(step);
    expect(shortAnswer(last!, NS)).toEqual(answer);
  });
});
