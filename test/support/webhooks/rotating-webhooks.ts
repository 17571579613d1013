import { Agent, request } from "node:https";
import type { TLSSocket } from "node:tls";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createClient } from "../../../src/client/client.js";
import type { LogEntry } from "../../../src/controller/reconcile/controller-log.js";
import { ValidatingWebhookConfiguration } from "../../../src/kinds/admissionregistration/v1.js";
import { Secret } from "../../../src/kinds/core/v1.js";
import { serveWebhooks, type WebhookServer } from "../../../src/node/webhooks/serve-webhooks.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { admissionWebhook } from "../../../src/webhook/serve.js";
import { createRandom } from "../../simulation/random.js";
import { createVirtualClock, settle } from "../virtual-clock.js";

/** Result of calls during rotations. */
export interface RotationResult {
  readonly allowed: number;
  readonly failures: readonly string[];
  /** Number of different certificates that callers met. */
  readonly certificates: number;
  /** Steps of rotations that the replicas logged. */
  readonly steps: readonly string[];
}

const minute = 60_000;
const propagationMs = 5 * minute;
const lifetimeMs = 90 * 24 * 60 * minute;
/** Calls per minute of virtual time. */
const batchSize = 16;
const review = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "u", operation: "CREATE", userInfo: {}, object: { metadata: {} } },
});

/**
 * Calls two replicas of a webhook server while they rotate their certificate. Callers trust what the configuration listed
 * some time ago, at most `propagationMs`, like API servers with delayed caches.
 */
export async function callWhileRotating(calls: number, seed: number): Promise<RotationResult> {
  const random = createRandom(seed, "webhook calls");
  // Callers check the validity by the system's clock, so virtual time ends at about the current time.
  const clock = createVirtualClock(Date.now() - (calls / batchSize) * minute);
  const server = createApiServer({ controllers: false });
  const client = createClient({ transport: handlerTransport(server.handle), clock });
  const configurations = client.resource(ValidatingWebhookConfiguration);
  await configurations.create({
    metadata: { name: "hooks" },
    webhooks: [
      {
        name: "a.example.com",
        clientConfig: { service: { namespace: "default", name: "hooks" } },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
  const log: LogEntry[] = [];
  const serve = (): Promise<WebhookServer> =>
    serveWebhooks({
      port: 0,
      host: "127.0.0.1",
      clock,
      log: (entry) => log.push(entry),
      handlers: { "/validate": admissionWebhook(() => undefined) },
      certificate: {
        client,
        secret: { namespace: "default", name: "hooks-tls" },
        service: { namespace: "default", name: "hooks" },
        validatingWebhookConfigurations: ["hooks"],
        lifetimeMs,
        renewBeforeMs: lifetimeMs - 30 * minute,
        propagationMs,
      },
    });
  const replicas = [await serve(), await serve()];
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    for (let turn = 0; turn < 20; turn++) await settle();
  };
  await pass(1_000);
  const bundles: { readonly atMs: number; readonly bundle: string }[] = [];
  const agents = new Map<string, Agent>();
  const met = new Set<string>();
  const failures: string[] = [];
  let allowed = 0;
  for (let done = 0; done < calls; ) {
    const { webhooks = [] } = await configurations.get("hooks");
    bundles.push({ atMs: clock.now(), bundle: webhooks[0]?.clientConfig.caBundle ?? "" });
    const batch = Math.min(batchSize, calls - done);
    await Promise.all(
      Array.from({ length: batch }, async () => {
        const seenAt = clock.now() - random.int(propagationMs * 0.9);
        const { bundle } = bundles.findLast(({ atMs }) => atMs <= seenAt) ?? bundles[0]!;
        const ca = Buffer.from(bundle, "base64").toString();
        if (!agents.has(bundle)) agents.set(bundle, new Agent({ keepAlive: true, maxCachedSessions: 0, ca }));
        const url = `${random.pick(replicas).url}/validate?timeout=10s`;
        const outcome = await call(url, agents.get(bundle)!, met);
        if (outcome === "allowed") allowed++;
        else if (failures.length < 20) failures.push(outcome);
      }),
    );
    done += batch;
    // Callers keep their connections for a while.
    for (const [bundle, agent] of agents) if (random.chance(0.2) && agents.delete(bundle)) agent.destroy();
    await pass(minute);
  }
  const steps = log.map(({ message }) => message);
  const secret = await client.resource(Secret).namespace("default").get("hooks-tls");
  if (secret.type !== "kubernetes.io/tls") failures.push(`the Secret has the type ${secret.type}`);
  for (const agent of agents.values()) agent.destroy();
  await Promise.all(replicas.map((replica) => replica.close()));
  await client.close();
  await server.close();
  return { allowed, failures, certificates: met.size, steps };
}

function call(url: string, agent: Agent, met: Set<string>): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(
      url,
      {
        agent,
        method: "POST",
        servername: "hooks.default.svc",
        headers: { "content-type": "application/json" },
        timeout: 60_000,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (text += piece));
        response.on("end", () =>
          resolve(text.includes('"allowed":true') ? "allowed" : `${response.statusCode} ${text}`),
        );
      },
    );
    sent.once("socket", (socket) => {
      if (!socket.connecting) return;
      const tls = socket as TLSSocket;
      socket.once("secureConnect", () => met.add(tls.getPeerCertificate().serialNumber));
    });
    sent.on("error", (error) => resolve(error.message));
    sent.end(review);
  });
}
