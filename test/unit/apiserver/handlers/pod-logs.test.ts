// Responses of kube-apiserver 1.36 to requests for logs that no kubelet answers.
import { afterAll, beforeAll, expect, it } from "vitest";
import { clusterDefaults } from "../../../../src/apiserver/registry/features.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const server = createApiServer({ controllers: false });
/** Server without the feature gate PodLogsQuerySplitStreams. */
const usual = createApiServer({ controllers: false, ...clusterDefaults });
const pods = "/api/v1/namespaces/default/pods";

beforeAll(async () => {
  const spec = { containers: [{ name: "c", image: "i" }] };
  await sendJson(server, { method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "there" } } });
  await sendJson(usual, { method: "POST", path: pods, body: { metadata: { name: "pending" }, spec } });
  for (const [name, nodeName] of [["pending"], ["lost", "missing"], ["bound", "there"]])
    await sendJson(server, { method: "POST", path: pods, body: { metadata: { name }, spec: { ...spec, nodeName } } });
});
afterAll(async () => {
  await server.close();
  await usual.close();
});

it.each([
  ["pending", "", 204, undefined],
  ["pending", "sinceTime=", 204, undefined],
  ["pending", "sinceTime=2026-01-01T00:00:00.5%2B01:00", 204, undefined],
  ["pending", "sinceTime=2026-01-01", 400, "BadRequest"],
  ["pending", "sinceTime=2026-13-01T00:00:00Z", 400, "BadRequest"],
  ["pending", "sinceTime=2026-01-01T00:00:00Z&sinceSeconds=5", 422, "Invalid"],
  ["lost", "", 404, "NotFound"],
  ["bound", "", 500, undefined],
])("logs of the pod %s with %j: %i", async (pod, query, status, reason) => {
  const response = await server.handle(new Request(`http://server${pods}/${pod}/log?${query}`));
  expect(response.status).toBe(status);
  const text = await response.text();
  expect(text === "" ? undefined : (JSON.parse(text) as { reason?: string }).reason).toBe(reason);
});

const forbidden = "FieldValueForbidden stream";
const unsupported = "FieldValueNotSupported stream";
const exclusive = "FieldValueForbidden []";
it.each([
  ["stream=Stdout", [], [forbidden]],
  ["stream=Stderr&limitBytes=1", [], [forbidden]],
  ["stream=All&tailLines=1", [], [forbidden]],
  ["stream=stdout", [unsupported], [forbidden]],
  ["stream=", [unsupported], [forbidden]],
  ["stream=Stdout&tailLines=1", [exclusive], [forbidden]],
  [
    "stream=Other&tailLines=-1",
    ["FieldValueInvalid tailLines", unsupported, exclusive],
    ["FieldValueInvalid tailLines", forbidden],
  ],
])("logs with %j have the errors %j, and %j without PodLogsQuerySplitStreams", async (query, split, joined) => {
  for (const [to, expected] of [
    [server, split],
    [usual, joined],
  ] as const) {
    const response = await to.handle(new Request(`http://server${pods}/pending/log?${query}`));
    const text = await response.text();
    const { details } = JSON.parse(text || "{}") as { details?: { causes: { reason: string; field: string }[] } };
    expect(details?.causes.map(({ reason, field }) => `${reason} ${field}`) ?? []).toEqual(expected);
  }
});
