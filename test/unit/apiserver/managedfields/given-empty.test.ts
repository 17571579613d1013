// Whose fields are what was given as empty, or not given at all: what a real kube-apiserver 1.36 answered.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";

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
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method,
      headers: { "content-type": type, "user-agent": "a/1" },
      body: JSON.stringify(body),
    }),
  );
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as Answer;
}

/** The managers that own a field somewhere. */
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
  ["a list in an atomic list that is empty", roles, role({ resourceNames: [] }), "rules", ["b"]],
  ["an atomic list without empty ones", roles, role({}), "rules", ["a"]],
  ["a quantity in an atomic list that was not given", pods, pod({}), "items", ["b"]],
  ["one that was given", pods, pod({ divisor: "1m" }), "items", ["a"]],
])("%s, sent once more, has these owners", async (_, collection, object, field, owners) => {
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

it("what a node can allocate is nobody's where it was given as nothing, and all there is", async () => {
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
