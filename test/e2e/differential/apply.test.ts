import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { openTransport } from "../../../src/node/connection/open-transport.js";
import type { Transport } from "../../../src/transport/transport.js";
import { randomFrom, randomWrite, type WriteTarget, widgetDefinition } from "../../support/random-writes.js";

const { kubeconfig, missing } = inject("real");
const kinds = ["ConfigMap", "Deployment", "Service", "Widget"] as const;
const sequences = Number(process.env["DIFFERENTIAL_SEQUENCES"] ?? 24);
const steps = 12;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly warnings: readonly string[];
}

type Call = (method: string, path: string, type?: string, body?: unknown) => Promise<Answer>;

function parse(status: number, text: string, warning: string | null): Answer {
  const warnings = [...(warning ?? "").matchAll(/299 [^ ]+ "((?:[^"\\]|\\.)*)"/g)].map((match) =>
    match[1]!.replace(/\\(.)/g, "$1"),
  );
  return { status, body: (text.startsWith("{") ? JSON.parse(text) : { text }) as Record<string, unknown>, warnings };
}

/** Normalizes an answer for the comparison: drops identities, times and the wording of messages. */
function comparable(answer: Answer): unknown {
  const body = structuredClone(answer.body) as {
    metadata?: Record<string, unknown>;
    details?: { causes?: { reason?: string; field?: string }[] };
    message?: string;
    kind?: string;
  };
  for (const key of ["uid", "resourceVersion", "creationTimestamp"]) delete body.metadata?.[key];
  const managed = body.metadata?.["managedFields"] as Record<string, unknown>[] | undefined;
  for (const entry of managed ?? []) entry["time"] = entry["time"] === undefined ? "none" : "some";
  managed?.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const spec = (body as { spec?: Record<string, unknown> }).spec;
  for (const key of ["clusterIP", "clusterIPs"]) if (spec?.[key] !== undefined) spec[key] = "assigned";
  if (body.kind === "Status") {
    delete body.message;
    body.details?.causes?.forEach((cause) => delete (cause as { message?: string }).message);
    body.details?.causes?.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return { status: answer.status, body, warnings: [...answer.warnings].sort() };
}

const order = (entry: Record<string, unknown>): string =>
  JSON.stringify([entry["operation"], entry["time"], entry["manager"], entry["apiVersion"], entry["subresource"]]);

describe.skipIf(kubeconfig === undefined)(
  `random writes give the same results as a real kube-apiserver${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let ours: ApiServer;
    let transport: Transport;
    let real: Call;
    let own: Call;
    const namespace = `fuzz-${Date.now().toString(36)}`;

    beforeAll(async () => {
      ours = createApiServer({
        tokens: new Map([["t", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
        controllers: false,
      });
      const opened = await openTransport({ kubeconfig: kubeconfig! });
      transport = opened.transport;
      real = async (method, path, type, body) => {
        const headers = { accept: "application/json", ...(type === undefined ? {} : { "content-type": type }) };
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
      own = async (method, path, type, body) => {
        const response = await ours.handle(
          new Request(`http://server${path}`, {
            method,
            headers: { authorization: "Bearer t", ...(type === undefined ? {} : { "content-type": type }) },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          }),
        );
        return parse(response.status, await response.text(), response.headers.get("warning"));
      };
      for (const call of [real, own]) {
        await call("POST", "/api/v1/namespaces", "application/json", { metadata: { name: namespace } });
        await call(
          "POST",
          "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
          "application/json",
          widgetDefinition,
        );
        await vi.waitFor(
          async () =>
            expect(
              (await call("GET", `/apis/fuzz.cf.dev/v1/namespaces/${namespace}/widgets?resourceVersion=0`)).status,
            ).toBe(200),
          { timeout: 20_000 },
        );
      }
    });

    afterAll(async () => {
      await real("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.fuzz.cf.dev");
      await transport.close();
      await ours.close();
    });

    const base = Number(process.env["DIFFERENTIAL_SEED"] ?? 1);
    it.each(Array.from({ length: sequences }, (_, at) => [kinds[at % kinds.length]!, base + at] as const))(
      "%s, seed %i",
      async (kind, seed) => {
        const random = randomFrom(seed);
        const target: WriteTarget = { kind, namespace, name: `o-${kind.toLowerCase()}-${seed}` };
        let live: { real: Record<string, unknown>; own: Record<string, unknown> } | undefined;
        for (let step = 0; step < steps; step += 1) {
          const write = randomWrite(target, random, live?.real);
          const adapted = live === undefined ? write.body : adapt(write.body, live);
          const [wanted, got] = await Promise.all([
            real(write.method, write.path, write.type, write.body),
            own(write.method, write.path, write.type, adapted),
          ]);
          expect(
            comparable(got),
            `step ${step}: ${write.method} ${write.path} ${write.type} ${JSON.stringify(write.body)}\nreal: ${JSON.stringify(wanted.body)}\nours: ${JSON.stringify(got.body)}`,
          ).toEqual(comparable(wanted));
          if (wanted.status < 300) live = { real: wanted.body, own: got.body };
        }
      },
    );
  },
);

/** Returns the body with values that each server generates replaced by our server's. */
function adapt(body: unknown, live: { real: Record<string, unknown>; own: Record<string, unknown> }): unknown {
  const text = chosen(live.real).reduce<string>(
    (changed, value, at) => (value === undefined ? changed : changed.replaceAll(value, chosen(live.own)[at] ?? value)),
    JSON.stringify(body),
  );
  return JSON.parse(text) as unknown;
}

function chosen(object: Record<string, unknown>): (string | undefined)[] {
  const { metadata, spec } = object as {
    metadata: { uid: string; resourceVersion: string };
    spec?: { clusterIP?: string };
  };
  return [metadata.uid, `"resourceVersion":"${metadata.resourceVersion}"`, spec?.clusterIP];
}
