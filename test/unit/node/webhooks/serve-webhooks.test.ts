import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { createAuthority } from "../../../../src/certificates/authority.js";
import { createManager } from "../../../../src/controller/manager/create-manager.js";
import { collectMetrics } from "../../../../src/controller/metrics/collect-metrics.js";
import { formatMetrics } from "../../../../src/controller/metrics/format-metrics.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import {
  type ServeWebhooksOptions,
  serveWebhooks,
  type WebhookServer,
} from "../../../../src/node/webhooks/serve-webhooks.js";
import { admissionWebhook } from "../../../../src/webhook/serve.js";
import { createVirtualClock, settle } from "../../../support/virtual-clock.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function openFolder(): { readonly certFile: string; readonly keyFile: string; write(pair: Partial<Pair>): void } {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-webhooks-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  return {
    certFile,
    keyFile,
    write({ cert, key }) {
      if (cert !== undefined) writeFileSync(certFile, cert);
      if (key !== undefined) writeFileSync(keyFile, key);
    },
  };
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}
const issue = (lifetimeMs = 3_600_000): Pair =>
  createAuthority({ nowMs: Date.now(), lifetimeMs }).server(["127.0.0.1"]);
const review = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "u", operation: "CREATE", userInfo: {}, object: { metadata: {} } },
});

async function serve(options: Partial<ServeWebhooksOptions> & Pick<ServeWebhooksOptions, "certificate">) {
  const log: LogEntry[] = [];
  const server = await serveWebhooks({
    port: 0,
    host: "127.0.0.1",
    log: (entry) => log.push(entry),
    handlers: { "/validate": admissionWebhook(() => undefined) },
    ...options,
  });
  cleanups.push(() => server.close());
  return { server, log };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly serial: string;
}

function send({ url }: WebhookServer, path: string, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      agent: false,
      rejectUnauthorized: false,
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json" },
    };
    request(url + path, options, (response) => {
      const serial = (response.socket as TLSSocket).getPeerCertificate().serialNumber;
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("end", () => resolve({ status: response.statusCode!, text, serial }));
    })
      .on("error", reject)
      .end(body);
  });
}

describe("a webhook server with certificate files", () => {
  it("answers reviews, probes and wrong requests, and counts them", async () => {
    const files = openFolder();
    files.write(issue());
    const { server, log } = await serve({
      certificate: files,
      handlers: {
        "/validate": admissionWebhook(() => ({ allowed: false, message: "no" })),
        "/broken": admissionWebhook(() => Promise.reject(new Error("secret detail"))),
      },
    });
    expect((await send(server, "/validate?timeout=10s", review)).text).toContain('"message":"no"');
    expect(await send(server, "/broken", review)).toMatchObject({ status: 500, text: "internal server error\n" });
    expect(log.map(({ message, error }) => `${message}: ${String(error)}`)).toEqual([
      "webhooks: /broken failed: Error: secret detail",
    ]);
    expect(await send(server, "/healthz")).toMatchObject({ status: 200, text: "ok" });
    expect(await send(server, "/readyz")).toMatchObject({ status: 200, text: "ok" });
    expect(await send(server, "/other")).toMatchObject({ status: 404 });
    expect(await send(server, "/validate")).toMatchObject({ status: 405 });
    const metrics = formatMetrics(collectMetrics({ sources: [server] }));
    expect(metrics.split("\n").filter((line) => line.startsWith("controller_runtime_webhook_requests"))).toEqual([
      'controller_runtime_webhook_requests_total{code="200",webhook="/broken"} 0',
      'controller_runtime_webhook_requests_total{code="200",webhook="/validate"} 1',
      'controller_runtime_webhook_requests_total{code="405",webhook="/validate"} 1',
      'controller_runtime_webhook_requests_total{code="500",webhook="/broken"} 1',
      'controller_runtime_webhook_requests_total{code="500",webhook="/validate"} 0',
      'controller_runtime_webhook_requests_in_flight{webhook="/broken"} 0',
      'controller_runtime_webhook_requests_in_flight{webhook="/validate"} 0',
    ]);
  });

  it("serves a renewed certificate, and the previous one while the files don't belong together", async () => {
    const files = openFolder();
    const [first, second] = [issue(), issue()];
    files.write(first);
    const clock = createVirtualClock(Date.now());
    const { server, log } = await serve({ certificate: files, clock });
    const { serial } = await send(server, "/healthz");
    const reload = async (): Promise<void> => {
      await clock.advance(10_000);
      // Files are read by other threads, which take real time.
      while (clock.pending === 0) await settle();
    };
    files.write({ cert: second.cert });
    await reload();
    await reload();
    expect(log.map(({ level, error }) => `${level} ${String(error)}`)).toEqual([
      expect.stringMatching(/^warn ConfigError: .*the key doesn't belong to the certificate$/),
      expect.stringMatching(/^debug /),
    ]);
    expect((await send(server, "/healthz")).serial).toBe(serial);
    files.write({ key: second.key });
    await reload();
    expect(log.at(-1)).toMatchObject({ level: "info", message: "webhooks: the certificate was renewed" });
    expect((await send(server, "/healthz")).serial).not.toBe(serial);
  });

  it("isn't ready with an expired certificate", async () => {
    const files = openFolder();
    files.write(issue(60_000));
    const clock = createVirtualClock(Date.now());
    const { server } = await serve({ certificate: { ...files, intervalMs: 86_400_000 }, clock });
    await clock.advance(61_000);
    expect(server.check()).toMatch(/tls\.crt has expired$/);
    expect(await send(server, "/readyz")).toMatchObject({ status: 503 });
    expect(await send(server, "/healthz")).toMatchObject({ status: 200 });
  });

  it("names files that can't be read", async () => {
    await expect(serve({ certificate: { certFile: "/none.crt", keyFile: "/none.key" } })).rejects.toThrow(
      "webhooks: certificate /none.crt with key /none.key: ENOENT",
    );
  });

  it.each<[string, Partial<ServeWebhooksOptions>, string]>([
    ["a port out of range", { port: 70_000 }, "options.port must be an integer"],
    ["a path without a slash", { handlers: { validate: admissionWebhook(() => undefined) } }, '"validate" must start'],
    ["a probe's path", { handlers: { "/readyz": admissionWebhook(() => undefined) } }, "not be /healthz or /readyz"],
    [
      "a renewal before the beginning",
      { certificate: { client: {} as never, secret: { namespace: "a", name: "b" }, hosts: ["a"], lifetimeMs: 1 } },
      "certificate.renewBeforeMs must be greater",
    ],
    [
      "no host names",
      { certificate: { client: {} as never, secret: { namespace: "a", name: "b" } } },
      "certificate.service or certificate.hosts is required",
    ],
  ])("refuses %s", async (_, options, message) => {
    await expect(serve({ certificate: { certFile: "a", keyFile: "b" }, ...options })).rejects.toThrow(message);
  });
});

describe("a webhook server in a manager", () => {
  it("serves before the caches are filled and until leaders have stopped, and reports its readiness", async () => {
    const files = openFolder();
    files.write(issue());
    const { server } = await serve({ certificate: files });
    const order: string[] = [];
    const statusNow = async (): Promise<number | string> =>
      send(server, "/healthz").then(
        ({ status }) => status,
        () => "closed",
      );
    const manager = createManager({
      log: () => undefined,
      runnables: [
        server,
        {
          name: "leader",
          run: async ({ signal }) => {
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            order.push(`while the leader stops: ${await statusNow()}`);
          },
        },
      ],
    });
    manager.start();
    while (manager.status.type !== "running") await settle();
    const { checks } = await manager.readiness();
    expect(checks).toContainEqual({ name: "webhooks", ok: true });
    await manager.stop();
    order.push(`after the stop: ${await statusNow()}`);
    expect(order).toEqual(["while the leader stops: 200", "after the stop: closed"]);
    expect(server.check()).toBe("the webhook server is closed");
  });
});
