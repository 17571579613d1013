import { describe, expect, it } from "vitest";
import { Pod } from "../../../../src/kinds/core/v1.js";
import type { Kind } from "../../../../src/meta/kind.js";
import { setup } from "./resource-setup.js";

describe("resource handle rejects before sending", () => {
  const widgets: Kind<unknown, "Namespaced"> = {
    group: "example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
    custom: true,
  };
  const dynamic: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
  const node: Kind = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" };
  const rows: [string, (s: ReturnType<typeof setup>) => unknown, string][] = [
    ["a name with a slash", ({ pods }) => pods.get("a/log"), 'must not contain "/"'],
    ["an empty name", ({ pods }) => pods.delete(""), "name must not be empty"],
    [
      "a path traversal in the namespace",
      ({ client }) => client.resource(Pod).namespace(".."),
      'namespace must not be ".."',
    ],
    [
      "a namespace that is undefined, which would select all",
      ({ client }) => client.resource(Pod).namespace(process.env["ABSENT"]!),
      "namespace must be a string, not undefined",
    ],
    [
      "a namespace that is null",
      ({ client }) => client.resource(dynamic).namespace(null as unknown as string),
      "namespace must be a string, not null",
    ],
    [
      "a namespaced call without a namespace",
      ({ client }) => client.resource(dynamic).get("a"),
      "call namespace(name) first",
    ],
    ["a namespace for a cluster-scoped kind", ({ client }) => client.resource(node).namespace("a"), "cluster-scoped"],
    ["an update without a name", ({ pods }) => pods.update({ metadata: {} }), "metadata.name is required"],
    [
      "a body that isn't an object",
      ({ pods }) => pods.create(7 as unknown as object),
      "expected an object, not number",
    ],
    ["a body that is null", ({ pods }) => pods.create(null as unknown as object), "expected an object, not null"],
    ["a body that is an array", ({ pods }) => pods.create([] as unknown as object), "not an array"],
    [
      "managed fields in an apply",
      ({ pods }) => pods.apply({ metadata: { name: "a", managedFields: [] } } as never, { fieldManager: "me" }),
      "managedFields must not be set",
    ],
    [
      "an apply without a field manager",
      ({ pods }) => pods.apply({ metadata: { name: "a" } } as never, {} as never),
      "fieldManager is required",
    ],
    [
      "an overlong field manager",
      ({ pods }) => pods.create({}, { fieldManager: "x".repeat(129) }),
      "at most 128 bytes",
    ],
    ["a field manager with a line break", ({ pods }) => pods.create({}, { fieldManager: "a\nb" }), "printable"],
    [
      "a strategic patch of a custom resource",
      ({ client }) =>
        client
          .resource(widgets)
          .namespace("a")
          .patch("a", { type: "strategic", patch: {} } as never),
      "custom resources don't support strategic merge patches",
    ],
    ["an unknown patch type", ({ pods }) => pods.patch("a", { type: "diff" } as never), 'unknown patch type "diff"'],
    [
      "a patch that isn't an object",
      ({ pods }) => pods.patch("a", { type: "merge", patch: "x" } as never),
      "the patch must be an object",
    ],
    [
      "resourceVersionMatch without resourceVersion",
      ({ pods }) => pods.list({ resourceVersionMatch: "Exact" }),
      "resourceVersionMatch requires resourceVersion",
    ],
    [
      "an exact match of resourceVersion 0",
      ({ pods }) => pods.list({ resourceVersionMatch: "Exact", resourceVersion: "0" }),
      'other than "0"',
    ],
    [
      "a resourceVersion with a continue token",
      ({ pods }) => pods.list({ resourceVersion: "7", continue: "t" }),
      "combined with continue",
    ],
    [
      "resourceVersionMatch with a continue token",
      ({ pods }) => pods.list({ resourceVersion: "0", resourceVersionMatch: "NotOlderThan", continue: "t" }),
      "combined with continue",
    ],
    [
      "an unknown resourceVersionMatch",
      ({ pods }) => pods.list({ resourceVersion: "7", resourceVersionMatch: "exact" as never }),
      '"exact"',
    ],
    ["a negative limit", ({ pods }) => pods.list({ limit: -1 }), "limit must be a non-negative integer"],
    [
      "pages with an invalid limit",
      ({ pods }) => pods.pages({ limit: 1.5 }).next(),
      "limit must be a non-negative integer",
    ],
    [
      "listChunks with an invalid limit",
      ({ pods }) => pods.listChunks({ limit: 1.5 }).next(),
      "limit must be a non-negative integer",
    ],
    [
      "a watch with only resourceVersionMatch",
      ({ pods }) => pods.watch({ resourceVersionMatch: "NotOlderThan" }).next(),
      "requires sendInitialEvents",
    ],
    [
      "sendInitialEvents without resourceVersionMatch",
      ({ pods }) => pods.watch({ sendInitialEvents: true }).next(),
      "NotOlderThan",
    ],
    [
      "an Authorization header",
      ({ pods }) => pods.get("a", { headers: { Authorization: "Bearer x" } }),
      "configure credentials on the client",
    ],
    [
      "a header value with a line break",
      ({ pods }) => pods.get("a", { headers: { "x-a": "1\r\nx-b: 2" } }),
      "control characters",
    ],
    ["an invalid header name", ({ pods }) => pods.get("a", { headers: { "x a": "1" } }), "invalid header name"],
    ["a timeoutMs of 0", ({ pods }) => pods.get("a", { timeoutMs: 0 }), "timeoutMs must be greater than 0"],
    [
      "a fractional grace period",
      ({ pods }) => pods.delete("a", { gracePeriodSeconds: 1.5 }),
      "gracePeriodSeconds must be an integer",
    ],
    [
      "deleteCollection without a namespace",
      ({ client }) => client.resource(dynamic).deleteCollection(),
      "call namespace(name) first",
    ],
  ];
  it.each(rows)("%s", async (_, act, message) => {
    const s = setup();
    const error: unknown = await (async () => act(s))().then(
      () => undefined,
      (e: unknown) => e,
    );
    expect(error).toSatisfy((e) => e instanceof TypeError || e instanceof RangeError);
    expect((error as Error).message).toContain(message);
    expect(s.transport.requests).toHaveLength(0);
  });
});
