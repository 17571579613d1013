// The two servers under measurement: ours as a process of its own, a real one that somebody else started.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What opens requests over kept connections of HTTP/1.1. */
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

/** Streams that a real server takes on one connection of HTTP/2 are limited: watches and writes share a few. */
const sessionCount = 4;
const windowSize = 8 * 1024 * 1024;

/** What opens requests over a few connections of HTTP/2. */
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

/** Requests to one server over kept connections; bodies are counted, not decoded. */
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

const cli = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** Starts ours with RBAC, as the real one has it. */
export async function startOurs({ tls, nodeArguments = [] }) {
  if (!existsSync(cli)) throw new Error("build first: npm run build");
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const tokens = join(folder, "tokens.csv");
  writeFileSync(tokens, 'admin-token,admin,admin-uid,"system:masters"\n');
  const child = spawn(
    process.execPath,
    [...nodeArguments, cli, "apiserver", "--authorization-mode", "RBAC", "--token-auth-file", tokens],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const { url } = JSON.parse(
    await new Promise((resolve) => child.stdout.once("data", (data) => resolve(String(data)))),
  );
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
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { name: "kubestream", ...client, overTls, close };
}

/** The real one: by its address, or by its kubeconfig in the form that its starter writes. */
export function connectReal({ real, token, kubeconfig }) {
  const text = kubeconfig === undefined ? "" : readFileSync(kubeconfig, "utf8");
  const url = real ?? /server: "?([^",}\s]+)/.exec(text)[1];
  const overTls = (protocol) =>
    createClient(url, {
      token: token ?? /token: "?([^",}\s]+)/.exec(text)[1],
      tls: { rejectUnauthorized: false },
      protocol,
    });
  return { name: "kube-apiserver", ...overTls("HTTP/1.1"), overTls };
}
