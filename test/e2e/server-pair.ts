import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { comparable, type Difference, differences } from "../differential/compare.js";
import { endProcess, freePort, serverFlags, startEtcd, startKubeApiServer } from "./control-plane.js";

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

/** Returns the words that start the embedded server with kube-apiserver's flags. */
export function ownCommand(folder: string, flags: readonly string[]): string[] {
  const kubeconfig = `--kubeconfig=${join(folder, "kubeconfig")}`;
  const program = ["--import", "tsx", join(root, "src/cli/main.ts"), "apiserver"];
  const own = ["--controllers=", "--tls", "--cluster-defaults", kubeconfig];
  return [...program, ...own, ...serverFlags(folder), ...flags];
}

/**
 * Starts both servers with the same flags of kube-apiserver; takes some seconds. They know the tokens `admin-token`
 * (`system:masters`) and `alice-token`. `folder` holds the files that the flags name, and is removed at the end.
 */
export async function startPair(folder: string, flags: readonly string[]): Promise<ServerPair> {
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(children.reverse().map(endProcess));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const etcd = await startEtcd(folder);
    children.push(etcd.child);
    const [real, own] = await Promise.all([
      startReal(folder, etcd.url, flags, children),
      startOwn(folder, flags, children),
    ]);
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

async function startReal(
  folder: string,
  etcd: string,
  flags: readonly string[],
  children: ChildProcess[],
): Promise<OneServer & { close(): Promise<void> }> {
  const { child, url } = await startKubeApiServer(folder, etcd, await freePort(), flags);
  children.push(child);
  return connectTo(url);
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
