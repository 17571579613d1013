// Owners of empty and missing fields, as recorded from kube-apiserver 1.36.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

interface Answer {
  metadata: { managedFields?: { manager: string; fieldsV1: object }[] };
  status?: Record<string, unknown>;
}

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

async function send(method: string, path: string, body: object, type = "application/json"): Promise<Answer> {
  const answer = await sendJson<Answer>(server, { method, path, body, type, headers: { "user-agent": "a/1" } });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

/** Returns the managers that own a field anywhere. */
const ownersOf = (answer: Answer, field: string): string[] =>
  (answer.metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(`"f:${field}"`))
    .map(({ manager }) => manager);

const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const role = (rule: object): object => ({
  metadata: { name: "x" },
  rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], ...rule }],
});
const pods = "/api/v1/namespaces/default/pods";
const pod = (reference: object, item: object = {}): object => ({
  metadata: { name: "x" },
  spec: {
    containers: [{ name: "c", image: "i" }],
    volumes: [
      {
        name: "v",
        downwardAPI: {
          items: [
            { path: "p", resourceFieldRef: { containerName: "c", resource: "limits.cpu", ...reference }, ...item },
          ],
        },
      },
    ],
  },
});

it.each<[what: string, collection: string, object: object, field: string, owners: readonly string[]]>([
  ["an empty list in an atomic list", roles, role({ resourceNames: [] }), "rules", ["b"]],
  ["an atomic list without empty lists", roles, role({}), "rules", ["a"]],
  ["a missing quantity in an atomic list", pods, pod({}), "items", ["b"]],
  ["an explicit quantity in an atomic list", pods, pod({ divisor: "1m" }), "items", ["a"]],
])("%s has the expected field owners after a second write", async (_, collection, object, field, owners) => {
  await send("POST", collection, object);
  expect(ownersOf(await send("PUT", `${collection}/x?fieldManager=b`, object), field)).toEqual(owners);
  expect(
    ownersOf(
      await send(
        "PATCH",
        `${collection}/x?fieldManager=c`,
        { metadata: { labels: { a: "b" } } },
        "application/strategic-merge-patch+json",
      ),
      field,
    ),
  ).toEqual(owners);
});

it("a node's empty allocatable map has no owner and becomes its capacity", async () => {
  const node = (allocatable: object): object => ({
    metadata: { name: "n" },
    status: { capacity: { cpu: "4" }, ...allocatable },
  });
  await send("POST", "/api/v1/nodes", node({}));
  const answer = await send("PUT", "/api/v1/nodes/n/status?fieldManager=b", node({ allocatable: {} }));
  expect([ownersOf(answer, "allocatable"), answer.status?.["allocatable"]]).toEqual([[], { cpu: "4" }]);
  expect(
    (await send("PUT", "/api/v1/nodes/n/status?fieldManager=b", node({ allocatable: { cpu: "3" } }))).status?.[
      "allocatable"
    ],
  ).toEqual({ cpu: "3" });
});
