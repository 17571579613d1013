import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { nodeWebhookCaller } from "../../../src/apiserver/node/webhooks.js";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { openTransport } from "../../../src/node/connection/open-transport.js";
import type { Transport } from "../../../src/transport/transport.js";
import {
  conversionDefinition,
  conversionSteps,
  definitionName,
  definitions,
  group,
} from "../../support/conversion-steps.js";
import { withoutWording } from "../../support/outcome.js";
import {
  type ConversionWebhook,
  convertAll,
  startConversionWebhook,
} from "../../support/webhooks/conversion-webhook.js";

const { kubeconfig, missing } = inject("real");

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly warnings: readonly string[];
}

type Call = (method: string, path: string, body?: unknown, type?: string, accept?: string) => Promise<Answer>;

function parse(status: number, text: string, warning: string | null): Answer {
  const warnings = [...(warning ?? "").matchAll(/299 [^ ]+ "((?:[^"\\]|\\.)*)"/g)].map((match) =>
    match[1]!.replace(/\\(.)/g, "$1"),
  );
  const json = text.startsWith("{") && !text.trim().includes("\n");
  return { status, body: (json ? JSON.parse(text) : { text }) as Record<string, unknown>, warnings };
}

const unstable = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "time",
  "continue",
  "description",
  "managedFields",
]);

/**
 * Normalizes an answer for the comparison: drops identities, times and column descriptions. Managers are identified by
 * the fields they own.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null)
    return typeof value === "string" ? value.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UID") : value;
  const { managedFields } = value as { managedFields?: { time?: string }[] };
  const entries = Object.entries(value).map(
    ([key, member]) =>
      [key, unstable.has(key) ? (key === "continue" ? member !== "" : "some") : comparable(member)] as const,
  );
  if (managedFields !== undefined)
    entries.push(["managers", managedFields.map(({ time: _time, ...entry }) => JSON.stringify(sorted(entry))).sort()]);
  return Object.fromEntries(entries);
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

describe.skipIf(kubeconfig === undefined)(
  `webhook conversions give the same results as a real kube-apiserver${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let ours: ApiServer;
    let transport: Transport;
    let hooks: readonly [real: ConversionWebhook, own: ConversionWebhook];
    let calls: readonly [real: Call, own: Call];
    const namespace = `convert-${Date.now().toString(36)}`;

    const conversion = (hook: ConversionWebhook): object => ({
      strategy: "Webhook",
      webhook: { clientConfig: { url: hook.url, caBundle: hook.caBundle }, conversionReviewVersions: ["v2", "v1"] },
    });
    /** Waits until a server uses the current definition: every version can be listed from the cache. */
    const served = async (call: Call): Promise<void> => {
      for (const version of ["v1", "v2"]) {
        await vi.waitFor(
          async () =>
            expect(
              (await call("GET", `/apis/${group}/${version}/namespaces/${namespace}/endpoints?resourceVersion=0`))
                .status,
            ).toBe(200),
          { timeout: 20_000 },
        );
      }
    };

    beforeAll(async () => {
      ours = createApiServer({
        tokens: new Map([["t", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
        controllers: false,
        webhooks: nodeWebhookCaller,
      });
      ({ transport } = await openTransport({ kubeconfig: kubeconfig! }));
      hooks = [await startConversionWebhook(), await startConversionWebhook()];
      const real: Call = async (method, path, body, type, accept = "application/json") => {
        const headers = { accept, ...(body === undefined ? {} : { "content-type": type ?? "application/json" }) };
        const response = await transport.send({
          method,
          path,
          headers,
          signal: new AbortController().signal,
          ...(body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }),
        });
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body) chunks.push(chunk);
        return parse(response.status, Buffer.concat(chunks).toString("utf8"), response.headers.get("warning"));
      };
      const own: Call = async (method, path, body, type, accept = "application/json") => {
        const response = await ours.handle(
          new Request(`http://server${path}`, {
            method,
            headers: {
              authorization: "Bearer t",
              accept,
              ...(body === undefined ? {} : { "content-type": type ?? "application/json" }),
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          }),
        );
        return parse(response.status, await response.text(), response.headers.get("warning"));
      };
      calls = [real, own];
      for (const [at, call] of calls.entries()) {
        await call("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
        expect((await call("POST", definitions, conversionDefinition("v1", conversion(hooks[at]!)))).status).toBe(201);
        await served(call);
      }
      await delay(5000);
    });

    afterAll(async () => {
      await calls[0]("DELETE", `${definitions}/${definitionName}`);
      await transport.close();
      await ours.close();
      await Promise.all(hooks.map((hook) => hook.close()));
    });

    it.each(conversionSteps.map((step) => [step.title, step] as const))(
      "%s",
      async (_title, { method, path, body, current, type, accept, answer, storage }) => {
        const answers = await Promise.all(
          calls.map(async (call, at) => {
            const hook = hooks[at]!;
            hook.answer = convertAll;
            if (storage !== undefined) {
              const changed = await call(
                "PATCH",
                `${definitions}/${definitionName}`,
                { spec: { versions: (conversionDefinition(storage, {})["spec"] as { versions: unknown }).versions } },
                "application/merge-patch+json",
              );
              expect(changed.status, JSON.stringify(changed.body)).toBe(200);
              expect((changed.body as { status: { storedVersions: string[] } }).status.storedVersions).toEqual([
                "v1",
                "v2",
              ]);
              await delay(6000);
              await served(call);
            }
            let sent = body;
            if (current === true) {
              const { resourceVersion } = (
                await call("GET", `/apis/${path.replace("NS", namespace).replace("/status", "")}`)
              ).body["metadata"] as { resourceVersion: string };
              sent = { ...(body as object), metadata: { ...(body as { metadata: object }).metadata, resourceVersion } };
            }
            // The watch cache follows at its own pace: it should see the same answers as the request itself.
            if (answer !== undefined && at === 0) await delay(1000);
            hook.answer = answer ?? convertAll;
            const result = await call(method, `/apis/${path.replace("NS", namespace)}`, sent, type, accept);
            if (answer !== undefined && at === 0 && method !== "GET") await delay(1000);
            hook.answer = convertAll;
            return result;
          }),
        );
        const [wanted, got] = answers.map((one) => comparable(withoutWording(one)));
        expect(got, `real: ${JSON.stringify(answers[0]?.body)}\nours: ${JSON.stringify(answers[1]?.body)}`).toEqual(
          wanted,
        );
      },
    );

    it("sends converted objects to watches", async () => {
      const path = `/apis/${group}/v2/namespaces/${namespace}/endpoints`;
      const events = await Promise.all(
        calls.map(async (call) => {
          const { resourceVersion } = (await call("GET", path)).body["metadata"] as { resourceVersion: string };
          const watch = call("GET", `${path}?watch=1&timeoutSeconds=3&resourceVersion=${resourceVersion}`);
          const object = {
            apiVersion: `${group}/v1`,
            kind: "Endpoint",
            metadata: { name: "seen" },
            spec: { hostPort: "s:1" },
          };
          await call("POST", path.replace("/v2/", "/v1/"), object);
          await call("PATCH", `${path}/seen`, { spec: { port: "2" } }, "application/merge-patch+json");
          await call("DELETE", `${path}/seen`);
          const { body } = await watch;
          const text = (body["text"] as string | undefined) ?? JSON.stringify(body);
          return text
            .trim()
            .split("\n")
            .map((line) => comparable(withoutWording(JSON.parse(line))));
        }),
      );
      expect(events[1]).toEqual(events[0]);
      expect(events[1]).toHaveLength(3);
    });
  },
);
