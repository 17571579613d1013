// Responses of kube-apiserver 1.36 to the steps of the differential prober's probes.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserInfo } from "../../../../src/apiserver/http/user-info.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import type { Step } from "../../../differential/probe.js";
import { optionsOf } from "../../../differential/servers.js";
import { topics } from "../../../differential/topics/index.js";
import type { RecordedProbe } from "../../../golden/steps/answers.js";
import { answerOf, filled, NAMESPACE, recordedTopics } from "../../../golden/steps/answers.js";
import { outcomeOf } from "../../../support/outcome.js";

const users: readonly (readonly [string, UserInfo])[] = [
  ["admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} }],
  ["alice-token", { name: "alice", uid: "alice-uid", groups: ["dev"], extra: {} }],
];

describe.each(Object.keys(recordedTopics))("%s", (name) => {
  const topic = topics.find((each) => each.name === name)!;
  const recorded = JSON.parse(
    readFileSync(new URL(`../../../golden/steps/${name}.json`, import.meta.url), "utf8"),
  ) as RecordedProbe[];
  const probes = new Map(topic.probes.map((probe) => [probe.id, probe]));
  let server: ApiServer;

  async function send(given: Step, variables: Record<string, string>): Promise<Record<string, unknown>> {
    const { method, path, json, raw, token = "admin-token", headers, capture } = filled(given, variables);
    const body = json === undefined ? (raw as string | undefined) : JSON.stringify(json);
    const response = await server.handle(
      new Request(`http://server${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      }),
    );
    const answer = (await response.json()) as Record<string, unknown>;
    for (const [key, pointer] of Object.entries(capture ?? {}))
      variables[key] = String(
        pointer
          .split("/")
          .slice(1)
          .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], answer),
      );
    return answerOf(response.status, response.headers.get("warning") ?? undefined, answer);
  }

  beforeAll(async () => {
    server = createApiServer({
      ...optionsOf(topic.server),
      controllers: false,
      authorizationMode: "RBAC",
      tokens: new Map(users),
    });
    for (const step of [
      { method: "POST", path: "/api/v1/namespaces", json: { metadata: { name: NAMESPACE } } } as const,
      ...(topic.setup ?? []),
    ]) {
      await send(step, { ns: NAMESPACE });
      await server.settled();
    }
  });
  afterAll(() => server.close());

  it.each(recorded)("%s", async (id, wanted) => {
    const variables = { ns: NAMESPACE };
    const got: Record<string, unknown>[] = [];
    for (const step of probes.get(id)!.steps) {
      const answer = await send(step, variables);
      if (step.silent !== true) got.push(answer);
    }
    expect(got.map(outcomeOf)).toEqual(wanted.map(outcomeOf));
  });
});
