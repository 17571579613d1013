import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** A kube-apiserver with its etcd, started for the tests. */
export interface RealApiServer {
  /** Path of a kubeconfig with the contexts `admin` and `alice`. */
  readonly kubeconfig: string;
  /** URL of the server, for requests that bypass the client. */
  readonly server: string;
  /** Compacts the history, like the API server does every five minutes. */
  compact(): Promise<void>;
  /** Stops the server. */
  stop(): void;
}

/** Returns the reason why the tests cannot start a server, if any. */
export function missingReason(): string | undefined {
  if (!existsSync(join(folder(), "start"))) return "no programs to start a kube-apiserver with";
  return findAssets() === undefined ? "the kube-apiserver was not built" : undefined;
}

function folder(): string {
  return resolve(process.env["KUBESTREAM_SHARED"] ?? "../shared", "real-apiserver");
}

/** Returns the folder of the built programs. Building takes minutes, so the tests don't do it. */
export function findAssets(): string | undefined {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(process.env["HOME"] ?? "", ".cache");
  const places = [process.env["KUBEBUILDER_ASSETS"], join(cache, "kube-assets/v1.36.3")];
  return places.find(
    (place) => place !== undefined && existsSync(join(place, "kube-apiserver")) && existsSync(join(place, "etcd")),
  );
}

/** Returns the path of kubectl: `KUBECTL`, the one built with the server, or the one in PATH. */
export function findKubectl(): string | undefined {
  const folders = [findAssets(), ...(process.env["PATH"] ?? "").split(":")];
  return [process.env["KUBECTL"], ...folders.map((each) => each && join(each, "kubectl"))].find(
    (file) => file !== undefined && file !== "" && existsSync(file),
  );
}

/** Starts a new server in a temporary folder, with additional flags; takes some seconds. */
export function startRealApiServer(flags: readonly string[] = []): RealApiServer {
  const directory = mkdtempSync(join(tmpdir(), "kubestream-e2e-"));
  const environment = { ...process.env, KUBEBUILDER_ASSETS: findAssets(), APISERVER_FLAGS: flags.join(" ") };
  const kubeconfig = execFileSync(join(folder(), "start"), [directory], {
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 90_000,
  })
    .trim()
    .split("\n")
    .at(-1)!;
  return {
    ...describeServer(kubeconfig),
    stop() {
      execFileSync(join(folder(), "stop"), [directory], { stdio: "ignore", timeout: 60_000 });
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Describes a server by its kubeconfig. */
export function describeServer(kubeconfig: string): Omit<RealApiServer, "stop"> {
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
