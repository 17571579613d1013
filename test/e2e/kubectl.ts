import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "../../src/apiserver/node/listen.js";
import type { ApiServerOptions } from "../../src/apiserver/options.js";
import type { ApiServer } from "../../src/apiserver/server.js";
import { createApiServer } from "../../src/apiserver/server.js";
import { createServerCertificate } from "../../src/certificates/authority.js";

/** Result of a kubectl call. */
export interface KubectlRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs kubectl with a kubeconfig. Its caches are stored in `home`. */
export function runKubectl(
  kubectl: string,
  config: string,
  home: string,
  words: readonly string[],
  input?: string,
): Promise<KubectlRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(kubectl, words, {
      env: { ...process.env, KUBECONFIG: config, HOME: home, KUBECTL_EXTERNAL_DIFF: "diff -u -L a -L b -N -r" },
      timeout: 60_000,
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += String(chunk)));
    child.stderr.on("data", (chunk) => (err += String(chunk)));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, out, err }));
    child.stdin.end(input);
  });
}

/** The embedded server over TLS with RBAC, and a kubeconfig for its only user, `admin`. */
export interface KubectlServer {
  readonly server: ApiServer;
  readonly kubeconfig: string;
  /** Temporary folder, removed on close. */
  readonly folder: string;
  /** Stops the server. */
  close(): Promise<void>;
}

/** Starts the embedded server for kubectl. `controllers` is the option of `createApiServer`. */
export function startForKubectl(controllers?: false): Promise<KubectlServer> {
  return serveForKubectl((options) =>
    createApiServer({ ...options, ...(controllers === undefined ? {} : { controllers }) }),
  );
}

/** Serves a server that `start` creates with the given options. */
export async function serveForKubectl(
  start: (options: ApiServerOptions) => ApiServer | Promise<ApiServer>,
): Promise<KubectlServer> {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-kubectl-"));
  const kubeconfig = join(folder, "kubeconfig");
  const admin = { name: "admin", uid: "admin-uid", groups: ["system:masters", "system:authenticated"], extra: {} };
  const server = await start({ authorizationMode: "RBAC", tokens: new Map([["secret", admin]]) });
  const certificate = createServerCertificate(["127.0.0.1"], Date.now());
  const listener = await listen(server, { tls: certificate });
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      users: [{ name: "u", user: { token: "secret" } }],
      clusters: [
        {
          name: "c",
          cluster: {
            server: listener.secureUrl,
            "certificate-authority-data": Buffer.from(certificate.ca).toString("base64"),
          },
        },
      ],
    }),
  );
  return {
    server,
    kubeconfig,
    folder,
    async close() {
      await listener.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
