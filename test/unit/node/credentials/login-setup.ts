import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach } from "vitest";
import type { Clock } from "../../../../src/internal/clock.js";
import { systemClock } from "../../../../src/internal/clock.js";
import type { ConnectedClient, ConnectOptions } from "../../../../src/node/connection/connect.js";
import { connect } from "../../../../src/node/connection/connect.js";
import { bodyOf, pkiData, serve } from "../local-server.js";

/** Files of one test. */
export interface LoginFiles {
  /** Returns the path of a file. */
  path(name: string): string;
  /** Writes a file and returns its path. */
  put(name: string, text: string): Promise<string>;
  /** Writes a kubeconfig with one user and one cluster, and returns its path. */
  kubeconfig(server: string, user: object, cluster?: object): Promise<string>;
}

/** Gives each test of the calling file a folder of its own. */
export function loginFiles(): LoginFiles {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "login-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  const put = async (name: string, text: string): Promise<string> => {
    await writeFile(path(name), text);
    return path(name);
  };

  const kubeconfig = (server: string, user: object, cluster: object = {}): Promise<string> =>
    put(
      "config",
      JSON.stringify({
        "current-context": "c",
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
        clusters: [
          {
            name: "c",
            cluster: {
              server,
              ...(server.startsWith("https") && { "certificate-authority-data": pkiData("ca.crt") }),
              ...cluster,
            },
          },
        ],
        users: [{ name: "u", user }],
      }),
    );
  return { path, put, kubeconfig };
}

/** Request as the server received it. */
export interface Seen {
  authorization: string | undefined;
  subject: string | string[] | undefined;
  url: string | undefined;
  body: string;
  raw: string[];
}

/** Starts a server that accepts the requests with some credentials. */
export async function clusterServer(
  accept: (authorization: string | undefined) => boolean = () => true,
  tls: { certificate?: string; mutual?: boolean } | undefined = {},
) {
  const seen: Seen[] = [];
  const server = await serve((request: IncomingMessage, response: ServerResponse) => {
    const certificate = (request.socket as TLSSocket).getPeerCertificate?.();
    void bodyOf(request).then((body) => {
      seen.push({
        authorization: request.headers.authorization,
        subject: certificate?.subject?.CN,
        url: request.url,
        body,
        raw: request.rawHeaders,
      });
      const ok = accept(request.headers.authorization);
      response.writeHead(ok ? 200 : 401, { "content-type": "application/json" });
      response.end(
        JSON.stringify(
          ok
            ? {}
            : {
                kind: "Status",
                apiVersion: "v1",
                status: "Failure",
                message: "Unauthorized",
                reason: "Unauthorized",
                code: 401,
              },
        ),
      );
    });
  }, tls);
  return Object.assign(server, { seen });
}

/** Options that keep the environment of the tests out. */
export const options: ConnectOptions = {
  env: { PATH: process.env["PATH"] },
  stdinAvailable: false,
  execStderr: "ignore",
};
/** Connects with a kubeconfig, without retries. */
export const open = async (file: string, more: ConnectOptions = {}): Promise<ConnectedClient> =>
  connect({ kubeconfig: file, ...options, retry: false, ...more });
/** Sends a request. */
export const call = async (client: ConnectedClient): Promise<unknown> =>
  (await client.request({ path: "/api" })).json();

/** Clock whose time only changes when the test sets it. Its timers are real. */
export function movableClock(): Clock & { advance(ms: number): void } {
  let offset = 0;
  const start = Date.now();
  return {
    now: () => start + offset,
    monotonic: () => offset,
    setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs),
    advance: (ms) => void (offset += ms),
  };
}
