// Starts and ends the programs of a real control plane.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";

/** Returns the folder of the built programs. Building takes minutes, so the tests don't do it. */
export function findAssets(): string | undefined {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(process.env["HOME"] ?? "", ".cache");
  const places = [process.env["KUBEBUILDER_ASSETS"], join(cache, "kube-assets/v1.36.3")];
  return places.find(
    (place) => place !== undefined && existsSync(join(place, "kube-apiserver")) && existsSync(join(place, "etcd")),
  );
}

function program(name: string): string {
  const assets = findAssets();
  if (assets === undefined) throw new Error("the kube-apiserver was not built");
  return join(assets, name);
}

/** Returns the minor version of the built kube-apiserver, such as 36. */
export function minorVersion(): number {
  const text = execFileSync(program("kube-apiserver"), ["--version"], { encoding: "utf8", timeout: 30_000 });
  return Number(/v1\.(\d+)/.exec(text)![1]);
}

/** Makes a folder with the keys and tokens that kube-apiserver reads: `admin-token` (system:masters) and `alice-token`. */
export function createServerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-real-"));
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  writeFileSync(join(folder, "sa.key"), privateKey);
  writeFileSync(join(folder, "sa.pub"), publicKey);
  writeFileSync(
    join(folder, "tokens.csv"),
    'admin-token,admin,admin-uid,"system:masters"\nalice-token,alice,alice-uid,"dev"\n',
  );
  return folder;
}

/** Flags that name the files of `createServerFolder`, and what every server of the tests needs. */
export function serverFlags(folder: string): string[] {
  return [
    `--service-account-key-file=${join(folder, "sa.pub")}`,
    `--service-account-signing-key-file=${join(folder, "sa.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--token-auth-file=${join(folder, "tokens.csv")}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--allow-privileged=true",
  ];
}

/** Returns a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A program that runs, and the URL that it listens on. */
export interface RunningProgram {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts etcd with its data in `folder`, and doesn't wait until it is ready. */
export async function startEtcd(folder: string): Promise<RunningProgram> {
  const [url, peers] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${String(port)}`);
  const log = openSync(join(folder, "etcd.log"), "w");
  const flags = [
    `--data-dir=${join(folder, "etcd")}`,
    "--unsafe-no-fsync",
    `--listen-client-urls=${url!}`,
    `--advertise-client-urls=${url!}`,
    `--listen-peer-urls=${peers!}`,
    `--initial-advertise-peer-urls=${peers!}`,
    `--initial-cluster=default=${peers!}`,
  ];
  return { child: spawn(program("etcd"), flags, { stdio: ["ignore", log, log] }), url: url! };
}

/** Starts kube-apiserver on `port`, with its certificate in `folder`, and waits until it is ready. */
export async function startKubeApiServer(
  folder: string,
  etcd: string,
  port: number,
  flags: readonly string[],
): Promise<RunningProgram> {
  const log = join(folder, "kube-apiserver.log");
  const file = openSync(log, "a");
  const words = [
    `--etcd-servers=${etcd}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${String(port)}`,
    `--cert-dir=${join(folder, "certs")}`,
    ...serverFlags(folder),
    ...flags,
  ];
  const child = spawn(program("kube-apiserver"), words, { cwd: folder, stdio: ["ignore", file, file] });
  const url = `https://127.0.0.1:${String(port)}`;
  try {
    await untilReady(url, child);
  } catch {
    await endProcess(child);
    throw new Error(`kube-apiserver did not start: ${readFileSync(log, "utf8").slice(-2000)}`);
  }
  return { child, url };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const headers = { authorization: "Bearer admin-token" };
  try {
    for (let tries = 0; tries < 400 && child.exitCode === null; tries += 1) {
      const response = await request(`${url}/readyz`, { dispatcher, headers }).catch(() => undefined);
      await response?.body.dump();
      if (response?.statusCode === 200) return;
      await delay(250);
    }
    throw new Error("not ready");
  } finally {
    await dispatcher.destroy();
  }
}

/** Ends a program, after ten seconds by force. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(timer);
}
