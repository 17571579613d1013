import { describe, expect, it, vi } from "vitest";
import type { Client } from "../../src/client/client.js";
import { createManager } from "../../src/controller/manager/create-manager.js";
import { isForbidden } from "../../src/errors/predicates.js";
import { ValidatingWebhookConfiguration, type WebhookClientConfig } from "../../src/kinds/admissionregistration/v1.js";
import { CustomResourceDefinition } from "../../src/kinds/apiextensions/v1.js";
import { ConfigMap, Secret } from "../../src/kinds/core/v1.js";
import { defineKind } from "../../src/meta/define-kind.js";
import { serveWebhooks, type WebhookServer } from "../../src/node/webhooks/serve-webhooks.js";
import { admissionWebhook, conversionWebhook } from "../../src/webhook/serve.js";
import { clientOf, freshNamespace } from "./clients.js";
import { forEachOf, type Target } from "./target.js";

const lifetimeMs = 3_600_000;
const id = `${process.pid.toString(36)}-${Date.now().toString(36)}`;
const group = `hooks-${id}.example.com`;
const definition = `gauges.${group}`;
const gauge = (version: string) =>
  defineKind<{ size?: number; width?: number }>()({
    group,
    version,
    kind: "Gauge",
    plural: "gauges",
    scope: "Namespaced",
  });

/**
 * A webhook server with a certificate of its own, called by an API server. `calls` is the least number of calls during
 * rotations, which take some 20 seconds; none for 0.
 */
export function webhookServerSuite(target: Target, calls: number): void {
  describe("a webhook server with a managed certificate", () => {
    it("is ready, decides on objects, converts them and restores its authority", { timeout: 120_000 }, () =>
      withReplicas(target, async ({ client, namespace, replicas }) => {
        const manager = createManager({ runnables: [replicas[0]!] });
        const problems = async () =>
          (await manager.readiness()).checks.filter(({ name, ok }) => name === "webhooks" && !ok);
        await vi.waitFor(async () => expect(await problems()).toEqual([]), { timeout: 30_000 });

        const maps = client.resource(ConfigMap).namespace(namespace);
        await vi.waitFor(() => maps.create({ metadata: { generateName: "a-" } }), { timeout: 30_000 });
        const create = maps.create({ metadata: { name: "b" }, data: { deny: "1" } });
        const denied = await create.catch((error: unknown) => error);
        expect(isForbidden(denied) && denied.message).toContain("data.deny is set");

        await createGauge(client, namespace);
        expect(await client.resource(gauge("v2")).namespace(namespace).get("g")).toMatchObject({ spec: { width: 3 } });

        // An apply of a manifest without the authority.
        const configurations = client.resource(ValidatingWebhookConfiguration);
        const read = async () => (await configurations.get(id)).webhooks!.map(({ clientConfig }) => clientConfig);
        const [{ caBundle: _, ...value }] = (await read()) as [WebhookClientConfig];
        const operations = [{ op: "replace", path: "/webhooks/0/clientConfig", value } as const];
        await configurations.patch(id, { type: "json", operations });
        const bundles = async () => (await read()).map(({ caBundle }) => caBundle);
        await vi.waitFor(async () => expect(await bundles()).not.toContain(undefined), { timeout: 30_000 });
      }),
    );

    it.skipIf(calls === 0)("rotates its certificate without failing a call", { timeout: 600_000 }, () =>
      withReplicas(target, async ({ client, namespace, replicas, log }) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        const secrets = client.resource(Secret).namespace(namespace);
        await vi.waitFor(() => maps.create({ metadata: { generateName: "a-" } }), { timeout: 30_000 });
        await createGauge(client, namespace);
        const first = (await secrets.get("tls")).data?.["tls.crt"];
        const rotated = (): boolean => log.filter((line) => line.endsWith("serving the next certificate")).length >= 2;
        let made = 0;
        while (made < calls || !rotated()) {
          await forEachOf(50, () => maps.create({ metadata: { generateName: "c-" } }, { dryRun: "All" }), 8);
          await client.resource(gauge("v2")).namespace(namespace).get("g");
          made += 50;
        }
        expect((await secrets.get("tls")).data?.["tls.crt"]).not.toBe(first);
        expect(log.filter((line) => line.includes("rror"))).toEqual([]);
        const requests = replicas.flatMap((replica) => replica.collect()).filter(({ name }) => name.endsWith("_total"));
        const failed = requests.flatMap(({ samples }) =>
          samples.filter(({ labels, value }) => labels["code"] !== "200" && value !== 0),
        );
        expect(failed).toEqual([]);
      }),
    );
  });
}

interface Served {
  readonly client: Client;
  readonly namespace: string;
  readonly replicas: readonly WebhookServer[];
  readonly log: readonly string[];
}

/** Runs `act` with two replicas that share a certificate and are registered. */
async function withReplicas(target: Target, act: (served: Served) => Promise<void>): Promise<void> {
  const client = await clientOf(target);
  const namespace = await freshNamespace(client);
  const log: string[] = [];
  const serve = (): Promise<WebhookServer> =>
    serveWebhooks({
      port: 0,
      host: "127.0.0.1",
      log: ({ message, error }) => void log.push(error === undefined ? message : `${message}: ${String(error)}`),
      handlers: {
        "/validate": admissionWebhook<ConfigMap>((request) =>
          request.operation === "CREATE" && request.object.data?.["deny"] !== undefined
            ? { allowed: false, message: "data.deny is set" }
            : { warnings: ["seen"] },
        ),
        "/convert": conversionWebhook((object, desired) => {
          const { spec, ...rest } = object as unknown as { spec: { size?: number; width?: number } };
          return { ...rest, spec: desired.endsWith("/v2") ? { width: spec.size } : { size: spec.width } };
        }),
      },
      certificate: {
        client,
        secret: { namespace, name: "tls" },
        hosts: ["127.0.0.1"],
        validatingWebhookConfigurations: [id],
        customResourceDefinitions: [definition],
        lifetimeMs,
        renewBeforeMs: lifetimeMs - 4_000,
        propagationMs: 4_000,
      },
    });
  // Both start at the same time, and one creates the Secret.
  const replicas = await Promise.all([serve(), serve()]);
  try {
    await register(client, namespace, replicas);
    await act({ client, namespace, replicas, log });
  } finally {
    await client.resource(ValidatingWebhookConfiguration).delete(id);
    await client.resource(CustomResourceDefinition).delete(definition);
    await Promise.all(replicas.map((replica) => replica.close()));
    await client.close();
  }
}

/** Creates an object of the stored version as soon as its kind is served. */
async function createGauge(client: Client, namespace: string): Promise<void> {
  const gauges = client.resource(gauge("v1")).namespace(namespace);
  await vi.waitFor(() => gauges.create({ metadata: { name: "g" }, spec: { size: 3 } }), { timeout: 30_000 });
}

/** Creates the configuration with a webhook for each replica, and the definition. */
async function register(client: Client, namespace: string, replicas: readonly WebhookServer[]): Promise<void> {
  await client.resource(ValidatingWebhookConfiguration).create({
    metadata: { name: id },
    webhooks: replicas.map(({ url }, index) => ({
      name: `replica${index}.${group}`,
      clientConfig: { url: `${url}/validate` },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      timeoutSeconds: 30,
    })),
  });
  const number = { type: "integer" };
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { size: number, width: number } } },
    },
  };
  await client.resource(CustomResourceDefinition).create({
    metadata: { name: definition },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "gauges", kind: "Gauge" },
      versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: `${replicas[0]!.url}/convert` }, conversionReviewVersions: ["v1"] },
      },
    },
  });
}
