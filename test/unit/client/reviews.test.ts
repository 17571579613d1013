import { expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { Pod, ServiceAccount } from "../../../src/kinds/core/v1.js";
import { checkAccess } from "../../../src/operations/check-access.js";
import { requestToken } from "../../../src/operations/request-token.js";
import { bodyOf, scripted } from "./scripted-transport.js";

it.each<[string, Parameters<typeof checkAccess>[2], Parameters<typeof checkAccess>[3], object]>([
  [
    "a list with selectors",
    Pod,
    { namespace: "web", labelSelector: "app=web", fieldSelector: "spec.nodeName=n" },
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
    "a subresource and another user",
    [Pod, "log"],
    { name: "a", subject: { user: "jane", extra: { scope: ["x"] } } },
    {
      resourceAttributes: { verb: "list", group: "", version: "v1", resource: "pods", subresource: "log", name: "a" },
      user: "jane",
      extra: { scope: ["x"] },
    },
  ],
  ["a non-resource path", "/metrics", {}, { nonResourceAttributes: { path: "/metrics", verb: "list" } }],
])("checkAccess sends a review for %s", async (_name, resource, options, spec) => {
  const transport = scripted({
    body: { status: { allowed: false, denied: true, reason: "no", evaluationError: "late" } },
  });
  expect(await checkAccess(createClient({ transport }), "list", resource, options)).toEqual({
    allowed: false,
    denied: true,
    reason: "no",
    evaluationError: "late",
  });
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
