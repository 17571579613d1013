import { expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { Pod, ServiceAccount } from "../../../src/kinds/core/v1.js";
import { checkAccess } from "../../../src/operations/check-access.js";
import { requestToken } from "../../../src/operations/request-token.js";
import { bodyOf, scripted } from "../client/scripted-transport.js";

type Review = [
  what: string,
  verb: string,
  target: Parameters<typeof checkAccess>[2],
  options: Parameters<typeof checkAccess>[3],
  kind: "self" | "",
  spec: object,
];
it.each<Review>([
  [
    "a kind",
    "get",
    Pod,
    {},
    "self",
    { resourceAttributes: { verb: "get", group: "", version: "v1", resource: "pods" } },
  ],
  [
    "a subresource of an object",
    "get",
    [Pod, "log"],
    { namespace: "x", name: "a" },
    "self",
    {
      resourceAttributes: {
        verb: "get",
        group: "",
        version: "v1",
        resource: "pods",
        subresource: "log",
        namespace: "x",
        name: "a",
      },
    },
  ],
  ["a non-resource path", "get", "/metrics", {}, "self", { nonResourceAttributes: { path: "/metrics", verb: "get" } }],
  [
    "objects that match selectors",
    "list",
    Pod,
    { namespace: "web", labelSelector: "app=web", fieldSelector: "spec.nodeName=n" },
    "self",
    {
      resourceAttributes: {
        verb: "list",
        group: "",
        version: "v1",
        resource: "pods",
        namespace: "web",
        labelSelector: { rawSelector: "app=web" },
        fieldSelector: { rawSelector: "spec.nodeName=n" },
      },
    },
  ],
  [
    "another user with groups",
    "get",
    Pod,
    { subject: { user: "jane", groups: ["g"] }, labelSelector: "a=b" },
    "",
    {
      resourceAttributes: { verb: "get", resource: "pods", labelSelector: { rawSelector: "a=b" } },
      user: "jane",
      groups: ["g"],
    },
  ],
  [
    "a subresource and another user with extra fields",
    "list",
    [Pod, "log"],
    { name: "a", subject: { user: "jane", extra: { scope: ["x"] } } },
    "",
    {
      resourceAttributes: { verb: "list", group: "", version: "v1", resource: "pods", subresource: "log", name: "a" },
      user: "jane",
      extra: { scope: ["x"] },
    },
  ],
])("checkAccess sends a review for %s", async (_what, verb, target, options, kind, spec) => {
  const transport = scripted({
    status: 201,
    body: { status: { allowed: false, denied: true, reason: "no", evaluationError: "half" } },
  });
  const client = createClient({ transport });
  expect(await checkAccess(client, verb, target, options)).toEqual({
    allowed: false,
    denied: true,
    reason: "no",
    evaluationError: "half",
  });
  expect(transport.requests[0]!.path).toBe(`/apis/authorization.k8s.io/v1/${kind}subjectaccessreviews`);
  expect(bodyOf(transport.requests[0])).toMatchObject({ spec });
});

it("requestToken sends audiences, lifetime and bound object", async () => {
  const transport = scripted({
    body: {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      status: { token: "t", expirationTimestamp: "2026-01-01T00:00:00Z" },
    },
  });
  const accounts = createClient({ transport }).resource(ServiceAccount).namespace("web");
  expect(
    await requestToken(accounts, "robot", {
      audiences: ["vault"],
      expirationSeconds: 600,
      boundTo: { kind: "Pod", name: "a", uid: "u" },
    }),
  ).toEqual({ token: "t", expirationTimestamp: "2026-01-01T00:00:00Z" });
  expect(bodyOf(transport.requests[0])).toMatchObject({
    spec: {
      audiences: ["vault"],
      expirationSeconds: 600,
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "a", uid: "u" },
    },
  });
});
