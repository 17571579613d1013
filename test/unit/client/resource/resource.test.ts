import { describe, expect, it } from "vitest";
import { getResponseInfo } from "../../../../src/client/call/response-info.js";
import { createClient } from "../../../../src/client/client.js";
import { isStatus } from "../../../../src/client/resource/collection-handle.js";
import { ClosedError, ProtocolError, TransportError } from "../../../../src/errors/errors.js";
import { isConflict, isNotFound } from "../../../../src/errors/predicates.js";
import { StatusError } from "../../../../src/errors/status-error.js";
import { Deployment } from "../../../../src/kinds/apps/v1.js";
import { ConfigMap, Namespace, Node, Pod } from "../../../../src/kinds/core/v1.js";
import type { Kind } from "../../../../src/meta/kind.js";
import { type Answer, bodyOf, scripted } from "../scripted-transport.js";

const status = (code: number, reason: string, message: string): Answer => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason, message },
});
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", resourceVersion: "7" } };
const setup = (...answers: Answer[]) => {
  const transport = scripted(...answers);
  const client = createClient({ transport, retry: false, onWarning: () => undefined });
  return { transport, client, pods: client.resource(Pod).namespace("apps") };
};

describe("resource handle sends the request of", () => {
  const rows: [string, (s: ReturnType<typeof setup>) => Promise<unknown>, string, unknown?, Record<string, string>?][] =
    [
      [
        "get",
        ({ pods }) => pods.get("a", { resourceVersion: "0" }),
        "GET /api/v1/namespaces/apps/pods/a?resourceVersion=0",
      ],
      [
        "get for a cluster-scoped kind",
        ({ client }) => client.resource(Namespace).get("n"),
        "GET /api/v1/namespaces/n",
      ],
      [
        "create",
        ({ pods }) =>
          pods.create({ metadata: { name: "a" } }, { fieldManager: "me", fieldValidation: "Strict", dryRun: "All" }),
        "POST /api/v1/namespaces/apps/pods?dryRun=All&fieldManager=me&fieldValidation=Strict",
        { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
      ],
      [
        "update",
        ({ pods }) => pods.update({ metadata: { name: "a" } }),
        "PUT /api/v1/namespaces/apps/pods/a",
        { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
      ],
      [
        "json patch",
        ({ pods }) => pods.patch("a", { type: "json", operations: [{ op: "remove", path: "/x" }] }),
        "PATCH /api/v1/namespaces/apps/pods/a",
        [{ op: "remove", path: "/x" }],
        { "content-type": "application/json-patch+json" },
      ],
      [
        "merge patch",
        ({ pods }) => pods.patch("a", { type: "merge", patch: { metadata: { labels: { a: null } } } }),
        "PATCH /api/v1/namespaces/apps/pods/a",
        { metadata: { labels: { a: null } } },
        { "content-type": "application/merge-patch+json" },
      ],
      [
        "strategic patch",
        ({ pods }) => pods.patch("a", { type: "strategic", patch: { spec: { priority: 3 } } }),
        "PATCH /api/v1/namespaces/apps/pods/a",
        { spec: { priority: 3 } },
        { "content-type": "application/strategic-merge-patch+json" },
      ],
      [
        "apply",
        ({ pods }) =>
          pods.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }, { fieldManager: "me", force: true }),
        "PATCH /api/v1/namespaces/apps/pods/a?fieldManager=me&force=true",
        { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
        { "content-type": "application/apply-patch+yaml" },
      ],
      ["delete", ({ pods }) => pods.delete("a"), "DELETE /api/v1/namespaces/apps/pods/a"],
      [
        "delete with options",
        ({ pods }) =>
          pods.delete("a", {
            gracePeriodSeconds: 0,
            propagationPolicy: "Foreground",
            preconditions: { uid: "u" },
            dryRun: "All",
          }),
        "DELETE /api/v1/namespaces/apps/pods/a",
        {
          apiVersion: "v1",
          kind: "DeleteOptions",
          gracePeriodSeconds: 0,
          propagationPolicy: "Foreground",
          preconditions: { uid: "u" },
          dryRun: ["All"],
        },
      ],
      [
        "delete for an unreadable object",
        ({ pods }) => pods.delete("a", { ignoreStoreReadErrorWithClusterBreakingPotential: true }),
        "DELETE /api/v1/namespaces/apps/pods/a",
        { apiVersion: "v1", kind: "DeleteOptions", ignoreStoreReadErrorWithClusterBreakingPotential: true },
      ],
      [
        "deleteCollection with a shard selector",
        ({ pods }) =>
          pods.deleteCollection({
            shardSelector: "shardRange(object.metadata.uid, '0x0', '0x8')",
            fieldSelector: "spec.nodeName=n",
            limit: 0,
          }),
        "DELETE /api/v1/namespaces/apps/pods?fieldSelector=spec.nodeName%3Dn&shardSelector=shardRange(object.metadata.uid%2C%20'0x0'%2C%20'0x8')",
      ],
      [
        "delete with orphanDependents",
        ({ pods }) => pods.delete("a", { orphanDependents: true }),
        "DELETE /api/v1/namespaces/apps/pods/a",
        { apiVersion: "v1", kind: "DeleteOptions", orphanDependents: true },
      ],
      [
        "deleteCollection",
        ({ pods }) => pods.deleteCollection({ labelSelector: "a=b", limit: 3, propagationPolicy: "Orphan" }),
        "DELETE /api/v1/namespaces/apps/pods?labelSelector=a%3Db&limit=3",
        { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Orphan" },
      ],
      [
        "subresource get",
        ({ client }) => client.resource(Deployment).namespace("apps").subresource("scale").get("web"),
        "GET /apis/apps/v1/namespaces/apps/deployments/web/scale",
      ],
      [
        "subresource update",
        ({ client }) =>
          client
            .resource(Deployment)
            .namespace("apps")
            .subresource("scale")
            .update({ metadata: { name: "web" }, spec: { replicas: 3 } }),
        "PUT /apis/apps/v1/namespaces/apps/deployments/web/scale",
        { metadata: { name: "web" }, spec: { replicas: 3 } },
      ],
      [
        "subresource create",
        ({ pods }) =>
          pods
            .subresource("eviction")
            .create("a", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }, { dryRun: "All" }),
        "POST /api/v1/namespaces/apps/pods/a/eviction?dryRun=All",
        { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } },
      ],
      [
        "get with pretty",
        ({ pods }) => pods.get("a", { pretty: true, timeoutMs: 2000 }),
        "GET /api/v1/namespaces/apps/pods/a?pretty=true&timeout=2000ms",
      ],
      [
        "get with timeoutMs",
        ({ pods }) => pods.get("a", { timeoutMs: 1500 }),
        "GET /api/v1/namespaces/apps/pods/a?timeout=1500ms",
      ],
      [
        "get for an unreadable object",
        ({ pods }) => pods.get("a", { ignoreStoreReadErrorWithClusterBreakingPotential: true }),
        "GET /api/v1/namespaces/apps/pods/a?ignoreStoreReadErrorWithClusterBreakingPotential=true",
      ],
    ];
  it.each(rows)("%s", async (_, act, line, body, headers) => {
    const s = setup({
      body:
        line.startsWith("DELETE") && line.includes("?")
          ? { kind: "PodList", metadata: {}, items: [] }
          : { ...pod, kind: line.endsWith("/namespaces/n") ? "Namespace" : "Pod" },
    });
    await act(s);
    expect(s.transport.requests).toHaveLength(1);
    const [request] = s.transport.requests;
    expect(`${request!.method} ${request!.path}`).toBe(line);
    expect(bodyOf(request)).toEqual(body);
    expect(request!.headers).toMatchObject({ accept: "application/json", "user-agent": "kubestream", ...headers });
    expect(s.transport.open()).toBe(0);
  });
});

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

describe("resource handle reads responses:", () => {
  it("unknown fields survive a read and a write", async () => {
    const strange = { ...pod, spec: { brandNew: { deep: [1, null] } }, __proto__: undefined, "x-extra": true };
    const s = setup({ body: strange }, { body: strange });
    const read = await s.pods.get("a");
    read.metadata!.labels = { seen: "yes" };
    await s.pods.update(read);
    expect(bodyOf(s.transport.requests[1])).toEqual({
      ...pod,
      metadata: { ...pod.metadata, labels: { seen: "yes" } },
      spec: { brandNew: { deep: [1, null] } },
      "x-extra": true,
    });
  });

  it("getResponseInfo returns the response of a result", async () => {
    const s = setup({
      status: 201,
      headers: {
        "x-kubernetes-pf-flowschema-uid": "fs",
        "x-kubernetes-pf-prioritylevel-uid": "pl",
        "audit-id": "au",
        warning: '299 - "old \\"thing\\"", 299 - "b, c"',
      },
      body: pod,
    });
    const created = await s.pods.create({ metadata: { name: "a" } });
    expect(getResponseInfo(created)).toMatchObject({
      status: 201,
      flowSchemaUid: "fs",
      priorityLevelUid: "pl",
      auditId: "au",
      attempts: 1,
      warnings: [
        { code: 299, agent: "-", text: 'old "thing"' },
        { code: 299, agent: "-", text: "b, c" },
      ],
    });
    expect(getResponseInfo({})).toBeUndefined();
  });

  it("an error Status becomes a StatusError with response info", async () => {
    const s = setup({
      ...status(403, "Forbidden", 'pods is forbidden: User "u"'),
      headers: { "x-kubernetes-pf-flowschema-uid": "fs", "x-kubernetes-pf-prioritylevel-uid": "pl" },
    });
    const error = (await s.pods.list().catch((e: unknown) => e)) as StatusError;
    expect(error).toBeInstanceOf(StatusError);
    expect(error.message).toBe('list pods in "apps": 403 Forbidden: pods is forbidden: User "u"');
    expect(error).toMatchObject({ code: 403, reason: "Forbidden", flowSchemaUid: "fs", priorityLevelUid: "pl" });
    expect(getResponseInfo(error)?.status).toBe(403);
    expect(s.transport.open()).toBe(0);
  });

  const odd: [string, Answer, abstract new (...args: never[]) => Error, string | RegExp, string?][] = [
    [
      "an HTML error page",
      {
        status: 502,
        headers: { "content-type": "text/html" },
        body: "<html><head><style>b{}</style><title>502 Bad Gateway</title></head><body><h1>Bad   Gateway</h1></body></html>",
      },
      StatusError,
      'get pods "a" in "apps": 502 InternalError: 502 Bad Gateway Bad Gateway',
    ],
    [
      "an error page with a token",
      {
        status: 403,
        headers: { "content-type": "text/plain" },
        body: "no: Bearer abcdefghijkl.mnop eyJhbGciOi.eyJzdWIi.c2ln",
      },
      StatusError,
      /403 Forbidden: no: Bearer \[redacted\] \[redacted\]$/,
    ],
    [
      "a plain 404",
      { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found\n" },
      StatusError,
      "404 NotFound: the server doesn't serve this resource (404 page not found)",
    ],
    [
      "an error body that isn't a Status",
      { status: 500, body: { kind: "Pod" } },
      StatusError,
      /500 InternalError: \{"kind":"Pod"\}/,
    ],
    [
      "an overlong error page",
      {
        status: 500,
        headers: { "content-type": "text/plain" },
        body: Array.from({ length: 64 }, () => "x".repeat(65536)),
      },
      StatusError,
      /: 500 InternalError: x{256}…$/,
    ],
    [
      "an HTML page with status 200",
      { headers: { "content-type": "text/html" }, body: "<html>login" },
      ProtocolError,
      'get pods "a" in "apps": expected application/json, got text/html',
    ],
    [
      "a response without a content type",
      { headers: { "content-type": "" }, body: "x" },
      ProtocolError,
      "got no content type",
    ],
    ["truncated JSON", { body: '{"kind":"Pod"' }, ProtocolError, /get pods "a" in "apps": .*/],
    [
      "a broken connection",
      { body: ['{"kind":', new TransportError("socket closed", { code: "ECONNRESET" })] },
      TransportError,
      'get pods "a" in "apps": socket closed',
    ],
    [
      "a refused connection",
      { error: new TransportError("connect ECONNREFUSED 127.0.0.1:1", { code: "ECONNREFUSED" }) },
      TransportError,
      'get pods "a" in "apps": connect ECONNREFUSED 127.0.0.1:1',
    ],
    [
      "a redirect",
      { status: 302, headers: { location: "https://evil.example/login?token=abc" } },
      ProtocolError,
      "redirect to https://evil.example; redirects are not followed",
    ],
    [
      "a redirect to a relative path",
      { status: 301, headers: { location: "/x?token=abc" } },
      ProtocolError,
      "redirect to another path; redirects are not followed",
    ],
    ["an unexpected status", { status: 304 }, ProtocolError, "unexpected HTTP status 304"],
  ];
  it.each(odd)("%s is an error with a short message", async (_, answer, type, message) => {
    const s = setup(answer);
    const error = (await s.pods.get("a").catch((e: unknown) => e)) as Error;
    expect(error).toBeInstanceOf(type);
    expect(error.message).toMatch(message);
    expect(error.message.length).toBeLessThan(400);
    expect(s.transport.open()).toBe(0);
  });

  it.each<[string, object, string]>([
    ["a Pod", pod, "Pod"],
    ["a Status", { kind: "Status", status: "Success" }, "Status"],
    ["an empty object", {}, "an object without kind"],
    [
      "a list of another kind",
      { kind: "DeploymentList", apiVersion: "apps/v1", metadata: {}, items: [] },
      "DeploymentList",
    ],
    [
      "a metadata list",
      { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata: {}, items: [] },
      "PartialObjectMetadataList",
    ],
  ])("list rejects %s", async (_, body, got) => {
    const s = setup({ body }, { body });
    const words = new ProtocolError(`list pods in "apps": expected a list of Pod, got ${got}`);
    await expect(s.pods.list()).rejects.toEqual(words);
    await expect(s.pods.listChunks().next()).rejects.toEqual(words);
  });

  it("lists of a custom kind may have any kind except the object's or Status", async () => {
    const widgets: Kind<object, "Cluster"> = {
      group: "example.com",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
      scope: "Cluster",
      custom: true,
    };
    const answer = (kind: string) => ({ body: { kind, apiVersion: "example.com/v1", metadata: {}, items: [] } });
    const s = setup(answer("Things"), answer("WidgetList"), answer("Widget"), answer("Status"));
    const list = () =>
      s.client
        .resource(widgets)
        .list()
        .then(
          (got) => got.kind,
          (error: unknown) => (error as Error).message,
        );
    expect([await list(), await list(), await list(), await list()]).toEqual([
      "Things",
      "WidgetList",
      "list widgets.example.com: expected a list of Widget, got Widget",
      "list widgets.example.com: expected a list of Widget, got Status",
    ]);
  });

  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } };
  const succeeded = { kind: "Status", apiVersion: "v1", status: "Success" };
  it.each<[string, object, (s: ReturnType<typeof setup>) => Promise<unknown>, string]>([
    [
      "another kind",
      namespace,
      ({ pods }) => pods.get("a"),
      'get pods "a" in "apps": expected Pod of v1, got Namespace of v1',
    ],
    [
      "the same kind of another group",
      { ...pod, apiVersion: "metrics.k8s.io/v1" },
      ({ pods }) => pods.get("a"),
      'get pods "a" in "apps": expected Pod of v1, got Pod of metrics.k8s.io/v1',
    ],
    [
      "a list",
      { kind: "PodList", apiVersion: "v1", metadata: {}, items: [] },
      ({ pods }) => pods.get("a"),
      'get pods "a" in "apps": expected Pod of v1, got PodList of v1',
    ],
    [
      "a successful Status",
      succeeded,
      ({ pods }) => pods.get("a"),
      'get pods "a" in "apps": expected Pod of v1, got Status of v1',
    ],
    [
      "metadata",
      { ...pod, kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" },
      ({ pods }) => pods.get("a"),
      "expected Pod of v1, got PartialObjectMetadata of meta.k8s.io/v1",
    ],
    [
      "an overlong kind with control characters",
      { kind: "x\ny".repeat(100) },
      ({ pods }) => pods.get("a"),
      `expected Pod of v1, got ${JSON.stringify("x\ny".repeat(100)).slice(0, 100)}`,
    ],
    ["a kind that isn't a string", { ...pod, kind: 7 }, ({ pods }) => pods.get("a"), "expected Pod of v1, got 7 of v1"],
    [
      "another kind after create",
      namespace,
      ({ pods }) => pods.create({ metadata: { name: "a" } }),
      'create pods "a" in "apps": expected Pod',
    ],
    [
      "a Status after update",
      succeeded,
      ({ pods }) => pods.update({ metadata: { name: "a" } }),
      'update pods "a" in "apps": expected Pod',
    ],
    [
      "another kind from the status subresource",
      namespace,
      ({ pods }) => pods.subresource("status").get("a"),
      "expected Pod of v1, got Namespace of v1",
    ],
    [
      "another kind from metadataOnly",
      namespace,
      ({ pods }) => pods.metadataOnly().get("a"),
      'get pods "a" in "apps": expected Pod of v1, got Namespace of v1',
    ],
    [
      "another kind after delete",
      namespace,
      ({ pods }) => pods.delete("a"),
      'delete pods "a" in "apps": expected Pod of v1, got Namespace of v1',
    ],
  ])("object calls reject %s", async (_, body, act, message) => {
    const s = setup({ body });
    const error = (await act(s).catch((e: unknown) => e)) as Error;
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error.message).toContain(message);
    expect(error.message.length).toBeLessThan(300);
    expect(s.transport.open()).toBe(0);
  });

  it("objects without a kind, and a Status after create, are accepted", async () => {
    const { kind, apiVersion: _, ...bare } = pod;
    const s = setup(
      { body: bare },
      { body: { ...bare, kind } },
      { body: { ...bare, kind: "", apiVersion: "" } },
      { status: 201, body: succeeded },
    );
    expect([await s.pods.get("a"), await s.pods.get("a"), await s.pods.get("a")]).toMatchObject([bare, bare, bare]);
    expect(await s.pods.create({ metadata: { name: "a" } })).toMatchObject({ status: "Success" });
  });

  it("isStatus distinguishes a completed delete from a pending one", async () => {
    const s = setup({ body: { kind: "Status", status: "Success", details: { uid: "u" } } }, { body: pod });
    const gone = await s.pods.delete("a");
    const going = await s.pods.delete("a");
    expect([isStatus(gone), isStatus(going)]).toEqual([true, false]);
  });

  it("getOptional returns undefined only if the named object is missing", async () => {
    const missing = (details: object): Answer => ({
      status: 404,
      body: { kind: "Status", code: 404, reason: "NotFound", details },
    });
    const s = setup(
      { body: pod },
      missing({ name: "a", kind: "pods" }),
      missing({ name: "a" }),
      missing({}),
      { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found" },
      status(403, "Forbidden", "no"),
    );
    expect((await s.pods.getOptional("a", { resourceVersion: "0" }))?.metadata?.name).toBe("a");
    expect(s.transport.requests[0]?.path).toBe("/api/v1/namespaces/apps/pods/a?resourceVersion=0");
    expect([await s.pods.getOptional("a"), await s.pods.metadataOnly().getOptional("a")]).toEqual([
      undefined,
      undefined,
    ]);
    for (const code of [404, 404, 403]) await expect(s.pods.getOptional("a")).rejects.toMatchObject({ code });
  });

  it("a 409 without a Status gets its reason from the method", async () => {
    const text = { status: 409, headers: { "content-type": "text/plain" }, body: "no" };
    const s = setup(text, text, status(404, "NotFound", "x"));
    expect(await s.pods.create({}).catch((e: unknown) => (e as StatusError).reason)).toBe("AlreadyExists");
    expect(await s.pods.update({ metadata: { name: "a" } }).catch(isConflict)).toBe(true);
    expect(await s.pods.get("a").catch(isNotFound)).toBe(true);
  });
});

describe("resource handle ends calls:", () => {
  it("an abort rejects with the signal's reason, before and during a call", async () => {
    const s = setup({ hang: true });
    const reason = new Error("enough");
    await expect(s.pods.get("a", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(s.transport.requests).toHaveLength(0);
    const controller = new AbortController();
    const call = s.pods.get("a", { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it("an abort during the body rejects with the signal's reason", async () => {
    const s = setup({ body: ["{", "hang"] });
    const controller = new AbortController();
    const reason = { not: "an error" };
    const call = s.pods.get("a", { signal: controller.signal });
    const heard = call.catch((e: unknown) => e);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    expect(await heard).toBe(reason);
    expect(s.transport.open()).toBe(0);
  });

  it("closing the client rejects pending and later calls with a ClosedError", async () => {
    const s = setup({ hang: true });
    const call = s.pods.get("a").catch((e: unknown) => e);
    await s.client.close();
    expect(await call).toBeInstanceOf(ClosedError);
    expect(s.transport.closed()).toBe(true);
    await expect(s.pods.get("a")).rejects.toBeInstanceOf(ClosedError);
    await s.client.close();
  });
});

describe("update with a function", () => {
  const conflict = status(409, "Conflict", "modified");
  it("reads and writes the object again after a conflict", async () => {
    const transport = scripted(
      { body: pod },
      conflict,
      { body: { ...pod, metadata: { name: "a", resourceVersion: "8" } } },
      { body: { ...pod, metadata: { name: "a", resourceVersion: "9" } } },
    );
    const client = createClient({ transport, random: () => 0 });
    const seen: unknown[] = [];
    const updated = await client
      .resource(Pod)
      .namespace("apps")
      .update("a", (object) => {
        seen.push(object.metadata?.resourceVersion);
        object.metadata!.labels = { a: "b" };
      });
    expect(seen).toEqual(["7", "8"]);
    expect(updated.metadata?.resourceVersion).toBe("9");
    expect(transport.requests.map((r) => `${r.method} ${r.path}`)).toEqual(
      ["GET", "PUT", "GET", "PUT"].map((m) => `${m} /api/v1/namespaces/apps/pods/a`),
    );
    expect(bodyOf(transport.requests[3])).toMatchObject({ metadata: { resourceVersion: "8", labels: { a: "b" } } });
  });

  it("applies its options to each write", async () => {
    const s = setup({ body: pod }, conflict, { body: pod }, { body: pod });
    await s.pods.update("a", () => undefined, { dryRun: "All", fieldManager: "me" });
    expect(s.transport.requests.map(({ method, path }) => `${method} ${path.split("?")[1] ?? ""}`)).toEqual([
      "GET ",
      "PUT dryRun=All&fieldManager=me",
      "GET ",
      "PUT dryRun=All&fieldManager=me",
    ]);
  });

  it("throws the last conflict unchanged", async () => {
    const s = setup({ body: pod }, conflict, { body: pod }, conflict);
    await expect(s.pods.update("a", () => undefined, { maxAttempts: 2 })).rejects.toSatisfy(isConflict);
    expect(s.transport.requests).toHaveLength(4);
  });

  it("rejects a change that renames the object", async () => {
    const s = setup({ body: pod });
    await expect(s.pods.update("a", (o) => ({ ...o, metadata: { ...o.metadata, name: "b" } }))).rejects.toThrow(
      'must not rename "a" to "b"',
    );
  });
});

describe("lists", () => {
  const page = (names: string[], token?: string, remaining?: number): Answer => ({
    body: {
      kind: "PodList",
      apiVersion: "v1",
      metadata: {
        resourceVersion: "9",
        ...(token !== undefined && { continue: token }),
        ...(remaining !== undefined && { remainingItemCount: remaining }),
      },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });
  const expired: Answer = {
    status: 410,
    body: { kind: "Status", code: 410, reason: "Expired", message: "too old", metadata: { continue: "fresh" } },
  };

  it("pages reports progress and sends the resourceVersion only once", async () => {
    const s = setup(page(["a", "b"], "t1", 3), page(["c", "d"], "t2", 1), page(["e"]));
    const progress: unknown[] = [];
    const names: unknown[] = [];
    for await (const p of s.pods.pages({
      limit: 2,
      resourceVersion: "5",
      resourceVersionMatch: "NotOlderThan",
      labelSelector: "x",
      onProgress: (p) => progress.push([p.pages, p.items, p.remaining]),
    }))
      names.push(p.items.map((i) => i.metadata?.name));
    expect(names).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(progress).toEqual([
      [1, 2, 3],
      [2, 4, 1],
      [3, 5, 0],
    ]);
    expect(s.transport.requests.map((r) => r.path.split("?")[1])).toEqual([
      "labelSelector=x&limit=2&resourceVersion=5&resourceVersionMatch=NotOlderThan",
      "labelSelector=x&limit=2&continue=t1",
      "labelSelector=x&limit=2&continue=t2",
    ]);
  });

  it("items requests 500 at a time and stops when the reader stops", async () => {
    const s = setup(page(["a", "b"], "t1"));
    for await (const item of s.pods.items()) {
      expect(item.metadata?.name).toBe("a");
      break;
    }
    expect(s.transport.requests.map((r) => r.path)).toEqual(["/api/v1/namespaces/apps/pods?limit=500"]);
  });

  it("onExpired fails, continues or restarts after an expired token", async () => {
    const collect = async (
      options: object,
      ...answers: Answer[]
    ): Promise<{ names: unknown[]; queries: unknown[]; last: unknown }> => {
      const s = setup(...answers);
      const names: unknown[] = [];
      let last: unknown;
      for await (const p of s.pods.pages({ limit: 1, onProgress: (x) => (last = x), ...options }))
        names.push(...p.items.map((i) => i.metadata?.name));
      return { names, queries: s.transport.requests.map((r) => /continue=(.*)/.exec(r.path)?.[1]), last };
    };
    await expect(collect({}, page(["a"], "t1"), expired)).rejects.toMatchObject({ code: 410 });
    expect(await collect({ onExpired: "continue" }, page(["a"], "t1"), expired, page(["b"]))).toMatchObject({
      names: ["a", "b"],
      queries: [undefined, "t1", "fresh"],
      last: { inconsistent: true },
    });
    let restarted = 0;
    expect(
      await collect(
        { onExpired: "restart", onRestart: () => restarted++ },
        page(["a"], "t1"),
        expired,
        page(["a"], "t2"),
        page(["b"]),
      ),
    ).toMatchObject({
      names: ["a", "a", "b"],
      queries: [undefined, "t1", undefined, "t2"],
      last: { restarts: 1, items: 2 },
    });
    expect(restarted).toBe(1);
    await expect(
      collect(
        { onExpired: "restart", onRestart: () => undefined },
        page(["a"], "t"),
        expired,
        page(["a"], "t"),
        expired,
        page(["a"], "t"),
        expired,
        page(["a"], "t"),
        expired,
      ),
    ).rejects.toMatchObject({ code: 410 });
  });

  it("listChunks yields items as they arrive", async () => {
    const text = JSON.stringify((page(["a", "b", "c"]) as { body: object }).body);
    const s = setup({ body: [...text] });
    const items: unknown[] = [];
    let metadata: unknown;
    for await (const slice of s.pods.listChunks()) {
      items.push(...slice.items.map((i) => i.metadata?.name));
      metadata ??= slice.metadata;
    }
    expect(items).toEqual(["a", "b", "c"]);
    expect(metadata).toMatchObject({ resourceVersion: "9" });
    expect(s.transport.open()).toBe(0);
  });

  it("listChunks closes the connection when it is stopped early", async () => {
    const s = setup({ body: ['{"kind":"PodList","items":[{"metadata":{"name":"a"}},', "hang"] });
    const slices = s.pods.listChunks();
    const first = slices.next();
    await new Promise((resolve) => setImmediate(resolve));
    await slices.return!();
    await first;
    expect(s.transport.open()).toBe(0);
  });
});

describe("watch", () => {
  const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
  const bookmark = { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "12" } };

  it("sends its options as a query and decodes events across chunks", async () => {
    const text =
      event("ADDED", pod) +
      event("MODIFIED", pod) +
      event("BOOKMARK", bookmark) +
      event("SOMETHING", {}) +
      event("DELETED", pod);
    const s = setup({ body: [...text] });
    const types: string[] = [];
    for await (const e of s.pods.watch({
      resourceVersion: "7",
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
      fieldSelector: "metadata.name=a",
    }))
      types.push(e.type);
    expect(types).toEqual(["ADDED", "MODIFIED", "BOOKMARK", "DELETED"]);
    expect(s.transport.requests[0]!.path).toBe(
      "/api/v1/namespaces/apps/pods?watch=1&fieldSelector=metadata.name%3Da&resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=300",
    );
    expect(s.transport.open()).toBe(0);
  });

  it("throws an ERROR event after the preceding events", async () => {
    const s = setup({
      body: [
        event("ADDED", pod) +
          event("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old" }) +
          event("ADDED", pod),
      ],
    });
    const watch = s.pods.watch();
    expect((await watch.next()).value).toMatchObject({ type: "ADDED" });
    await expect(watch.next()).rejects.toThrow('watch pods in "apps": 410 Expired: too old');
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect(s.transport.open()).toBe(0);
  });

  it("rejects the first next() if the server refuses, without an unhandled rejection if next() isn't called", async () => {
    const s = setup(status(403, "Forbidden", "no"), status(403, "Forbidden", "no"));
    await expect(s.pods.watch().next()).rejects.toMatchObject({ code: 403 });
    s.pods.watch();
    await new Promise((resolve) => setImmediate(resolve));
  });

  it("return() ends a pending next() immediately", async () => {
    const s = setup({ body: [event("ADDED", pod), "hang"] });
    const watch = s.pods.watch();
    await watch.next();
    const pending = watch.next();
    await watch.return();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(s.transport.open()).toBe(0);
  });

  it("an abort rejects a pending next() with the signal's reason", async () => {
    const s = setup({ body: [event("ADDED", pod), "hang"] });
    const controller = new AbortController();
    const watch = s.pods.watch({ signal: controller.signal });
    await watch.next();
    const pending = watch.next().catch((e: unknown) => e);
    controller.abort("why");
    expect(await pending).toBe("why");
    expect((await watch.next()).done).toBe(true);
  });

  it("idleTimeoutMs ends a silent watch but ignores a slow reader", async () => {
    const timers = new Map<number, () => void>();
    let now = 0;
    let id = 0;
    const clock = {
      now: () => now,
      monotonic: () => now,
      setTimer: (callback: () => void, ms: number) => {
        const at = ++id;
        timers.set(at, callback);
        void ms;
        return { cancel: () => void timers.delete(at) };
      },
    };
    const fire = (): void => {
      for (const [at, callback] of [...timers]) {
        timers.delete(at);
        callback();
      }
    };
    const transport = scripted({ body: [event("ADDED", pod), event("ADDED", pod), "hang"] });
    const watch = createClient({ transport, clock }).resource(Pod).namespace("apps").watch({ idleTimeoutMs: 1000 });
    await watch.next();
    now = 5000;
    fire();
    expect((await watch.next()).done).toBe(false);
    const pending = watch.next().catch((e: unknown) => e);
    await Promise.resolve();
    now = 5999;
    fire();
    now = 6001;
    fire();
    expect(await pending).toMatchObject({
      name: "TransportError",
      code: "ETIMEDOUT",
      message: 'watch pods in "apps": received no data for 1000 ms',
    });
    expect(timers.size).toBe(0);
  });

  it.each([
    ["a malformed event", [event("ADDED", pod), "{oops}\n"], "ProtocolError"],
    ["a truncated event", [event("ADDED", pod), '{"type":"ADD'], "ProtocolError"],
    ["a broken connection", [event("ADDED", pod), new TransportError("reset")], "TransportError"],
    [
      "an object of another kind",
      [event("ADDED", pod), event("ADDED", { kind: "Secret", apiVersion: "v1", metadata: { name: "a" } })],
      "ProtocolError",
    ],
    [
      "a Status instead of an object",
      [event("ADDED", pod), event("MODIFIED", { kind: "Status", code: 500 })],
      "ProtocolError",
    ],
    ["a bookmark without a version", [event("ADDED", pod), event("BOOKMARK", {})], "ProtocolError"],
  ])("throws an error for %s", async (_, body, name) => {
    const s = setup({ body });
    const watch = s.pods.watch();
    await watch.next();
    await expect(watch.next()).rejects.toMatchObject({
      name,
      message: expect.stringMatching(/^watch pods in "apps": /) as string,
    });
  });

  it("rejects a stream with an unknown content type", async () => {
    const s = setup({ headers: { "content-type": "text/html" }, body: "<html>" });
    await expect(s.pods.watch().next()).rejects.toThrow("text/html");
    expect(s.transport.open()).toBe(0);
  });

  it("rejects with a ClosedError when the client closes", async () => {
    const s = setup({ body: ["hang"] });
    const pending = s.client
      .resource(Namespace)
      .watch()
      .next()
      .catch((e: unknown) => e);
    await new Promise((resolve) => setImmediate(resolve));
    await s.client.close();
    expect(await pending).toBeInstanceOf(ClosedError);
  });
});

describe("resource handles", () => {
  it("share cacheScope and cacheKey if collection, view and user are the same", () => {
    const { client } = setup();
    const key = (handle: { cacheScope?: object; cacheKey?: string }): unknown[] => [handle.cacheScope, handle.cacheKey];
    const pods = (c = client) => c.resource(Pod).namespace("a");
    expect(key(pods())).toEqual(key(pods()));
    expect(pods().cacheScope).toBe(pods().cacheScope);
    const identities = [
      pods(),
      pods().metadataOnly(),
      pods().asTable(),
      pods().asTable({ includeObject: "Object" }),
      client.resource(Pod),
      client.resource(Pod).namespace("b"),
      client.resource(Node),
    ].map((handle) => handle.cacheKey);
    expect(new Set(identities).size).toBe(identities.length);
    expect(pods(client.derive({ headers: { "impersonate-user": "x" } })).cacheScope).not.toBe(pods().cacheScope);
  });
});

describe("views", () => {
  it("metadataOnly requests metadata and strips whole objects", async () => {
    const s = setup(
      {
        body: {
          kind: "PodList",
          apiVersion: "v1",
          metadata: { resourceVersion: "9" },
          items: [{ metadata: { name: "a" }, spec: {} }],
        },
      },
      { body: pod },
      { body: `${JSON.stringify({ type: "ADDED", object: pod })}\n` },
    );
    const view = s.pods.metadataOnly();
    expect(await view.list()).toMatchObject({
      kind: "PartialObjectMetadataList",
      items: [{ kind: "PartialObjectMetadata", metadata: { name: "a" } }],
    });
    expect(await view.get("a")).toEqual({
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadata",
      metadata: pod.metadata,
    });
    const watch = view.watch();
    expect((await watch.next()).value).toMatchObject({ object: { kind: "PartialObjectMetadata" } });
    await watch.return();
    expect(s.transport.requests.map((r) => r.headers["accept"])).toEqual([
      "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json;q=0.9",
      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;q=0.9",
      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;q=0.9",
    ]);
  });

  const columnDefinitions = [{ name: "Name", type: "string", format: "name", description: "", priority: 0 }];
  const table = (name: string, columns: unknown = columnDefinitions): object => ({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "3", continue: "" },
    columnDefinitions: columns,
    rows: [{ cells: [name], object: { kind: "PartialObjectMetadata", metadata: { name, resourceVersion: "2" } } }],
  });

  it("asTable reads tables and converts plain objects", async () => {
    const s = setup(
      { body: table("a") },
      { body: { ...table("a"), rows: null } },
      { body: { kind: "PodList", metadata: {}, items: [pod] } },
    );
    const view = s.pods.asTable({ includeObject: "Object" });
    const list = await view.list();
    expect(list.items[0]).toMatchObject({ cells: ["a"], metadata: { name: "a" }, columns: columnDefinitions });
    expect((await view.get("a")).rows).toEqual([]);
    expect((await view.list()).items[0]).toMatchObject({ cells: ["a", null], metadata: { name: "a" } });
    expect(s.transport.requests[0]!.path).toBe("/api/v1/namespaces/apps/pods?includeObject=Object");
    expect(s.transport.requests[0]!.headers["accept"]).toMatch(/as=Table;v=v1;g=meta.k8s.io/);
  });

  it("asTable gives every watched row the columns of the first event", async () => {
    const lines = [
      { type: "ADDED", object: table("a") },
      { type: "MODIFIED", object: table("b", null) },
      { type: "BOOKMARK", object: table("", null) },
    ]
      .map((e) => `${JSON.stringify(e)}\n`)
      .join("");
    const s = setup({ body: lines });
    const events: unknown[] = [];
    for await (const e of s.pods.asTable({ includeObject: "Object" }).watch()) events.push(e);
    expect(s.transport.requests[0]!.path).toBe("/api/v1/namespaces/apps/pods?watch=1&includeObject=Object");
    expect(events).toMatchObject([
      { object: { cells: ["a"], columns: columnDefinitions } },
      { object: { cells: ["b"], columns: columnDefinitions, metadata: { name: "b" } } },
      { type: "BOOKMARK", object: { metadata: { resourceVersion: "2" } } },
    ]);
  });
});
