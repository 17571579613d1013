import { afterEach, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
afterEach(() => server.close());

interface Answer {
  readonly items: {
    metadata: { name: string; labels: Record<string, string> };
    spec: Record<string, unknown>;
    status: { conditions: { type: string; status: string; reason: string }[] };
  }[];
}

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await sendJson<Answer>(server, { method, path: `/apis/${path}`, body });
  expect(answer.status).toBeLessThan(300);
  await server.settled();
  return answer.body;
}

const definition = (plural: string, served: Record<string, boolean>): object => {
  const schema = { openAPIV3Schema: { type: "object" } };
  const versions = Object.entries(served).map(([name, on], index) => ({
    name,
    served: on,
    storage: index === 0,
    schema,
  }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.reg.dev` },
    spec: { group: "reg.dev", scope: "Namespaced", names: { plural, kind: plural }, versions },
  };
};
const definitions = "apiextensions.k8s.io/v1/customresourcedefinitions";
const registrations = "apiregistration.k8s.io/v1/apiservices";
const ofGroup = async (): Promise<string[]> =>
  (await call("GET", registrations)).items
    .filter(({ spec }) => spec["group"] === "reg.dev")
    .map(({ metadata }) => metadata.name);

it("the server's own APIServices exist and are available from the start", async () => {
  server = createApiServer({ controllers: false });
  const { items } = await call("GET", registrations);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(
    expect.arrayContaining(["v1.", "v1.apps", "v1.apiextensions.k8s.io", "v2.autoscaling"]),
  );
  for (const { metadata, status } of items)
    expect([metadata.labels["kube-aggregator.kubernetes.io/automanaged"], status.conditions[0]]).toMatchObject([
      "onstart",
      { type: "Available", status: "True", reason: "Local" },
    ]);
});

it("each served version of a custom kind has an APIService", async () => {
  server = createApiServer({ controllers: false });
  await call("POST", definitions, definition("as", { v1: true, v2: true, v3: false }));
  await call("POST", definitions, definition("bs", { v2: true }));
  expect(await ofGroup()).toEqual(["v1.reg.dev", "v2.reg.dev"]);
  const v1 = (await call("GET", registrations)).items.find(({ metadata }) => metadata.name === "v1.reg.dev")!;
  expect(v1).toMatchObject({
    metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": "true" } },
    spec: { group: "reg.dev", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
  });
  await call("DELETE", `${registrations}/v2.reg.dev`);
  expect(await ofGroup()).toEqual(["v1.reg.dev", "v2.reg.dev"]);
  await call("DELETE", `${definitions}/as.reg.dev`);
  expect(await ofGroup()).toEqual(["v2.reg.dev"]);
  await call("PATCH", `${definitions}/bs.reg.dev`, {
    spec: { versions: [{ name: "v2", served: false, storage: true, schema: { openAPIV3Schema: { type: "object" } } }] },
  });
  expect(await ofGroup()).toEqual([]);
});
