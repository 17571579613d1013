import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEvent } from "../../../src/apiserver/audit/event.js";
import { parseAuditPolicy } from "../../../src/apiserver/audit/policy.js";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { type AuditedRequest, auditedRequests, auditPolicy } from "../../support/audit-steps.js";
import { withoutWording } from "../../support/outcome.js";
import { missingReason, type RealApiServer, startRealApiServer } from "../real-apiserver.js";

const missing = missingReason();
const unstable = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "auditID",
  "requestReceivedTimestamp",
  "stageTimestamp",
  "description",
  "details",
]);

/** Normalizes an entry for the comparison: drops identities, times and parser messages. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  // Masks generated names, ages and the wording of refused impersonations, which the log need not share.
  if (typeof value === "string")
    return value
      .replace(/\bg-[a-z0-9]{5}\b/, "g-NAME")
      .replace(/^\d+s$/, "AGE")
      .replace(/^.* cannot impersonate.*$/, "may not impersonate");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !unstable.has(key))
      .map(([key, member]) => [key, comparable(member)]),
  );
}

describe.skipIf(missing !== undefined)(
  `the audit log equals a real kube-apiserver's${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let folder: string;
    let real: RealApiServer;
    let ours: ApiServer;
    const own: AuditEvent[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "kubestream-audit-"));
      writeFileSync(join(folder, "policy.yaml"), auditPolicy);
      real = await startRealApiServer([
        `--audit-policy-file=${join(folder, "policy.yaml")}`,
        `--audit-log-path=${join(folder, "audit.log")}`,
      ]);
      const tokens = new Map([
        ["admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} }],
        ["alice-token", { name: "alice", uid: "alice-uid", groups: ["dev"], extra: {} }],
      ]);
      ours = createApiServer({
        tokens,
        authorizationMode: "RBAC",
        controllers: false,
        audit: { policy: parseAuditPolicy(auditPolicy, "policy.yaml"), sink: (event) => void own.push(event) },
      });
    });

    afterAll(async () => {
      await real.stop();
      await ours.close();
      rmSync(folder, { recursive: true });
    });

    function sendReal(
      method: string,
      path: string,
      headers: Record<string, string>,
      body: string | undefined,
    ): Promise<void> {
      return new Promise((resolve, reject) => {
        const sent = request(
          new URL(path, real.server),
          { method, headers, rejectUnauthorized: false, agent: false },
          (response) => {
            response.resume();
            response.on("end", resolve);
          },
        );
        sent.on("error", reject);
        sent.end(body);
      });
    }

    it.each(auditedRequests.map((one) => [one.title, one] as const))(
      "%s",
      async (title, { method, path, token = "admin-token", body, type, headers }: AuditedRequest) => {
        const id = `${title.replaceAll(" ", "-")}-id`;
        const all = {
          "user-agent": "audit-tests",
          ...headers,
          authorization: `Bearer ${token}`,
          "audit-id": headers?.["audit-id"] ?? id,
          ...(body === undefined ? {} : { "content-type": type ?? "application/json" }),
        };
        const text = body === undefined ? undefined : JSON.stringify(body);
        const target = path.replace("NS", "default");
        await sendReal(method, target, all, text);
        const before = own.length;
        await (
          await ours.handle(
            new Request(`http://server${target}`, {
              method,
              headers: all,
              ...(text === undefined ? {} : { body: text }),
            }),
          )
        ).text();
        const got = own.slice(before);
        let wanted: AuditEvent[] = [];
        for (let attempt = 0; attempt < 200; attempt += 1) {
          wanted = readFileSync(join(folder, "audit.log"), "utf8")
            .split("\n")
            .filter((line) => line.includes(`"auditID":"${all["audit-id"]}"`))
            .map((line) => JSON.parse(line) as AuditEvent);
          if (wanted.length >= Math.max(1, got.length)) break;
          if (got.length === 0 && attempt > 3) break;
          await delay(50);
        }
        // In-process requests have no source address, so the real client's is removed.
        const local = wanted.map(({ sourceIPs, ...event }) => {
          const addresses = (sourceIPs ?? []).filter((address) => address !== "127.0.0.1");
          return addresses.length === 0 ? event : { ...event, sourceIPs: addresses };
        });
        expect(
          withoutWording(comparable(got)),
          `real: ${JSON.stringify(wanted)}\nours: ${JSON.stringify(got)}`,
        ).toEqual(withoutWording(comparable(local)));
      },
    );
  },
);
