// Responses of kube-apiserver 1.36 to the probes of the topic `conditions`, step by step.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import type { Step } from "../../../differential/probe.js";
import { conditions } from "../../../differential/topics/conditions.js";
import { outcomeOf } from "../../../support/outcome.js";
import { shortState } from "./short-state.js";

const recorded = JSON.parse(readFileSync(new URL("conditions.json", import.meta.url), "utf8")) as [
  id: string,
  answers: (Record<string, unknown> | null)[],
][];
let server: ApiServer;

async function send(step: Step, variables: Record<string, string>): Promise<Record<string, unknown>> {
  const { method, path, json, raw, headers } = JSON.parse(
    JSON.stringify(step).replace(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole),
  ) as Step;
  if (step.pauseMs !== undefined) await server.settled();
  const body = json === undefined ? raw : JSON.stringify(json);
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method,
      headers: {
        "user-agent": "probe/1",
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as string }),
    }),
  );
  const answer = (await response.json()) as Record<string, unknown>;
  for (const [name, pointer] of Object.entries(step.capture ?? {}))
    variables[name] = String(
      pointer
        .split("/")
        .slice(1)
        .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], answer),
    );
  return shortState(response.status, answer, variables["ns"]!);
}

beforeAll(async () => {
  server = createApiServer({ controllers: false });
  await send(
    { method: "POST", path: "/api/v1/namespaces", json: { metadata: { name: "recorded-1" } } },
    { ns: "recorded-1" },
  );
});
afterAll(() => server.close());

describe("recorded conditions that the server maintains", () => {
  it.each(recorded)("%s", async (id, answers) => {
    const variables = { ns: "recorded-1" };
    for (const [at, step] of conditions.probes.find((probe) => probe.id === id)!.steps.entries()) {
      const answer = await send(step, variables);
      if (answers[at] !== null) expect({ at, ...outcomeOf(answer) }).toEqual({ at, ...outcomeOf(answers[at]!) });
    }
  });
});
