import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createServerCertificate } from "../../src/certificates/authority.js";
import { getResponseInfo } from "../../src/client/call/response-info.js";
import type { Client } from "../../src/client/client.js";
import { MutatingWebhookConfiguration } from "../../src/kinds/admissionregistration/v1.js";
import { CustomResourceDefinition } from "../../src/kinds/apiextensions/v1.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import { defineKind } from "../../src/meta/define-kind.js";
import type { AdmissionRequest } from "../../src/webhook/admission.js";
import { admissionWebhook, conversionWebhook, type WebhookHandler } from "../../src/webhook/serve.js";
import { clientOf, failure, freshNamespace } from "./clients.js";
import type { Target } from "./target.js";

/** Webhooks built with `kubestream/webhook` and called by an API server. */
export function webhooksSuite(target: Target): void {
  describe("webhooks", () => webhooks(target));
}

export interface Hook {
  readonly clientConfig: { url: string; caBundle: string };
  close(): Promise<void>;
}

/** Serves a webhook over TLS. */
export async function serve(handler: WebhookHandler): Promise<Hook> {
  const certificate = createServerCertificate(["127.0.0.1"], Date.now());
  const server = createServer({ key: certificate.key, cert: certificate.cert }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request = new Request(`https://127.0.0.1${incoming.url!}`, {
        method: incoming.method!,
        headers: { "content-type": incoming.headers["content-type"] ?? "" },
        body: Buffer.concat(chunks),
      });
      void handler(request).then(
        async (response) => {
          outgoing
            .writeHead(response.status, { ...Object.fromEntries(response.headers), connection: "close" })
            .end(await response.text());
        },
        () => outgoing.writeHead(500, { connection: "close" }).end(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    close,
    clientConfig: {
      url: `https://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`,
      caBundle: Buffer.from(certificate.ca).toString("base64"),
    },
  };
}

function webhooks(target: Target): void {
  let client: Client;
  let namespace = "";
  beforeAll(async () => {
    client = await clientOf(target);
    namespace = await freshNamespace(client);
  });
  afterAll(() => client.close());

  it("mutate, reject and warn on admission", async () => {
    const asked: AdmissionRequest<ConfigMap>[] = [];
    const { clientConfig, close } = await serve(
      admissionWebhook<ConfigMap>((request) => {
        asked.push(request);
        if (request.operation === "DELETE")
          return request.oldObject.data?.["keep"] === "true"
            ? { allowed: false, message: "the object is protected", code: 409, reason: "Conflict" }
            : undefined;
        if (request.operation === "CONNECT") return undefined;
        if (request.object.data?.["bad"] !== undefined) return { allowed: false, message: "bad data" };
        if (request.operation === "CREATE")
          return {
            object: { ...request.object, data: { ...request.object.data, greeting: "grüße ✓" } },
            warnings: ["a greeting was added"],
            auditAnnotations: { changed: "yes" },
          };
        request.object.data = { ...request.object.data, before: request.oldObject.data?.["greeting"] ?? "" };
        return { object: request.object };
      }),
    );
    const configurations = client.resource(MutatingWebhookConfiguration);
    await configurations.create({
      metadata: { name: namespace },
      webhooks: [
        {
          name: "greet.example.com",
          clientConfig,
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
        },
      ],
    });
    const maps = client.resource(ConfigMap).namespace(namespace);
    try {
      // The server needs a moment to load the configuration.
      await vi.waitFor(
        async () => expect((await maps.create({ metadata: { name: "try" } }, { dryRun: "All" })).data).toBeDefined(),
        { timeout: 20_000 },
      );
      expect(asked[0]).toMatchObject({
        operation: "CREATE",
        dryRun: true,
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { resource: "configmaps" },
        namespace,
      });
      const created = await maps.create({ metadata: { name: "a" }, data: { keep: "true" } });
      expect(created.data).toEqual({ keep: "true", greeting: "grüße ✓" });
      expect(getResponseInfo(created)?.warnings.map(({ text }) => text)).toEqual(["a greeting was added"]);
      expect((await maps.update({ ...created, data: { more: "1" } })).data).toEqual({ more: "1", before: "grüße ✓" });
      expect(await failure(maps.create({ metadata: { name: "b" }, data: { bad: "1" } }))).toMatchObject({
        code: 403,
        message: expect.stringContaining(
          'admission webhook "greet.example.com" denied the request: bad data',
        ) as string,
      });
      await maps.update("a", (map) => {
        map.data = { keep: "true" };
      });
      expect(await failure(maps.delete("a"))).toMatchObject({
        code: 409,
        reason: "Conflict",
        message: expect.stringContaining("the object is protected") as string,
      });
    } finally {
      await configurations.delete(namespace);
      await close();
    }
  });

  it("convert custom objects and report failed conversions", async () => {
    const group = `${namespace}.example.com`;
    const { clientConfig, close } = await serve(
      conversionWebhook((object, desired) => {
        const { spec, ...rest } = object as { spec: { size?: number; text?: string } };
        if (spec.text === "none") throw new Error("the size is not a number");
        return { ...rest, spec: desired.endsWith("/v2") ? { text: String(spec.size) } : { size: Number(spec.text) } };
      }),
    );
    const version = (name: string, field: object, storage: boolean): object => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: field } } } },
    });
    const definitions = client.resource(CustomResourceDefinition);
    await definitions.create({
      metadata: { name: `boxes.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "boxes", singular: "box", kind: "Box" },
        versions: [
          version("v1", { size: { type: "number" } }, false),
          version("v2", { text: { type: "string" } }, true),
        ] as never,
        conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
      },
    });
    const boxOf = <Spec>(name: string) =>
      defineKind<Spec, object>()({ group, version: name, kind: "Box", plural: "boxes", scope: "Namespaced" });
    const [first, second] = [
      client.resource(boxOf<{ size?: number }>("v1")).namespace(namespace),
      client.resource(boxOf<{ text?: string }>("v2")).namespace(namespace),
    ];
    try {
      await vi.waitFor(() => second.create({ metadata: { name: "a" }, spec: { text: "7" } }), { timeout: 20_000 });
      expect((await vi.waitFor(() => first.get("a"), { timeout: 20_000 })).spec).toEqual({ size: 7 });
      await first.create({ metadata: { name: "b" }, spec: { size: 9 } });
      expect((await second.get("b")).spec).toEqual({ text: "9" });
      await second.create({ metadata: { name: "c" }, spec: { text: "none" } });
      expect(await failure(first.get("c"))).toMatchObject({
        code: 500,
        message: expect.stringContaining("the size is not a number") as string,
      });
    } finally {
      await definitions.delete(`boxes.${group}`);
      await close();
    }
  });
}
