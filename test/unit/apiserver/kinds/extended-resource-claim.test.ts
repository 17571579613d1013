// Errors of kube-apiserver 1.36 for the claim in the status of a pod.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";

const path = "/api/v1/namespaces/default/pods";
let server: ApiServer;

async function send(method: string, to: string, body: object, type = "application/json"): Promise<Response> {
  return server.handle(
    new Request(`http://server${to}`, { method, headers: { "content-type": type }, body: JSON.stringify(body) }),
  );
}

beforeAll(async () => {
  server = createApiServer({ controllers: false });
  const container = { name: "main", image: "web:1", resources: { limits: { "example.com/gpu": "1" } } };
  const spec = { nodeName: "node-1", initContainers: [{ ...container, name: "init" }], containers: [container] };
  expect((await send("POST", path, { metadata: { name: "web" }, spec })).status).toBe(201);
});
afterAll(() => server.close());

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const main = { containerName: "main", resourceName: "example.com/gpu", requestName: "r" };

it.each<[title: string, claim: object, errors: string[]]>([
  ["with mappings", { resourceClaimName: "c", requestMappings: [main, { ...main, containerName: "init" }] }, []],
  [
    "without mappings",
    { resourceClaimName: "c" },
    ["requestMappings: Required value: at least one request mapping is required"],
  ],
  ["without a name", { requestMappings: [main] }, ["resourceClaimName: Required value"]],
  [
    "with an invalid name",
    { resourceClaimName: "A_", requestMappings: [main] },
    [`resourceClaimName: Invalid value: "A_": ${subdomain}`],
  ],
  [
    "with another container",
    { resourceClaimName: "c", requestMappings: [{ ...main, containerName: "x" }] },
    [
      'requestMappings[0].containerName: Invalid value: "x": must match the name of an entry in spec.initContainers.name or spec.containers.name',
    ],
  ],
  [
    "with a resource that the container doesn't request",
    { resourceClaimName: "c", requestMappings: [{ ...main, resourceName: "example.com/x" }] },
    [
      'requestMappings[0].resourceName: Invalid value: "example.com/x": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
    ],
  ],
  [
    "with an invalid request",
    { resourceClaimName: "c", requestMappings: [{ ...main, requestName: "a/b" }] },
    [`requestName: Invalid value: "a/b": ${label}`],
  ],
  [
    "with a mapping twice",
    { resourceClaimName: "c", requestMappings: [main, main] },
    [
      'requestMappings[1].containerName: Duplicate value: "main"',
      'requestMappings[1].resourceName: Duplicate value: "example.com/gpu"',
      'requestMappings[1].requestName: Duplicate value: "r"',
    ],
  ],
])("a pod status has a claim for extended resources %s", async (_, extendedResourceClaimStatus, errors) => {
  const response = await send(
    "PATCH",
    `${path}/web/status?dryRun=All`,
    { status: { extendedResourceClaimStatus } },
    "application/merge-patch+json",
  );
  const { details } = (await response.json()) as { details?: { causes: { field: string; message: string }[] } };
  const found = details?.causes.map(({ field, message }) => `${field}: ${message}`) ?? [];
  expect([response.status, found]).toEqual([
    errors.length === 0 ? 200 : 422,
    errors.map((error) => `status.extendedResourceClaimStatus.${error}`),
  ]);
});
