import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { comparable, type Difference, differences } from "../differential/compare.js";
import { findAssets } from "./real-apiserver.js";

/** Request that both servers get. */
export interface PairRequest {
  readonly method?: string;
  readonly path: string;
  /** Bearer token; `""` sends none. Default: the administrator's. */
  readonly token?: string;
  /** Client certificate and key in PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly json?: unknown;
  /** Values of the answer to ignore, as JSON pointers with `*` for any key. */
  readonly ignore?: readonly string[];
}

/** Answer of one server. */
export interface PairAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Parsed body, or the text if it isn't JSON. */
  readonly value: unknown;
}

/** A running server. */
export interface OneServer {
  readonly url: string;
  send(step: PairRequest): Promise<PairAnswer>;
}

/** A kube-apiserver and `kubestream apiserver`, started with the same flags. */
export interface ServerPair {
  readonly real: OneServer;
  readonly own: OneServer;
  /** Sends a request to both. */
  both(step: PairRequest): Promise<{ readonly real: PairAnswer; readonly own: PairAnswer }>;
  /** Sends a request to both, and returns where the answers differ, without wording. */
  compare(step: PairRequest): Promise<Difference[]>;
  /** Creates an object on both. Throws if one of them refuses it. */
  create(path: string, json: object): Promise<void>;
  stop(): Promise<void>;
}

/** End of a server that could not start. */
export interface FailedStart {
  readonly code: number | null;
  readonly output: string;
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Flags that both servers need. */
function commonFlags(folder: string): string[] {
  return [
    `--service-account-key-file=${join(folder, "sa.pub")}`,
    `--service-account-signing-key-file=${join(folder, "sa.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--allow-privileged=true",
  ];
}

/** Writes the files that both servers read. */
export function createPairFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-pair-"));
  const openssl = (...words: string[]): void =>
    void execFileSync("openssl", words, { cwd: folder, stdio: "ignore", timeout: 30_000 });
  openssl("genrsa", "-out", "sa.key", "2048");
  openssl("rsa", "-in", "sa.key", "-pubout", "-out", "sa.pub");
  writeFileSync(
    join(folder, "tokens.csv"),
    'admin-token,admin,admin-uid,"system:masters"\nalice-token,alice,alice-uid,"dev"\n',
  );
  return folder;
}

/** Returns the words that start the embedded server with kube-apiserver's flags. */
export function ownCommand(folder: string, flags: readonly string[]): string[] {
  const kubeconfig = `--kubeconfig=${join(folder, "kubeconfig")}`;
  const program = ["--import", "tsx", join(root, "src/cli/main.ts"), "apiserver"];
  const own = ["--controllers=", "--tls", "--cluster-defaults", kubeconfig];
  return [...program, ...own, ...commonFlags(folder), ...flags];
}

/** Returns the words that start the real server. */
export function realCommand(folder: string, etcd: string, port: number, flags: readonly string[]): string[] {
  return [
    `--etcd-servers=${etcd}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${String(port)}`,
    `--cert-dir=${join(folder, "certs")}`,
    ...commonFlags(folder),
    ...flags,
  ];
}

/**
 * Starts both servers with the same flags of kube-apiserver; takes some seconds. They know the tokens `admin-token`
 * (`system:masters`) and `alice-token`. `folder` holds the files that the flags name, and is removed at the end.
 */
export async function startPair(folder: string, flags: readonly string[]): Promise<ServerPair> {
  const children: ChildProcess[] = [];
  const all = [`--token-auth-file=${join(folder, "tokens.csv")}`, ...flags];
  const stop = async (): Promise<void> => {
    await Promise.all(children.reverse().map(endProcess));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const etcd = await startEtcd(folder, children);
    const [real, own] = await Promise.all([startReal(folder, etcd, all, children), startOwn(folder, all, children)]);
    const both = async (step: PairRequest): Promise<{ real: PairAnswer; own: PairAnswer }> => {
      const [wanted, got] = await Promise.all([real.send(step), own.send(step)]);
      return { real: wanted, own: got };
    };
    return {
      real,
      own,
      both,
      async compare(step) {
        const answers = await both(step);
        const shape = {
          method: "GET",
          path: step.path,
          ...(step.ignore === undefined ? {} : { ignore: step.ignore }),
        } as const;
        return differences(comparable(answers.real, shape), comparable(answers.own, shape));
      },
      async create(path, json) {
        const answers = await both({ method: "POST", path, json });
        const [wanted, got] = [answers.real.status, answers.own.status];
        if (wanted !== 201 || got !== 201)
          throw new Error(`POST ${path}: the real server answered ${String(wanted)}, the embedded one ${String(got)}`);
      },
      async stop() {
        await Promise.all([real.close(), own.close()]);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function program(name: string): string {
  const assets = findAssets();
  if (assets === undefined) throw new Error("the kube-apiserver was not built");
  return join(assets, name);
}

/** Returns a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startEtcd(folder: string, children: ChildProcess[]): Promise<string> {
  const [client, peer] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${String(client)}`;
  const peers = `http://127.0.0.1:${String(peer)}`;
  const log = openSync(join(folder, "etcd.log"), "w");
  const flags = [
    `--data-dir=${join(folder, "etcd")}`,
    "--unsafe-no-fsync",
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
  ];
  children.push(spawn(program("etcd"), flags, { stdio: ["ignore", log, log] }));
  return url;
}

async function startReal(
  folder: string,
  etcd: string,
  flags: readonly string[],
  children: ChildProcess[],
): Promise<OneServer & { close(): Promise<void> }> {
  const port = await freePort();
  const log = join(folder, "kube-apiserver.log");
  const file = openSync(log, "w");
  const child = spawn(program("kube-apiserver"), realCommand(folder, etcd, port, flags), {
    stdio: ["ignore", file, file],
  });
  children.push(child);
  const server = connectTo(`https://127.0.0.1:${String(port)}`);
  for (let tries = 0; ; tries += 1) {
    const ready = await server.send({ path: "/readyz" }).catch(() => undefined);
    if (ready?.status === 200) return server;
    if (child.exitCode !== null || tries === 400)
      throw new Error(`kube-apiserver did not start: ${readFileSync(log, "utf8").slice(-2000)}`);
    await delay(250);
  }
}

async function startOwn(
  folder: string,
  flags: readonly string[],
  children: ChildProcess[],
): Promise<OneServer & { close(): Promise<void> }> {
  const child = spawn(process.execPath, ownCommand(folder, flags), { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`kubestream apiserver ended with ${String(code)}`)));
  });
  return connectTo((JSON.parse(line) as { url: string }).url);
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(timer);
}

function connectTo(url: string): OneServer & { close(): Promise<void> } {
  const agents = new Map<string, Agent>();
  const agentFor = (certificate: PairRequest["certificate"]): Agent => {
    const key = certificate?.cert ?? "";
    let agent = agents.get(key);
    if (agent === undefined) {
      agent = new Agent({ connect: { rejectUnauthorized: false, ...certificate }, bodyTimeout: 30_000 });
      agents.set(key, agent);
    }
    return agent;
  };
  return {
    url,
    async send({ method = "GET", path, token = "admin-token", certificate, headers = {}, json }) {
      const response = await request(`${url}${path}`, {
        method: method as "GET",
        dispatcher: agentFor(certificate),
        headers: {
          "user-agent": "probe/1",
          ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...(headers as Record<string, string | string[]>),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      const body = new Uint8Array(await response.body.arrayBuffer());
      const fields = Object.entries(response.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join("\n") : (value ?? ""),
      ]);
      return {
        status: response.statusCode,
        headers: Object.fromEntries(fields) as Record<string, string>,
        body,
        value: parsed(new TextDecoder().decode(body)),
      };
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
