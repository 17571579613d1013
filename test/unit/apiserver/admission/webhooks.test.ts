import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { WebhookCall } from "../../../../src/apiserver/http/webhook-caller.js";
import { nodeWebhookCaller } from "../../../../src/apiserver/node/webhooks.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
afterEach(() => server.close());

interface Review {
  request: {
    uid: string;
    operation: string;
    name?: string;
    object: { metadata: { name: string }; data?: Record<string, string> } | null;
    oldObject: unknown;
    userInfo: { username: string };
    dryRun: boolean;
  };
}

async function send(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown>; warning: string | null }> {
  const answer = await sendJson(server, { method, path, body });
  return { status: answer.status, body: answer.body, warning: answer.headers.get("warning") };
}

const maps = "/api/v1/namespaces/default/configmaps";
const rules = [
  { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE", "UPDATE", "DELETE"] },
];

async function register(kind: "Mutating" | "Validating", ...webhooks: Record<string, unknown>[]): Promise<void> {
  const { status } = await send(
    "POST",
    `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`,
    {
      metadata: { name: kind.toLowerCase() },
      webhooks: webhooks.map((webhook, index) => ({
        name: `w${index}.example.com`,
        clientConfig: { url: `https://hooks/${index}` },
        rules,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        ...webhook,
      })),
    },
  );
  expect(status).toBe(201);
}

/** Starts a server whose webhook calls are answered by `answer`; returns the list of calls. */
function start(answer: (url: string, request: Review["request"]) => Record<string, unknown>): WebhookCall[] {
  const calls: WebhookCall[] = [];
  server = createApiServer({
    controllers: false,
    webhooks: (call) => {
      calls.push(call);
      const { request } = call.body as Review;
      const response = answer(new URL(call.url).pathname, request);
      return response instanceof Error
        ? Promise.reject(response)
        : Promise.resolve({
            kind: "AdmissionReview",
            apiVersion: "admission.k8s.io/v1",
            response: { uid: request.uid, ...response },
          });
    },
  });
  return calls;
}

const patch = (...operations: unknown[]): Record<string, unknown> => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: btoa(JSON.stringify(operations)),
});

describe("admission webhooks", () => {
  it("mutate an object in order, and again if they request reinvocation", async () => {
    const seen: string[] = [];
    start((url, { object }) => {
      seen.push(`${url} ${JSON.stringify(object!.data)}`);
      return url === "/0"
        ? patch({ op: "add", path: "/data/first", value: "1" })
        : patch({ op: "add", path: "/data/second", value: "2" });
    });
    await register("Mutating", { reinvocationPolicy: "IfNeeded" }, {});
    const { body } = await send("POST", maps, { metadata: { name: "a" }, data: { x: "0" } });
    expect(body["data"]).toEqual({ x: "0", first: "1", second: "2" });
    expect(seen).toEqual(['/0 {"x":"0"}', '/1 {"x":"0","first":"1"}', '/0 {"x":"0","first":"1","second":"2"}']);
  });

  it("that validate aren't called if a match condition of another one fails", async () => {
    const calls = start(() => ({ allowed: false }));
    await register("Validating", {}, { matchConditions: [{ name: "c", expression: "object.data.missing == ''" }] });
    const { status, body } = await send("POST", maps, { metadata: { name: "a" } });
    expect(status).toBe(403);
    expect(body["message"]).toContain("no such key");
    expect(calls).toEqual([]);
  });

  it("see a generated name only after all mutations", async () => {
    const seen: unknown[] = [];
    start((url, { name, object }) => {
      seen.push([url, name, object!.metadata.name]);
      return url === "/0"
        ? patch({ op: "replace", path: "/metadata/generateName", value: "other-" })
        : { allowed: true };
    });
    await register("Mutating", {});
    await register("Validating", { clientConfig: { url: "https://hooks/1" } });
    const { body } = await send("POST", maps, { metadata: { generateName: "some-" } });
    const { name } = body["metadata"] as { name: string };
    expect(name).toMatch(/^other-.{5}$/);
    expect(seen).toEqual([
      ["/0", undefined, undefined],
      ["/1", name, name],
    ]);
  });

  it("reject with their own message, code and warnings", async () => {
    start((_url, { operation, object }) =>
      operation === "CREATE" && object!.metadata.name === "bad"
        ? { allowed: false, status: { code: 418, reason: "Teapot", message: "no coffee" }, warnings: ["hot"] }
        : { allowed: true, warnings: ["fine"] },
    );
    await register("Validating", {});
    const refused = await send("POST", maps, { metadata: { name: "bad" } });
    expect(refused).toMatchObject({
      status: 418,
      body: { reason: "Teapot", message: 'admission webhook "w0.example.com" denied the request: no coffee' },
      warning: '299 - "hot"',
    });
    expect(await send("POST", maps, { metadata: { name: "good" } })).toMatchObject({
      status: 201,
      warning: '299 - "fine"',
    });
  });

  it.each(["Mutating", "Validating"] as const)(
    "of a %sWebhookConfiguration get deletions with the old object and the user",
    async (kind) => {
      const calls = start(() => ({ allowed: true }));
      await send("POST", maps, { metadata: { name: "a" } });
      await register(kind, {});
      expect((await send("DELETE", `${maps}/a`)).status).toBe(200);
      expect((calls[0]!.body as Review).request).toMatchObject({
        operation: "DELETE",
        object: null,
        oldObject: { metadata: { name: "a" } },
        userInfo: { username: "system:anonymous" },
        dryRun: false,
      });
    },
  );

  it.each([
    [
      "fail the request if they can't be reached",
      {},
      500,
      'Internal error occurred: failed calling webhook "w0.example.com": failed to call webhook: refused',
    ],
    [
      "are skipped if they can't be reached and the failure policy is Ignore",
      { failurePolicy: "Ignore" },
      201,
      undefined,
    ],
  ])("%s", async (_title, webhook, status, message) => {
    start(() => new Error("refused") as never);
    await register("Validating", webhook);
    const answer = await send("POST", maps, { metadata: { name: "a" } });
    expect([answer.status, answer.body["message"]]).toEqual([status, message]);
  });

  it("are called only for requests that match their rules and selectors", async () => {
    const calls = start(() => ({ allowed: true }));
    await register(
      "Validating",
      { objectSelector: { matchLabels: { watched: "yes" } } },
      {
        namespaceSelector: {
          matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["default"] }],
        },
      },
    );
    await send("POST", maps, { metadata: { name: "a" } });
    await send("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "a", labels: { watched: "yes" } } });
    expect(calls.length).toBe(0);
    await send("POST", maps, { metadata: { name: "b", labels: { watched: "yes" } } });
    expect(calls.map(({ url }) => url)).toEqual(["https://hooks/0"]);
  });

  it("with side effects reject dry runs", async () => {
    start(() => ({ allowed: true }));
    const { status } = await send("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
      metadata: { name: "x" },
      webhooks: [
        {
          name: "w.example.com",
          clientConfig: { url: "https://hooks/" },
          rules,
          sideEffects: "NoneOnDryRun",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    expect(status).toBe(201);
    expect((await send("POST", `${maps}?dryRun=All`, { metadata: { name: "a" } })).status).toBe(201);
  });

  it("are called over HTTP with the review as JSON", async () => {
    server = createApiServer({ controllers: false });
    const got: unknown[] = [];
    const hook = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => (text += String(chunk)));
      request.on("end", () => {
        got.push([request.url, request.headers["content-type"], JSON.parse(text)]);
        response.end(JSON.stringify({ kind: "AdmissionReview" }));
      });
    });
    await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${String((hook.address() as AddressInfo).port)}/check`;
    const call = { url, caBundle: undefined, body: { a: 1 }, timeoutMs: 5000, signal: new AbortController().signal };
    expect(await nodeWebhookCaller(call)).toEqual({ kind: "AdmissionReview" });
    expect(got).toEqual([["/check?timeout=5s", "application/json", { a: 1 }]]);
    hook.closeAllConnections();
    await new Promise((resolve) => hook.close(resolve));
    await expect(nodeWebhookCaller(call)).rejects.toThrow("ECONNREFUSED");
  });
});

describe("ResourceQuota", () => {
  it("counts accepted objects and rejects those above the limit", async () => {
    server = createApiServer({ controllers: false });
    const quotas = "/api/v1/namespaces/default/resourcequotas";
    const hard = { pods: "2", "requests.cpu": "1", "count/configmaps": "1" };
    await send("POST", quotas, { metadata: { name: "q" }, spec: { hard } });
    const pod = (name: string, cpu?: string): Promise<{ status: number; body: Record<string, unknown> }> =>
      send("POST", "/api/v1/namespaces/default/pods", {
        metadata: { name },
        spec: {
          containers: [{ name: "c", image: "i", ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }) }],
        },
      });
    // Without a usage count, a quota limits nothing.
    expect((await pod("free")).status).toBe(201);
    await send("PATCH", `${quotas}/q/status`, { status: { hard } });
    expect((await pod("early", "1m")).body["message"]).toBe(
      'pods "early" is forbidden: status unknown for quota: q, resources: pods,requests.cpu',
    );
    await send("PATCH", `${quotas}/q/status`, {
      status: { hard, used: { pods: "1", "requests.cpu": "0", "count/configmaps": "0" } },
    });
    expect((await pod("vague")).body["message"]).toBe(
      'pods "vague" is forbidden: failed quota: q: must specify requests.cpu for: c',
    );
    expect((await pod("large", "1500m")).body["message"]).toBe(
      'pods "large" is forbidden: exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=0, limited: requests.cpu=1',
    );
    expect((await pod("fits", "600m")).status).toBe(201);
    expect((await send("GET", `${quotas}/q`)).body["status"]).toEqual({
      hard,
      used: { "count/configmaps": "0", pods: "2", "requests.cpu": "600m" },
    });
    expect((await pod("third", "100m")).body["message"]).toBe(
      'pods "third" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    );
    expect((await send("POST", maps, { metadata: { name: "a" } })).status).toBe(201);
    expect((await send("POST", maps, { metadata: { name: "b" } })).status).toBe(403);
  });
});
