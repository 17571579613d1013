import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { listen } from "../../src/apiserver/node/listen.js";
import type { Listener } from "../../src/apiserver/node/listen.js";
import { createServerCertificate } from "../../src/apiserver/node/self-signed.js";
import type { ApiServer } from "../../src/apiserver/server.js";
import { createApiServer } from "../../src/apiserver/server.js";
import { kubectlSteps } from "../support/kubectl-steps.js";
import { findKubectl } from "./real-apiserver.js";

const { kubeconfig, missing } = inject("real");
const kubectl = findKubectl();
const lacks = missing ?? (kubectl === undefined ? "there is no kubectl" : undefined);

/** What differs from server to server, or from run to run, is replaced by its kind. */
function neutral(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4} [A-Z]+)?/g, "<time>")
    .replace(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "<time>")
    .replace(/https?:\/\/(127\.0\.0\.1|localhost):\d+/g, "<server>")
    .replace(/(resourceVersion"?: "?)\d+/g, "$1<version>")
    .replace(/(Resource Version: +)\d+/g, "$1<version>")
    .replace(/\b10\.\d+\.\d+\.\d+\b/g, "<address>")
    .replace(/(nodePort"?: |NodePort: +\S+ +|80:)3\d{4}/g, "$1<port>")
    .replace(/<(unknown|invalid)>|\b\d+(m?s|m\d*s?|h)\b/g, "<age>")
    .replace(/"(gitCommit|gitTreeState|buildDate|goVersion|compiler|platform)": "[^"]*"/g, "")
    .replace(/(-manager|scheduler) +Unhealthy.*/g, "$1 Unhealthy")
    .replace(/resourceVersion\\":\\"\d+/g, "<version>")
    .replace(/\/tmp\/[^ \n]+/g, "<file>")
    .replace(/[ \t]+$/gm, "")
    .replace(/ +/g, " ");
}

/** Kinds and fields of an explanation: the descriptions of built-in kinds are each server's own. */
function outline(text: string): string {
  return text.split("\n").filter((line) => /^[A-Z]+:|^ *\S+\t<|^error|^exit/i.test(line)).join("\n");
}

describe.skipIf(lacks !== undefined)(`kubectl tells the same of both servers${lacks === undefined ? "" : ` (skipped: ${lacks})`}`, () => {
  let server: ApiServer;
  let listener: Listener;
  let folder: string;
  let own: string;

  function run(config: string, words: readonly string[], input: string | undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(kubectl!, words, { env: { ...process.env, KUBECONFIG: config, HOME: join(folder, config === own ? "own" : "real"), KUBECTL_EXTERNAL_DIFF: "diff -u -L a -L b -N -r" }, timeout: 60_000 });
      let [out, err] = ["", ""];
      child.stdout.on("data", (chunk) => (out += String(chunk)));
      child.stderr.on("data", (chunk) => (err += String(chunk)));
      child.on("error", reject);
      child.on("close", (code) => resolve(neutral(`${out}${err}exit ${String(code)}`)));
      child.stdin.end(input);
    });
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubestream-kubectl-"));
    own = join(folder, "kubeconfig");
    const admin = { name: "admin", uid: "admin-uid", groups: ["system:masters", "system:authenticated"], extra: {} };
    server = createApiServer({ authorizationMode: "RBAC", tokens: new Map([["secret", admin]]), loops: false });
    const certificate = createServerCertificate(["127.0.0.1"], Date.now());
    listener = await listen(server, { tls: certificate });
    writeFileSync(own, JSON.stringify({
      apiVersion: "v1", kind: "Config", "current-context": "c", contexts: [{ name: "c", context: { cluster: "c", user: "u" } }], users: [{ name: "u", user: { token: "secret" } }],
      clusters: [{ name: "c", cluster: { server: listener.secureUrl, "certificate-authority-data": Buffer.from(certificate.ca).toString("base64") } }],
    }));
  });

  afterAll(async () => {
    await listener?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(kubectlSteps.map((step) => [step.words.join(" "), step] as const))("kubectl %s", async (_name, { words, input }) => {
    const shown = words.includes("explain") ? outline : (text: string) => text;
    const [real, ours] = await Promise.all([kubeconfig!, own].map((config) => run(config, words, input)));
    expect(shown(ours!)).toBe(shown(real!));
  }, 90_000);
});
