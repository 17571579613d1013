import { afterEach, expect, it } from "vitest";
import type { WebhookCall } from "../../../../src/apiserver/http/webhook-caller.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { conversionDefinition, definitionName, definitions, group } from "../../../support/conversion-steps.js";
import { type JsonResponse, sendJson } from "../../../support/send-json.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";
import {
  type ConversionRequest,
  convertAll,
  convertEndpoint,
  faults,
} from "../../../support/webhooks/conversion-webhook.js";

interface Body {
  message?: string;
  metadata: { resourceVersion: string; labels?: object };
  spec: object;
  items: { metadata: { name: string }; spec: object }[];
  status: { storedVersions: string[] };
}

let server: ApiServer;
let calls: (WebhookCall & { body: { apiVersion: string; request: ConversionRequest } })[] = [];
let answer: (request: ConversionRequest) => unknown = convertAll;

afterEach(async () => {
  calls = [];
  answer = convertAll;
  await server.close();
});

const call = (method: string, path: string, body?: unknown, type?: string): Promise<JsonResponse<Body>> =>
  sendJson(server, { method, path, body, type });

const at = (version: string, rest = ""): string => `/apis/${group}/${version}/namespaces/default/endpoints${rest}`;
const endpoint = (version: string, name: string, spec: object): object => ({
  apiVersion: `${group}/${version}`,
  kind: "Endpoint",
  metadata: { name },
  spec,
});
const asked = (): string[] =>
  calls.map(({ body }) => `${body.request.objects.length} to ${body.request.desiredAPIVersion.split("/")[1]!}`);

async function start(
  storage = "v1",
  webhook: object = { clientConfig: { url: "https://hook/convert" }, conversionReviewVersions: ["v1"] },
  options: Parameters<typeof createApiServer>[0] = {},
): Promise<void> {
  server = createApiServer({
    controllers: false,
    webhooks: async (one) => {
      calls.push(one as (typeof calls)[number]);
      const { apiVersion, request } = one.body as { apiVersion: string; request: ConversionRequest };
      return { apiVersion, kind: "ConversionReview", response: await answer(request) };
    },
    ...options,
  });
  expect(
    (await call("POST", definitions, conversionDefinition(storage, { strategy: "Webhook", webhook }))).status,
  ).toBe(201);
  await server.settled();
}

const store = async (storage: string): Promise<void> => {
  const { versions } = conversionDefinition(storage, {})["spec"] as { versions: unknown };
  expect((await call("PATCH", `${definitions}/${definitionName}`, { spec: { versions } })).status).toBe(200);
  await server.settled();
};

it("conversion webhook is called as its definition says", async () => {
  await start("v1", {
    clientConfig: { service: { namespace: "ops", name: "hook", path: "/convert" }, caBundle: "Zm9v" },
    conversionReviewVersions: ["v9", "v1beta1", "v1"],
  });
  await call("POST", at("v2"), endpoint("v2", "a", { host: "h", port: "1" }));
  const [first] = calls;
  expect(first).toMatchObject({
    url: "https://hook.ops.svc:443/convert",
    caBundle: "Zm9v",
    timeoutMs: 30_000,
    body: { apiVersion: "apiextensions.k8s.io/v1beta1", kind: "ConversionReview" },
  });
  const { uid, desiredAPIVersion, objects } = first!.body.request;
  expect([typeof uid, desiredAPIVersion]).toEqual(["string", `${group}/v1`]);
  expect(objects[0]).toMatchObject({
    apiVersion: `${group}/v2`,
    kind: "Endpoint",
    metadata: { name: "a" },
    spec: { host: "h", port: "1", weight: 5 },
  });
  expect(objects[0]!.metadata).not.toHaveProperty("resourceVersion");
});

it("conversion webhook failures explain why the call failed", async () => {
  await start(
    "v1",
    { clientConfig: { url: "https://hook/convert" }, conversionReviewVersions: ["v1"] },
    { webhooks: () => Promise.reject(new Error("no route")) },
  );
  await call("POST", at("v1"), endpoint("v1", "a", { hostPort: "h:1" }));
  expect(await call("GET", at("v2", "/a"))).toMatchObject({
    status: 500,
    body: { message: `conversion webhook for ${group}/v1, Kind=Endpoint failed: no route` },
  });
});

it.each([
  "reports a failure",
  "drops objects",
  "doesn't change the version",
  "changes a name",
  "has a label that isn't a string",
  "has no response",
])("conversion webhook response is rejected if it %s", async (name) => {
  await start();
  await call("POST", at("v1"), endpoint("v1", "a", { hostPort: "h:1" }));
  answer = faults[name]!;
  expect((await call("GET", at("v2", "/a"))).status).toBe(500);
});

it("conversion webhook converts a list in one call, and only once", async () => {
  await start();
  for (const name of ["a", "b", "c"]) await call("POST", at("v1"), endpoint("v1", name, { hostPort: `${name}:1` }));
  expect(calls).toEqual([]);
  const { body } = await call("GET", at("v2"));
  expect(body.items.map(({ spec }) => spec)).toEqual([
    { host: "a", port: "1" },
    { host: "b", port: "1" },
    { host: "c", port: "1" },
  ]);
  await call("GET", at("v2", "?limit=2"));
  expect((await call("GET", at("v2", "?fieldSelector=spec.host%3Db"))).body.items).toHaveLength(1);
  expect(asked()).toEqual(["3 to v2"]);
  await call("GET", at("v2", "/a"));
  expect(asked()).toEqual(["3 to v2", "1 to v2"]);
});

it("conversion webhook lists of any length are split into batches", async () => {
  await start();
  const objects = Array.from({ length: 1200 }, (_, index) =>
    endpoint("v1", `e-${String(index).padStart(4, "0")}`, { hostPort: `h:${index}` }),
  );
  await server.load(objects);
  const { body } = await call("GET", at("v2"));
  expect(body.items.map(({ spec }) => (spec as { port: string }).port)).toEqual(
    objects.map((_, index) => String(index)),
  );
  expect(asked()).toEqual(["500 to v2", "500 to v2", "200 to v2"]);
});

it("conversion webhook failure stores nothing", async () => {
  await start();
  await call("POST", at("v1"), endpoint("v1", "a", { hostPort: "h:1" }));
  const before = (await call("GET", at("v1"))).body.metadata.resourceVersion;
  answer = faults["reports a failure"]!;
  const statuses = [
    await call("POST", at("v2"), endpoint("v2", "b", { host: "h" })),
    await call("PATCH", at("v2", "/a"), { spec: { port: "2" } }),
    await call(
      "PATCH",
      at("v2", "/b?fieldManager=m"),
      endpoint("v2", "b", { host: "h" }),
      "application/apply-patch+yaml",
    ),
    await call("DELETE", at("v2", "/a")),
  ].map(({ status }) => status);
  expect(statuses).toEqual([500, 500, 500, 500]);
  expect((await call("GET", at("v1"))).body).toMatchObject({
    metadata: { resourceVersion: before },
    items: [{ metadata: { name: "a" } }],
  });
});

it("conversion webhook: create fails with 409 if the name is taken during the call", async () => {
  await start();
  answer = (request) => {
    answer = convertAll;
    void call("POST", at("v1"), endpoint("v1", "a", { hostPort: "first:1" }));
    return new Promise((resolve) => void setImmediate(() => resolve(convertAll(request))));
  };
  expect((await call("POST", at("v2"), endpoint("v2", "a", { host: "second", port: "2" }))).status).toBe(409);
  expect((await call("GET", at("v1", "/a"))).body.spec).toEqual({ hostPort: "first:1" });
});

it("conversion webhook migrates objects to a new storage version on writes", async () => {
  await start();
  for (const name of ["a", "b"]) await call("POST", at("v1"), endpoint("v1", name, { hostPort: `${name}:1` }));
  await store("v2");
  expect((await call("GET", `${definitions}/${definitionName}`)).body.status.storedVersions).toEqual(["v1", "v2"]);
  const before = (await call("GET", at("v2", "/a"))).body.metadata.resourceVersion;
  const rewritten = (await call("PATCH", at("v2", "/a"), {})).body.metadata.resourceVersion;
  expect(Number(rewritten)).toBeGreaterThan(Number(before));
  expect((await call("PATCH", at("v2", "/a"), {})).body.metadata.resourceVersion).toBe(rewritten);
  calls = [];
  expect((await call("GET", at("v2"))).body.items.map(({ spec }) => spec)).toEqual([
    { host: "a", port: "1", weight: 5 },
    { host: "b", port: "1" },
  ]);
  await call("GET", at("v2", "/a"));
  expect(calls.flatMap(({ body }) => body.request.objects.map(({ metadata }) => metadata["name"]))).not.toContain("a");
  expect(server.dump({ kinds: ["Endpoint"] }).map((object) => object.apiVersion)).toEqual([
    `${group}/v2`,
    `${group}/v1`,
  ]);
});

it("conversion webhook: a version in storedVersions can't be removed", async () => {
  await start();
  await call("POST", at("v1"), endpoint("v1", "a", { hostPort: "h:1" }));
  await store("v2");
  const { versions } = conversionDefinition("v2", {})["spec"] as { versions: { name: string }[] };
  const without = { spec: { versions: versions.filter(({ name }) => name !== "v1") } };
  expect((await call("PATCH", `${definitions}/${definitionName}`, without)).status).toBe(422);
  expect(
    (await call("PATCH", `${definitions}/${definitionName}/status`, { status: { storedVersions: ["v2"] } })).status,
  ).toBe(200);
  expect((await call("PATCH", `${definitions}/${definitionName}`, without)).status).toBe(200);
  await server.settled();
  expect(await call("GET", at("v2", "/a"))).toMatchObject({
    status: 500,
    body: { message: `request to convert CR from an invalid group/version: ${group}/v1` },
  });
});

it("conversion webhook watches get all changes in order, and end when a conversion fails", async () => {
  await start();
  const controller = new AbortController();
  const response = await server.handle(
    new Request(`http://server${at("v2", "?watch=1")}`, { signal: controller.signal }),
  );
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  // Make the first conversion the slowest.
  let waits = 3;
  answer = async (request) => {
    for (let turn = (waits -= 1); turn > 0; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
    return convertAll(request);
  };
  for (const port of ["1", "2", "3"])
    await (port === "1"
      ? call("POST", at("v1"), endpoint("v1", "a", { hostPort: "h:1" }))
      : call("PATCH", at("v1", "/a"), { spec: { hostPort: `h:${port}` } }));
  await call("DELETE", at("v1", "/a"));
  let text = "";
  while (text.split("\n").length < 5) {
    const { done, value } = await reader.read();
    expect(done, text).toBe(false);
    text += value!;
  }
  const events = text
    .trim()
    .split("\n")
    .map(
      (line) =>
        JSON.parse(line) as { type: string; object: { spec: { port: string }; metadata: { resourceVersion: string } } },
    );
  expect(events.map(({ type, object }) => `${type} ${object.spec.port}`)).toEqual([
    "ADDED 1",
    "MODIFIED 2",
    "MODIFIED 3",
    "DELETED 3",
  ]);
  expect(events.map(({ object }) => Number(object.metadata.resourceVersion))).toEqual(
    [...events.map(({ object }) => Number(object.metadata.resourceVersion))].sort((x, y) => x - y),
  );
  answer = faults["reports a failure"]!;
  await call("POST", at("v1"), endpoint("v1", "b", { hostPort: "h:1" }));
  expect(await reader.read()).toEqual({ done: true, value: undefined });
  controller.abort();
});

it("conversion webhook watch gets an error event if its initial objects can't be converted", async () => {
  await start();
  await call("POST", at("v1"), endpoint("v1", "a", { hostPort: "h:1" }));
  answer = faults["reports a failure"]!;
  const response = await server.handle(new Request(`http://server${at("v2", "?watch=1")}`));
  expect(JSON.parse(await response.text())).toMatchObject({
    type: "ERROR",
    object: { code: 500, message: `conversion webhook for ${group}/v1, Kind=Endpoint failed: no way back` },
  });
});

it("conversion webhook watches end a second after their definition changes", async () => {
  const clock = createVirtualClock();
  await start("v1", undefined, { clock });
  const response = await server.handle(new Request(`http://server${at("v2", "?watch=1")}`));
  const reader = response.body!.getReader();
  const ended = reader.read();
  await store("v2");
  let done = false;
  void ended.then(() => (done = true));
  await clock.advance(900);
  expect(done).toBe(false);
  await clock.advance(200);
  expect(await ended).toEqual({ done: true, value: undefined });
});

it("conversion webhook keeps managed fields of both versions apart", async () => {
  await start();
  const apply = (version: string, manager: string, spec: object, force = false): Promise<JsonResponse<Body>> =>
    call(
      "PATCH",
      at(version, `/a?fieldManager=${manager}${force ? "&force=true" : ""}`),
      endpoint(version, "a", spec),
      "application/apply-patch+yaml",
    );
  await apply("v2", "two", { host: "h", port: "1" });
  expect(await apply("v1", "one", { hostPort: "h:1" })).toMatchObject({ status: 200 });
  const conflict = await apply("v2", "three", { port: "3" });
  expect([conflict.status, conflict.body.message]).toEqual([
    409,
    'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.hostPort\nconflicts with "two":\n- .spec.port',
  ]);
  expect((await apply("v2", "three", { port: "3" }, true)).status).toBe(200);
  expect((await call("GET", at("v1", "/a"))).body.spec).toEqual({ hostPort: "h:3" });
  answer = ({ uid, desiredAPIVersion, objects }) => ({
    uid,
    result: { status: "Success" },
    convertedObjects: objects.map((object) => ({
      ...convertEndpoint(object, desiredAPIVersion),
      spec: { left: "over" },
    })),
  });
  expect((await apply("v1", "one", { hostPort: "h:4" })).status).toBe(500);
});
