import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { AuditEvent } from "../../../src/apiserver/audit/event.js";
import { parseAuditPolicy } from "../../../src/apiserver/audit/policy.js";
import { nodeWebhookCaller } from "../../../src/apiserver/node/webhooks.js";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { withoutWording } from "../../support/outcome.js";
import { exchange } from "../../support/raw-http.js";
import { type AdmissionWebhook, startAdmissionWebhook } from "../../support/webhooks/admission-webhook.js";
import {
  type ConversionWebhook,
  convertAll,
  startConversionWebhook,
} from "../../support/webhooks/conversion-webhook.js";
import { missingReason, type RealApiServer, startRealApiServer } from "../real-apiserver.js";
import {
  answers,
  create,
  endpoints,
  group,
  type Hook,
  map,
  maps,
  onMaps,
  type Request,
  rows,
} from "./webhook-cases.js";

const missing = missingReason();
const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  omitManagedFields: true
  resources: [{group: "", resources: ["configmaps"], resourceNames: ["whole"]}]
- level: Request
  verbs: [create, delete, patch]
  resources: [{group: "", resources: [configmaps]}, {group: "${group}"}]
- level: Metadata
`;

interface Side {
  send(request: Request, id: string): Promise<{ status: number; body: unknown; warning: readonly string[] }>;
  events(id: string, least: number): Promise<readonly AuditEvent[]>;
  readonly hook: AdmissionWebhook;
  readonly conversion: ConversionWebhook;
}

const unstable = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "time",
  "auditID",
  "requestReceivedTimestamp",
  "stageTimestamp",
  "sourceIPs",
  "managedFields",
]);

/** Normalizes an answer for the comparison: drops identities, times and ports. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === "string")
    return value.replace(/127\.0\.0\.1:\d+/g, "HOST").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UID");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !unstable.has(key))
      .map(([key, member]) => [key, comparable(member)]),
  );
}

describe.skipIf(missing !== undefined)(
  `webhooks are called and audited like by a real kube-apiserver${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let folder: string;
    let real: RealApiServer;
    let ours: ApiServer;
    let sides: readonly [real: Side, own: Side];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "kubestream-hooks-"));
      writeFileSync(join(folder, "policy.yaml"), policy);
      real = await startRealApiServer([
        `--audit-policy-file=${join(folder, "policy.yaml")}`,
        `--audit-log-path=${join(folder, "audit.log")}`,
      ]);
      const own: AuditEvent[] = [];
      ours = createApiServer({
        tokens: new Map([["admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} }]]),
        authorizationMode: "RBAC",
        controllers: false,
        webhooks: nodeWebhookCaller,
        audit: { policy: parseAuditPolicy(policy, "policy.yaml"), sink: (event) => void own.push(event) },
      });
      const type = (path: string, method: string): string =>
        method === "PATCH"
          ? path.includes("fieldManager")
            ? "application/apply-patch+yaml"
            : "application/merge-patch+json"
          : "application/json";
      const parse = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown;
      sides = [
        {
          async send([method, path, body], id) {
            const text = body === undefined ? "" : JSON.stringify(body);
            const {
              status,
              headers,
              body: bytes,
            } = await exchange(real.server, [
              `${method} ${path} HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer admin-token\r\nAudit-Id: ${id}\r\nUser-Agent: hooks\r\nConnection: close\r\nContent-Type: ${type(path, method)}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
            ]);
            return { status, body: parse(bytes), warning: headers.get("warning") ?? [] };
          },
          async events(id, least) {
            for (let attempt = 0; ; attempt += 1) {
              const found = readFileSync(join(folder, "audit.log"), "utf8")
                .split("\n")
                .filter((line) => line.includes(`"auditID":"${id}"`))
                .map((line) => JSON.parse(line) as AuditEvent);
              if (found.length >= least || attempt > 200) return found;
              await delay(50);
            }
          },
          hook: await startAdmissionWebhook(answers),
          conversion: await startConversionWebhook(),
        },
        {
          async send([method, path, body], id) {
            const response = await ours.handle(
              new Request(`http://server${path}`, {
                method,
                headers: {
                  authorization: "Bearer admin-token",
                  "audit-id": id,
                  "user-agent": "hooks",
                  "content-type": type(path, method),
                },
                ...(body === undefined ? {} : { body: JSON.stringify(body) }),
              }),
            );
            const warning = response.headers.get("warning");
            return { status: response.status, body: await response.json(), warning: warning === null ? [] : [warning] };
          },
          events: (id) => Promise.resolve(own.filter(({ auditID }) => auditID === id)),
          hook: await startAdmissionWebhook(answers),
          conversion: await startConversionWebhook(),
        },
      ];
      const version = (name: string, properties: object): object => ({
        name,
        served: true,
        storage: name === "v2",
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
      });
      for (const side of sides) {
        side.conversion.answer = convertAll;
        const definition = {
          metadata: { name: `endpoints.${group}` },
          spec: {
            group,
            scope: "Namespaced",
            names: { plural: "endpoints", singular: "endpoint", kind: "Endpoint", listKind: "EndpointList" },
            versions: [
              version("v1", { hostPort: { type: "string" } }),
              version("v2", { host: { type: "string" }, port: { type: "string" } }),
            ],
            conversion: {
              strategy: "Webhook",
              webhook: {
                clientConfig: { url: side.conversion.url, caBundle: side.conversion.caBundle },
                conversionReviewVersions: ["v1"],
              },
            },
          },
        };
        expect(
          (await side.send(["POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition], "set-up"))
            .status,
        ).toBe(201);
        expect((await side.send(["POST", "/api/v1/namespaces", map("hooked")], "set-up")).status).toBe(201);
        expect((await side.send(["POST", maps, map("whole")], "set-up")).status).toBe(201);
        for (const each of ["v1", "v2"])
          await vi.waitFor(
            async () =>
              expect((await side.send(["GET", `${endpoints(each)}?resourceVersion=0`], "set-up")).status).toBe(200),
            { timeout: 20_000 },
          );
      }
    }, 120_000);

    afterAll(async () => {
      await real.stop();
      await ours.close();
      for (const { hook, conversion } of sides) await Promise.all([hook.close(), conversion.close()]);
      rmSync(folder, { recursive: true });
    });

    /** Registers webhooks, one configuration each, and waits until a server calls them. */
    async function register({ send, hook }: Side, hooks: readonly Hook[]): Promise<() => Promise<unknown>> {
      const all: (Hook & { readonly ready?: boolean })[] = [
        ...hooks,
        { answer: "allows", kind: "Mutating", ready: true },
        { answer: "allows", kind: "Validating", ready: true },
      ];
      const paths: string[] = [];
      for (const [at, { answer, kind = "Mutating", ready, ...more }] of all.entries()) {
        const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
        const scope =
          ready === true
            ? {
                rules: [
                  {
                    operations: ["CREATE"],
                    apiGroups: ["coordination.k8s.io"],
                    apiVersions: ["v1"],
                    resources: ["leases"],
                  },
                ],
                namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "hooked" } },
              }
            : {};
        const webhook = {
          name: `h${String(at)}.${group}`,
          clientConfig: { url: hook.url(answer), caBundle: hook.caBundle },
          rules: onMaps,
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          ...more,
          ...scope,
        };
        const name = `${ready === true ? "z" : "c"}${String(at)}`;
        expect(await send(["POST", path, { metadata: { name }, webhooks: [webhook] }], "set-up")).toMatchObject({
          status: 201,
        });
        paths.push(`${path}/${name}`);
      }
      const probe: Request = ["POST", "/apis/coordination.k8s.io/v1/namespaces/hooked/leases?dryRun=All", map("probe")];
      await vi.waitFor(
        async () => {
          hook.take();
          await send(probe, "set-up");
          expect(hook.take()).toHaveLength(2);
        },
        { timeout: 20_000 },
      );
      return async () => {
        for (const path of paths) await send(["DELETE", path], "set-up");
        await vi.waitFor(
          async () => {
            hook.take();
            await send(probe, "set-up");
            expect(hook.take()).toHaveLength(0);
          },
          { timeout: 20_000 },
        );
      };
    }

    it("policies warn and record annotations", async () => {
      const admission = "/apis/admissionregistration.k8s.io/v1";
      const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
      const validation = {
        expression: "object.metadata.name != 'bad'",
        messageExpression: "'no <' + object.metadata.name + '>'",
      };
      const told: unknown[] = [];
      for (const side of sides) {
        await side.send(
          [
            "POST",
            `${admission}/validatingadmissionpolicies`,
            {
              metadata: { name: "p.example.com" },
              spec: {
                matchConstraints: { resourceRules: rules },
                validations: [validation],
                auditAnnotations: [
                  { key: "who", valueExpression: "'by ' + request.userInfo.username" },
                  { key: "none", valueExpression: "null" },
                ],
              },
            },
          ],
          "set-up",
        );
        await side.send(
          [
            "POST",
            `${admission}/validatingadmissionpolicybindings`,
            {
              metadata: { name: "b.example.com" },
              spec: { policyName: "p.example.com", validationActions: ["Warn", "Audit"] },
            },
          ],
          "set-up",
        );
        await vi.waitFor(async () => expect((await side.send(create("bad"), "set-up")).warning).not.toEqual([]), {
          timeout: 20_000,
        });
        for (const name of ["bad", "good"])
          told.push(
            comparable(
              withoutWording({
                answer: await side.send(create(name), `policy-${name}`),
                events: await side.events(`policy-${name}`, 1),
              }),
            ),
          );
      }
      expect(told.slice(2)).toEqual(told.slice(0, 2));
    }, 120_000);

    it.each(rows)(
      "answers, calls and audit events are the same: %s",
      async (title, hooks, requests) => {
        const unregister = await Promise.all(sides.map((side) => register(side, hooks)));
        try {
          for (const [at, request] of requests.entries()) {
            const id = `${title.replace(/[^a-z]+/g, "-")}-${String(at)}`;
            const told: unknown[] = [];
            for (const side of [sides[1], sides[0]]) {
              const answer = await side.send(request, id);
              const least = 1;
              told.unshift(
                comparable(
                  withoutWording({
                    answer,
                    asked: side.hook.take().sort(([a], [b]) => (a < b ? -1 : 1)),
                    events: await side.events(id, least),
                  }),
                ),
              );
            }
            expect(told[1], `${request[0]} ${request[1]}`).toEqual(told[0]);
          }
        } finally {
          await Promise.all(unregister.map((each) => each()));
        }
      },
      120_000,
    );
  },
);
