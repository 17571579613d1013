import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  createServerFolder,
  endProcess,
  findAssets,
  freePort,
  minorVersion,
  startEtcd,
  startKubeApiServer,
} from "./control-plane.js";

/** A kube-apiserver with its etcd, started for the tests. */
export interface RealApiServer {
  /** Path of a kubeconfig with the contexts `admin` and `alice`. */
  readonly kubeconfig: string;
  /** URL of the server, for requests that bypass the client. */
  readonly server: string;
  /** Compacts the history, like the API server does every five minutes. */
  compact(): Promise<void>;
  /** Kills kube-apiserver. The returned function starts it again, with the same port and etcd. */
  kill(): Promise<() => Promise<void>>;
  /** Stops the server. */
  stop(): Promise<void>;
}

/** Returns the reason why the tests cannot start a server, if any. */
export function missingReason(): string | undefined {
  return findAssets() === undefined ? "the kube-apiserver was not built" : undefined;
}

/** Returns the path of kubectl: `KUBECTL`, the one built with the server, or the one in PATH. */
export function findKubectl(): string | undefined {
  const folders = [findAssets(), ...(process.env["PATH"] ?? "").split(":")];
  return [process.env["KUBECTL"], ...folders.map((each) => each && join(each, "kubectl"))].find(
    (file) => file !== undefined && file !== "" && existsSync(file),
  );
}

/** Features that are off by default, by the minor version of Kubernetes that introduced them. */
const features = [
  [32, "CBORServingAndStorage"],
  [36, "ShardedListAndWatch"],
] as const;

/** Starts a new server in a temporary folder, with additional flags; takes some seconds. */
export async function startRealApiServer(flags: readonly string[] = []): Promise<RealApiServer> {
  const folder = createServerFolder();
  const minor = minorVersion();
  const gates = features.filter(([since]) => since <= minor).map(([, name]) => `${name}=true`);
  const all = [
    "--authorization-mode=RBAC",
    "--disable-admission-plugins=ServiceAccount",
    `--feature-gates=${gates.join(",")}`,
    "--runtime-config=api/all=true",
    ...flags,
  ];
  const etcd = await startEtcd(folder);
  const port = await freePort();
  let child: ChildProcess;
  const start = async (): Promise<void> => void ({ child } = await startKubeApiServer(folder, etcd.url, port, all));
  const stop = async (): Promise<void> => {
    await endProcess(child);
    await endProcess(etcd.child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await endProcess(etcd.child);
    throw error;
  }
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText(folder, `https://127.0.0.1:${String(port)}`));
  writeFileSync(join(folder, "etcd.url"), `${etcd.url}\n`);
  return {
    ...describeServer(kubeconfig),
    async kill() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      return start;
    },
    stop,
  };
}

function kubeconfigText(folder: string, server: string): string {
  const authority = readFileSync(join(folder, "certs/apiserver.crt")).toString("base64");
  return `apiVersion: v1
kind: Config
clusters: [{name: local, cluster: {server: "${server}", certificate-authority-data: "${authority}"}}]
users: [{name: admin, user: {token: admin-token}}, {name: alice, user: {token: alice-token}}]
contexts: [{name: admin, context: {cluster: local, user: admin}}, {name: alice, context: {cluster: local, user: alice}}]
current-context: admin
`;
}

/** Describes a server by its kubeconfig. */
export function describeServer(kubeconfig: string): Pick<RealApiServer, "kubeconfig" | "server" | "compact"> {
  const etcd = join(kubeconfig, "../etcd.url");
  return {
    kubeconfig,
    server: /server: "([^"]+)"/.exec(readFileSync(kubeconfig, "utf8"))![1]!,
    compact: () => compact(readFileSync(etcd, "utf8").trim()),
  };
}

/** Compacts like the API server: through the key that coordinates servers, then in etcd. */
async function compact(etcd: string): Promise<void> {
  const key = Buffer.from("compact_rev_key").toString("base64");
  const call = async (path: string, body: object): Promise<{ header?: { revision?: string } }> => {
    const response = await fetch(`${etcd}${path}`, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as { header?: { revision?: string } };
  };
  const answer = await call("/v3/kv/range", { key });
  const revision = answer.header?.revision;
  if (revision === undefined) throw new Error("etcd returned no revision");
  await call("/v3/kv/put", { key, value: Buffer.from(revision).toString("base64") });
  await call("/v3/kv/compaction", { revision, physical: true });
  await delay(50);
}
