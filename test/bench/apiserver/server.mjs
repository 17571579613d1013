// The two servers under test: ours in a process of its own, and a real one that is already running.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns a function that opens requests over kept HTTP/1.1 connections. */
function overHttp1(base, tls) {
  const module = base.protocol === "https:" ? https : http;
  const agent = new module.Agent({ keepAlive: true, maxSockets: 256, ...tls });
  const request = (method, path, body, headers) =>
    new Promise((resolve, reject) => {
      const sent = module.request({ host: base.hostname, port: base.port, method, path, agent, headers }, resolve);
      sent.on("error", reject);
      sent.end(body);
    });
  return { request, close: () => agent.destroy() };
}

/** A real server limits the number of streams per HTTP/2 connection, so watches and writes share a few. */
const sessionCount = 4;
const windowSize = 8 * 1024 * 1024;

/** Returns a function that opens requests over a few HTTP/2 connections. */
function overHttp2(base, tls) {
  const sessions = Array.from({ length: sessionCount }, () => {
    const session = http2.connect(base, { ...tls, settings: { initialWindowSize: windowSize } });
    session.once("connect", () => session.setLocalWindowSize(windowSize));
    session.on("error", () => undefined);
    return session;
  });
  let at = 0;
  const request = (method, path, body, headers) =>
    new Promise((resolve, reject) => {
      const stream = sessions[at++ % sessionCount].request({ ":method": method, ":path": path, ...headers });
      stream.once("response", (answer) => resolve(Object.assign(stream, { statusCode: answer[":status"] })));
      stream.on("error", reject);
      stream.end(body);
    });
  return { request, close: () => sessions.forEach((session) => session.destroy()) };
}

/** Creates a client that counts the bytes of response bodies without decoding them. */
export function createClient(url, { token, tls = {}, protocol = "HTTP/1.1" }) {
  const { request, close } = (protocol === "HTTP/2" ? overHttp2 : overHttp1)(new URL(url), tls);
  const open = (method, path, body, headers = {}) =>
    request(method, path, body, {
      authorization: `Bearer ${token}`,
      "accept-encoding": "identity",
      "user-agent": "bench/1.0",
      ...(body ? { "content-type": "application/json", "content-length": Buffer.byteLength(body) } : {}),
      ...headers,
    });
  const send = async (method, path, body, headers) => {
    const response = await open(method, path, body, headers);
    let length = 0;
    let text = "";
    response.on("data", (chunk) => {
      length += chunk.length;
      if (response.statusCode > 299) text += chunk;
    });
    await new Promise((resolve, reject) => response.on("end", resolve).on("error", reject));
    if (response.statusCode > 299) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return { status: response.statusCode, length };
  };
  const json = async (method, path) => {
    const response = await open(method, path);
    let text = "";
    for await (const chunk of response) text += chunk;
    return JSON.parse(text);
  };
  return { open, send, json, close };
}

/** Starts a program that prints its URL. Returns the URL, and a function that ends the program. */
async function startProgram(...command) {
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
  const { url } = JSON.parse(
    await new Promise((resolve) => child.stdout.once("data", (data) => resolve(String(data)))),
  );
  const end = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  };
  return { url, end };
}

/** Starts a server without any work. */
export async function startFloor() {
  const { url, end } = await startProgram(fileURLToPath(new URL("floor.mjs", import.meta.url)));
  const client = createClient(url, { token: "admin-token" });
  const close = () => {
    client.close();
    return end();
  };
  return { name: "floor", url, ...client, close };
}

const cli = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** Starts our server with RBAC, like the real one. */
export async function startOurs({ tls, nodeArguments = [] }) {
  if (!existsSync(cli)) throw new Error("dist is missing: run npm run build first");
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const tokens = join(folder, "tokens.csv");
  writeFileSync(tokens, 'admin-token,admin,admin-uid,"system:masters"\n');
  const words = ["apiserver", "--authorization-mode", "RBAC", "--token-auth-file", tokens];
  const { url, end } = await startProgram(...nodeArguments, cli, ...words);
  const client = createClient(tls ? url.replace("http:", "https:") : url, {
    token: "admin-token",
    tls: { rejectUnauthorized: false },
  });
  const overTls = (protocol) =>
    createClient(url.replace("http:", "https:"), {
      token: "admin-token",
      tls: { rejectUnauthorized: false },
      protocol,
    });
  const close = async () => {
    client.close();
    await end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { name: "kubestream", url, token: "admin-token", ...client, overTls, close };
}

/** Connects to the real server, by its address or the kubeconfig that its start script writes. */
export function connectReal({ real, token, kubeconfig }) {
  const text = kubeconfig === undefined ? "" : readFileSync(kubeconfig, "utf8");
  const url = real ?? /server: "?([^",}\s]+)/.exec(text)[1];
  const bearer = token ?? /token: "?([^",}\s]+)/.exec(text)[1];
  const overTls = (protocol) =>
    createClient(url, {
      token: bearer,
      tls: { rejectUnauthorized: false },
      protocol,
    });
  return { name: "kube-apiserver", url, token: bearer, ...overTls("HTTP/1.1"), overTls };
}
