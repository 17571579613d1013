// Aggregation of a running API server, and webhooks behind Services, compared with a kube-apiserver.
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCertificateAuthority } from "../../../src/certificates/authority.js";
import { createServerFolder, freePort } from "../control-plane.js";
import { missingReason } from "../real-apiserver.js";
import { type OneServer, type PairRequest, type ServerPair, startPair } from "../server-pair.js";
import { authority, type Backend, createBackend, group, type Seen, version } from "./aggregated-api.js";

const missing = missingReason();
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const front = createCertificateAuthority(Date.now());

let pair: ServerPair;
let backend: Backend;

const apiService = (more: object = {}): object => ({
  metadata: { name: `v1.${group}` },
  spec: {
    group,
    version: "v1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    caBundle: Buffer.from(authority.ca).toString("base64"),
    service: { namespace: "agg", name: "backend", port: backend.port },
    ...more,
  },
});

async function available(server: OneServer): Promise<{ status?: string; reason?: string }> {
  const { value } = await server.send({ path: `${apiServices}/v1.${group}` });
  const { conditions = [] } =
    (value as { status?: { conditions?: { type: string; status: string; reason: string }[] } }).status ?? {};
  const found = conditions.find(({ type }) => type === "Available");
  return { status: found?.status, reason: found?.reason };
}

const waiting = { timeout: 60_000, interval: 250 };

/** Waits until the condition of both servers is this one. */
async function becomes(status: string, reason: string): Promise<void> {
  for (const server of [pair.real, pair.own])
    await vi.waitFor(async () => expect(await available(server)).toEqual({ status, reason }), waiting);
}

describe.skipIf(missing !== undefined)("aggregation compared with a real server", () => {
  beforeAll(async () => {
    backend = createBackend(await freePort());
    await backend.start();
    const folder = createServerFolder();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const aggregator = front.client("aggregator");
    pair = await startPair(folder, [
      "--authorization-mode=RBAC",
      `--requestheader-client-ca-file=${file("front.crt", front.ca)}`,
      "--requestheader-allowed-names=aggregator",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-uid-headers=X-Remote-Uid",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      `--proxy-client-cert-file=${file("aggregator.crt", aggregator.cert)}`,
      `--proxy-client-key-file=${file("aggregator.key", aggregator.key)}`,
      "--disable-admission-plugins=ServiceAccount",
      "--runtime-config=api/all=true",
    ]);
    await pair.create("/api/v1/namespaces", { metadata: { name: "agg" } });
    for (const name of ["backend", "hook"])
      await pair.create("/api/v1/namespaces/agg/services", {
        metadata: { name },
        spec: { type: "ExternalName", externalName: "localhost" },
      });
    await pair.create(apiServices, apiService());
    await becomes("True", "Passed");
    // The real server learns of documents in the background.
    const published = async (): Promise<number> => (await pair.real.send({ path: `/openapi/v3${version}` })).status;
    await vi.waitFor(async () => expect(await published()).toBe(200), waiting);
  });

  afterAll(async () => {
    await pair?.stop();
    await backend.stop();
  });

  const aggregatedAccept = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };
  it.each<[title: string, request: PairRequest]>([
    ["the group", { path: `/apis/${group}` }],
    ["the version", { path: version }],
    ["the version for a user without rights", { path: version, token: "alice-token" }],
    ["another version", { path: `/apis/${group}/v2` }],
    ["an object", { path: `${version}/namespaces/agg/loads/l` }],
    ["an object for a user without rights", { path: `${version}/namespaces/agg/loads/l`, token: "alice-token" }],
    ["a status of its own", { path: `${version}/namespaces/agg/loads/teapot` }],
    ["a redirect", { path: `${version}/zones/moved` }],
    ["an answer without a body", { method: "DELETE", path: `${version}/zones/gone` }],
    ["its OpenAPI v3 document", { path: `/openapi/v3${version}` }],
    [
      "the APIService",
      { path: `${apiServices}/v1.${group}`, ignore: ["/metadata/managedFields", "/spec/service/port"] },
    ],
  ])("%s has the same answer", async (_title, request) => {
    expect(await pair.compare(request)).toEqual([]);
  });

  it("discovery in both forms lists the group among the others in the same place", async () => {
    const names = (value: unknown): unknown => (value as { groups: { name: string }[] }).groups.map(({ name }) => name);
    for (const headers of [{}, aggregatedAccept]) {
      const entry = async (server: OneServer): Promise<unknown> => {
        const { value } = await server.send({ path: "/apis", headers });
        const { groups = [], items = [] } = value as {
          groups?: { name: string }[];
          items?: { metadata: { name: string } }[];
        };
        return groups.find(({ name }) => name === group) ?? items.find(({ metadata }) => metadata.name === group);
      };
      // The real server merges aggregated discovery in the background.
      await expect
        .poll(async () => JSON.stringify(await entry(pair.real)), { timeout: 60_000 })
        .toContain(headers === aggregatedAccept ? "Zone" : "v1");
      expect(await entry(pair.own)).toEqual(await entry(pair.real));
    }
    const { real, own } = await pair.both({ path: "/apis" });
    expect(names(own.value)).toEqual(names(real.value));
  });

  it("OpenAPI v3 and v2 include what the other server publishes", async () => {
    const v3 = async (server: OneServer): Promise<unknown> =>
      ((await server.send({ path: "/openapi/v3" })).value as { paths: Record<string, unknown> }).paths[
        version.slice(1)
      ] !== undefined;
    const v2 = async (server: OneServer): Promise<unknown> => {
      const { value } = await server.send({ path: "/openapi/v2" });
      const { paths, definitions } = value as { paths: Record<string, unknown>; definitions: Record<string, unknown> };
      return [
        paths[`${version}/namespaces/{namespace}/loads`],
        definitions["com.example.metrics.v1.Load"],
        Object.keys(definitions).filter((name) => name.includes("metrics")),
      ];
    };
    await expect.poll(() => v3(pair.real), { timeout: 60_000 }).toBe(true);
    await expect.poll(() => v3(pair.own), { timeout: 60_000 }).toBe(true);
    await expect
      .poll(async () => JSON.stringify(await v2(pair.real)), { timeout: 90_000, interval: 1000 })
      .toContain("listLoads");
    expect(await v2(pair.own)).toEqual(await v2(pair.real));
  });

  it("the other server sees the same request: user, path, body, and the front proxy's certificate", async () => {
    const requests: readonly PairRequest[] = [
      {
        method: "POST",
        path: `${version}/namespaces/agg/loads?dryRun=All&fieldManager=m`,
        json: { a: 1 },
        headers: { "x-other": "kept", "x-remote-user": "forged", "x-remote-group": "forged" },
      },
      {
        path: `${version}/zones/b?x=y&x=z`,
        headers: {
          "impersonate-user": "sam",
          "impersonate-group": ["system:masters", "a, b"],
          "impersonate-extra-acme.com%2Fp": "q",
          "impersonate-uid": "u",
        },
      },
      {
        method: "PATCH",
        path: `${version}/zones/z`,
        json: [],
        headers: { "content-type": "application/json-patch+json", accept: "application/json, */*" },
      },
      { method: "DELETE", path: `${version}/zones/z` },
      { path: `${version}/zones/a%2Fb` },
      { path: `${version}/zones/%41%20(x)!*'~;,:@&=+$%C3%A9?b=1&a=%2F&a=(x)+y~*&b=0&c&=d` },
    ];
    for (const request of requests) {
      const views: unknown[] = [];
      for (const server of [pair.real, pair.own]) {
        backend.take();
        expect((await server.send(request)).status).toBe(200);
        const [{ headers, ...rest } = {} as Seen] = backend.take();
        const {
          "user-agent": _agent,
          "audit-id": auditId,
          connection: _connection,
          "x-forwarded-for": from,
          ...kept
        } = headers;
        views.push({
          ...rest,
          headers: { ...kept, "accept-encoding": "", "content-length": "", "transfer-encoding": "" },
          auditId: auditId !== undefined,
          from,
        });
      }
      expect(views[1]).toEqual(views[0]);
      expect(views[1]).toMatchObject({ client: "aggregator" });
    }
  });

  it("a stopped server makes the API unavailable until it is back", async () => {
    await backend.stop();
    const request: PairRequest = { path: `${version}/namespaces/agg/loads` };
    const { real, own } = await pair.both(request);
    expect([own.status, real.status]).toEqual([503, 503]);
    await becomes("False", "FailedDiscoveryCheck");
    expect(await pair.compare(request)).toEqual([]);
    expect(await pair.compare({ path: "/apis/apps/v1" })).toEqual([]);
    await backend.start();
    await becomes("True", "Passed");
    expect(await pair.compare(request)).toEqual([]);
  });

  it("a server whose certificate isn't trusted is unavailable, unless the APIService skips the check", async () => {
    const spec = (json: object): PairRequest => ({
      method: "PATCH",
      path: `${apiServices}/v1.${group}`,
      headers: { "content-type": "application/merge-patch+json" },
      json: { spec: json },
    });
    await pair.both(spec({ caBundle: Buffer.from(front.ca).toString("base64") }));
    await becomes("False", "FailedDiscoveryCheck");
    await pair.both(spec({ caBundle: null, insecureSkipTLSVerify: true }));
    await becomes("True", "Passed");
    await pair.both(spec({ insecureSkipTLSVerify: false, caBundle: Buffer.from(authority.ca).toString("base64") }));
    await becomes("True", "Passed");
  });

  it("a webhook behind a Service of the type ExternalName is called, at its path and port, with a 307 and its own certificate as caBundle", async () => {
    // A certificate that signs itself, like those that envtest writes.
    const calls: string[] = [];
    const hook = createServer({ cert: authority.cert, key: authority.key }, (request, response) => {
      const chunks: Buffer[] = [];
      request
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("end", () => {
          calls.push(request.url!.split("?")[0]!);
          if (request.url!.startsWith("/first")) {
            response.writeHead(307, { location: "/second?x=1" }).end();
            return;
          }
          const { request: asked } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { request: { uid: string } };
          response.setHeader("content-type", "application/json");
          response.end(
            JSON.stringify({
              apiVersion: "admission.k8s.io/v1",
              kind: "AdmissionReview",
              response: { uid: asked.uid, allowed: false, status: { message: "refused by the hook", code: 403 } },
            }),
          );
        });
    });
    await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
    const hookPort = (hook.address() as { port: number }).port;
    try {
      const leaf = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(authority.cert)![0];
      for (const [at, caBundle] of [authority.ca, leaf].entries()) {
        const configuration = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations`;
        await pair.create(configuration, {
          metadata: { name: `hook-${String(at)}` },
          webhooks: [
            {
              name: "hook.example.com",
              clientConfig: {
                service: { namespace: "agg", name: "hook", path: "/first", port: hookPort },
                caBundle: Buffer.from(caBundle).toString("base64"),
              },
              rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
              sideEffects: "None",
              admissionReviewVersions: ["v1"],
            },
          ],
        });
        const request: PairRequest = {
          method: "POST",
          path: "/api/v1/namespaces/agg/configmaps?dryRun=All",
          json: { metadata: { name: "c" } },
        };
        await expect.poll(async () => (await pair.real.send(request)).status, { timeout: 20_000 }).not.toBe(201);
        calls.length = 0;
        expect(await pair.compare(request)).toEqual([]);
        expect((await pair.own.send(request)).value).toMatchObject({ code: 403 });
        expect(new Set(calls)).toEqual(new Set(["/first", "/second"]));
        await pair.both({ method: "DELETE", path: `${configuration}/hook-${String(at)}` });
        await expect.poll(async () => (await pair.real.send(request)).status, { timeout: 20_000 }).toBe(201);
      }
    } finally {
      hook.closeAllConnections();
      await new Promise((resolve) => hook.close(resolve));
    }
  });
});

if (missing !== undefined) console.log(`aggregation compared with a real server: skipped: ${missing}`);
