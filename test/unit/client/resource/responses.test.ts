import { describe, expect, it } from "vitest";
import { getResponseInfo } from "../../../../src/client/call/response-info.js";
import { isStatus } from "../../../../src/client/resource/collection-handle.js";
import { ProtocolError, TransportError } from "../../../../src/errors/errors.js";
import { isConflict, isNotFound } from "../../../../src/errors/predicates.js";
import { StatusError } from "../../../../src/errors/status-error.js";
import type { Kind } from "../../../../src/meta/kind.js";
import { type Answer, bodyOf } from "../scripted-transport.js";
import { pod, setup, status } from "./resource-setup.js";

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
