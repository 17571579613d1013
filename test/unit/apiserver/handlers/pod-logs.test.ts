// Responses of kube-apiserver 1.36 to requests for logs that no kubelet answers.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const server = createApiServer({ controllers: false });
const pods = "/api/v1/namespaces/default/pods";

beforeAll(async () => {
  const spec = { containers: [{ name: "c", image: "i" }] };
  await sendJson(server, { method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "there" } } });
  for (const [name, nodeName] of [["pending"], ["lost", "missing"], ["bound", "there"]])
    await sendJson(server, { method: "POST", path: pods, body: { metadata: { name }, spec: { ...spec, nodeName } } });
});
afterAll(() => server.close());

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
