// A kube-apiserver 1.36 sends the same reviews.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeWebhookCaller } from "../../../../src/apiserver/node/webhooks.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

interface Request_ {
  readonly uid: string;
  readonly operation: string;
  readonly kind: { readonly kind: string };
  readonly name: string;
  readonly subResource?: string;
  readonly object: { readonly metadata?: { readonly resourceVersion?: string } };
  readonly oldObject?: unknown;
}

let server: ApiServer;
let seen: Request_[];
let response: Record<string, unknown>;
const base = "/api/v1/namespaces/default";
const pod = { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } };

beforeEach(async () => {
  seen = [];
  response = { allowed: true };
  server = createApiServer({
    controllers: false,
    webhooks: ({ body }) => {
      const { request } = body as { request: Request_ };
      // The server goes on to change the object.
      seen.push(structuredClone(request));
      const review = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" };
      return Promise.resolve({ ...review, response: { uid: request.uid, ...response } });
    },
  });
  await send("POST", `${base}/pods`, pod);
  await send("POST", `${base}/pods`, { metadata: { name: "p2" }, spec: { containers: pod.spec.containers } });
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: pod.spec.containers } };
  const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template };
  await send("POST", deployments, { metadata: { name: "d" }, spec });
  await send("POST", `${base}/services`, { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
  await send("POST", `${base}/serviceaccounts`, { metadata: { name: "a" } });
  await register("mutating");
});
afterEach(() => server.close());

const send = async (method: string, path: string, body?: unknown): Promise<Response> =>
  server.handle(
    new Request(`http://server${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    }),
  );

async function register(kind: "mutating" | "validating", more: object = {}): Promise<void> {
  const rules = [{ apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], operations: ["*"] }];
  const webhook = { name: "w.example.com", clientConfig: { url: "https://hook" }, rules, sideEffects: "None" };
  const body = { metadata: { name: "w" }, webhooks: [{ ...webhook, admissionReviewVersions: ["v1"], ...more }] };
  await send("POST", `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`, body);
}

const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "p2" }, target: { kind: "Node", name: "n" } };
const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const scale = `${deployments}/d/scale`;
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
const options = (kind: string, more: object = {}): object => ({ kind, apiVersion: "v1", ...more });

describe("webhooks review", () => {
  it.each([
    [
      "GET",
      "pods/p/exec?command=ls&command=-l&stdout=true",
      options("PodExecOptions", { stdout: true, command: ["ls", "-l"] }),
    ],
    [
      "POST",
      "pods/p/exec?stdin=1&tty=true&container=c&stderr=0",
      options("PodExecOptions", { stdin: true, tty: true, container: "c" }),
    ],
    ["POST", "pods/p/attach?stderr=true", options("PodAttachOptions", { stderr: true })],
    ["POST", "pods/p/portforward?ports=80", options("PodPortForwardOptions", { ports: [80] })],
    ["GET", "pods/p:80/proxy/x/y?a=b", options("PodProxyOptions", { path: "/x/y" })],
    ["PUT", "services/s/proxy", options("ServiceProxyOptions")],
  ])("the connection %s %s", async (method, path, object) => {
    await send(method, `${base}/${path}`);
    const [, name, subResource] = path.replace(/\?.*/, "").split("/");
    const { kind } = object as { kind: string };
    expect(seen).toMatchObject([{ operation: "CONNECT", kind: { kind }, name, subResource, object }]);
    expect(seen[0]!.object).toEqual(object);
  });

  it("an eviction, and not the deletion that follows", async () => {
    expect((await send("POST", `${base}/pods/p/eviction`, eviction)).status).toBe(201);
    expect(seen).toMatchObject([
      { operation: "CREATE", kind: { kind: "Eviction" }, name: "p", subResource: "eviction", object: eviction },
    ]);
  });

  it("a token request", async () => {
    await send("POST", `${base}/serviceaccounts/a/token`, { spec: { expirationSeconds: 700 } });
    expect(seen).toMatchObject([
      { operation: "CREATE", kind: { kind: "TokenRequest" }, name: "a", object: { spec: { expirationSeconds: 700 } } },
    ]);
  });

  it("an access review", async () => {
    const spec = { user: "u", resourceAttributes: { verb: "get", resource: "pods" } };
    await send("POST", reviews, { spec });
    expect(seen).toMatchObject([{ operation: "CREATE", kind: { kind: "SubjectAccessReview" }, object: { spec } }]);
  });

  it.each([
    ["pods/p2/binding", { resource: "pods", name: "p2", subResource: "binding" }],
    ["bindings", { resource: "bindings", name: "p2" }],
  ])("a binding by POST %s, and not the change of the pod", async (path, { resource, ...more }) => {
    expect((await send("POST", `${base}/${path}`, binding)).status).toBe(201);
    const kind = { kind: "Binding" };
    expect(seen).toMatchObject([{ operation: "CREATE", kind, resource: { resource }, ...more, object: binding }]);
    expect(seen[0]!.oldObject).toBeNull();
  });

  it.each(["mutating", "validating"] as const)("a Scale and the one before in the %s phase", async (phase) => {
    if (phase === "validating") await register(phase);
    seen = [];
    expect((await send("PUT", scale, { metadata: { name: "d" }, spec: { replicas: 3 } })).status).toBe(200);
    const kind = "Scale";
    expect(seen.at(-1)).toMatchObject({
      operation: "UPDATE",
      kind: { group: "autoscaling", version: "v1", kind },
      name: "d",
      subResource: "scale",
      object: { kind, spec: { replicas: 3 } },
      oldObject: { kind, spec: { replicas: 1 }, status: { selector: "a=b" } },
    });
    expect(seen).toHaveLength(phase === "mutating" ? 1 : 2);
  });

  it("an update without a version in the mutating phase, and with it in the validating phase", async () => {
    await register("validating");
    seen = [];
    await send("PUT", `${base}/serviceaccounts/a`, { metadata: { name: "a", labels: { b: "c" } } });
    expect(seen.map(({ object }) => object.metadata?.resourceVersion !== undefined)).toEqual([false, true]);
  });
});

describe("webhooks", () => {
  it.each([
    ["pods/p/exec?command=ls", undefined],
    ["pods/p/portforward?ports=80", undefined],
    ["pods/p/eviction", eviction],
    ["serviceaccounts/a/token", {}],
    ["pods/p2/binding", binding],
    ["bindings", binding],
  ])("can deny POST %s", async (path, body) => {
    response = { allowed: false, status: { code: 403, message: "no" } };
    const answer = await send("POST", `${base}/${path}`, body);
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      403,
      'admission webhook "w.example.com" denied the request: no',
    ]);
  });

  it("can change the options of an eviction", async () => {
    const patch = [{ op: "add", path: "/deleteOptions", value: { gracePeriodSeconds: 0 } }];
    response = { allowed: true, patchType: "JSONPatch", patch: btoa(JSON.stringify(patch)) };
    expect((await send("POST", `${base}/pods/p/eviction`, eviction)).status).toBe(201);
    expect((await send("GET", `${base}/pods/p`)).status).toBe(404);
  });

  const patchBy = (path: string, value: unknown): Record<string, unknown> => {
    const patch = btoa(JSON.stringify([{ op: "add", path, value }]));
    return { allowed: true, patchType: "JSONPatch", patch };
  };

  it.each([
    ["PUT", { metadata: { name: "d" }, spec: { replicas: 3 } }, "application/json"],
    ["PATCH", { spec: { replicas: 3 } }, "application/merge-patch+json"],
  ])("can change a Scale of a %s", async (method, body, type) => {
    response = patchBy("/spec/replicas", 7);
    const headers = { "content-type": type };
    const answer = await server.handle(
      new Request(`http://server${scale}`, { method, headers, body: JSON.stringify(body) }),
    );
    expect(await answer.json()).toMatchObject({ kind: "Scale", spec: { replicas: 7 } });
    expect(await (await send("GET", `${deployments}/d`)).json()).toMatchObject({ spec: { replicas: 7 } });
  });

  it.each([
    ["/spec/replicas", -1, 422],
    ["/kind", "Other", 500],
  ])("can't set %s of a Scale to %s", async (path, value, status) => {
    response = patchBy(path, value);
    expect((await send("PUT", scale, { metadata: { name: "d" }, spec: { replicas: 3 } })).status).toBe(status);
    expect(await (await send("GET", scale)).json()).toMatchObject({ spec: { replicas: 1 } });
  });

  it("can send a pod to another node", async () => {
    response = patchBy("/target/name", "other");
    expect((await send("POST", `${base}/pods/p2/binding`, binding)).status).toBe(201);
    expect(await (await send("GET", `${base}/pods/p2`)).json()).toMatchObject({ spec: { nodeName: "other" } });
  });

  it("can label a pod when it is bound", async () => {
    response = patchBy("/metadata/labels", { "pool.example.com": "a" });
    await send("POST", `${base}/pods/p2/binding`, binding);
    const { metadata } = (await (await send("GET", `${base}/pods/p2`)).json()) as { metadata: object };
    expect(metadata).toMatchObject({ labels: { "pool.example.com": "a" } });
  });

  it.each([
    [900, 201],
    [5, 422],
  ])("can change the lifetime of a token to %i s, which leads to %i", async (seconds, status) => {
    response = patchBy("/spec/expirationSeconds", seconds);
    const answer = await send("POST", `${base}/serviceaccounts/a/token`, { spec: { expirationSeconds: 700 } });
    const { spec } = (await answer.json()) as { spec?: { expirationSeconds: number } };
    expect([answer.status, spec?.expirationSeconds]).toEqual([status, status === 201 ? seconds : undefined]);
  });

  it("can change the options of a connection", async () => {
    await register("validating");
    seen = [];
    const patch = [{ op: "add", path: "/tty", value: true }];
    response = { allowed: true, patchType: "JSONPatch", patch: btoa(JSON.stringify(patch)) };
    await send("POST", `${base}/pods/p/exec?command=ls`);
    expect(seen.map(({ object }) => object)).toEqual([
      options("PodExecOptions", { command: ["ls"] }),
      options("PodExecOptions", { command: ["ls"], tty: true }),
    ]);
  });

  it("don't add empty warnings", async () => {
    response = { allowed: true, warnings: ["", "careful", ""] };
    const answer = await send("POST", `${base}/configmaps`, { metadata: { name: "x" } });
    expect(answer.headers.get("warning")).toBe('299 - "careful"');
  });

  it.each([
    [201, 201],
    [299, 201],
    [300, 500],
  ])("may respond with the status %i, which leads to %i", async (status, expected) => {
    const { createServer } = await import("node:http");
    const hook = createServer((request, reply) => {
      let text = "";
      request.on("data", (data: Buffer) => (text += data.toString()));
      request.on("end", () => {
        const { uid } = (JSON.parse(text) as { request: Request_ }).request;
        reply.statusCode = status;
        reply.end(
          JSON.stringify({
            kind: "AdmissionReview",
            apiVersion: "admission.k8s.io/v1",
            response: { uid, allowed: true },
          }),
        );
      });
    });
    await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
    const { port } = hook.address() as { port: number };
    const other = createApiServer({
      controllers: false,
      webhooks: (call) => nodeWebhookCaller({ ...call, url: `http://127.0.0.1:${String(port)}` }),
    });
    const own = server;
    server = other;
    await register("validating");
    const { status: got } = await sendJson(server, {
      method: "POST",
      path: `${base}/configmaps`,
      body: { metadata: { name: "x" } },
    });
    server = own;
    await other.close();
    await new Promise((resolve) => hook.close(resolve));
    expect(got).toBe(expected);
  });
});

it.each([
  ["isn't reviewed by a webhook that selects objects, even those without a label", ["DoesNotExist"], 1],
  ["is reviewed by a webhook whose selector is empty", [], 2],
])("a connection %s", async (_, operators, reviewed) => {
  const matchExpressions = operators.map((operator) => ({ key: "app", operator }));
  await register("validating", { objectSelector: { matchExpressions } });
  seen = [];
  await send("POST", `${base}/pods/p/attach`);
  expect(seen).toHaveLength(reviewed);
});
