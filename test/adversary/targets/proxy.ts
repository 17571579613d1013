import { serveProxy } from "../../../src/node/proxy/serve-proxy.js";
import { createProxy } from "../../../src/proxy/create-proxy.js";
import type { Proxy } from "../../../src/proxy/proxy.js";
import type { ProxyRule } from "../../../src/proxy/rules.js";
import type { Transport, TransportRequest } from "../../../src/transport/transport.js";
import type { Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { clientFrame, exchange, httpWords } from "./port.js";

/** Longest head of a request that Node accepts. */
const longHead = 16 * 1024;
const rules: readonly ProxyRule[] = [
  { verbs: ["get", "list"], groups: [""], resources: ["pods"], namespaces: ["web"] },
];

const paths: Vocabulary = {
  frames: [
    ["/clusters/prod", ""],
    ["/clusters/prod/api/v1/namespaces/web/pods", ""],
    ["/clusters/prod/api/v1/namespaces/web", "/pods/shop/exec?command=sh"],
    ["/clusters/prod/api/v1/namespaces/web/pods?", ""],
    ["/clusters/", "/api/v1/namespaces/web/pods"],
    ["", "/clusters/prod/version"],
  ],
  pairs: [],
  values: [
    ...[
      "/api",
      "/v1",
      "/namespaces",
      "/web",
      "/bank",
      "/pods",
      "/shop",
      "/exec",
      "/secrets",
      "/proxy",
      "/status",
      "/prod",
    ],
    ...[
      "/..",
      "/.",
      "/%2e%2e",
      "/%2E",
      "%2f",
      "%5c",
      "/%61pi",
      "/watch",
      "/apis",
      "/",
      "watch=1",
      "watch=0",
      "%00",
      "a",
    ],
  ],
  junk: ["\\", "//", "%", "%zz", "?", "#", ";", "%0d%0a", "\t", " ", "@evil", ":80", "%c0%ae", "\xff", "%25%32%65"],
  joints: ["", "/", "&"],
};

/** Discovery, and what the rules allow. */
const allowed =
  /^\/(?:(?:version|openapi\/v[23])(?:\/.*)?|api(?:\/[^/]*){0,2}|apis(?:\/[^/]*){0,3}|api\/[^/]+\/namespaces\/web\/pods(?:\/[^/]*){0,2})$/;

/** Cluster that fails the case if a request arrives which the rules refuse, or with headers of the page. */
function cluster(): Transport {
  const check = ({ method, path, headers }: TransportRequest): void => {
    const [plain = ""] = path.split("?");
    const read = method === "GET" || method === "HEAD";
    if (!read || !allowed.test(decodeURIComponent(plain))) throw new Breach(`${method} ${path} reached the cluster`);
    if (/\/\.|%2e|%2f|%5c|\\|[^!-~]/i.test(plain)) throw new Breach(`ambiguous path ${path} reached the cluster`);
    const leaked = Object.keys(headers).find((name) => /^(?:cookie|authorization|impersonate-)/i.test(name));
    if (leaked !== undefined) throw new Breach(`the page's ${leaked} reached the cluster`);
  };
  return {
    async send(request) {
      check(request);
      return { status: 200, headers: new Headers(), body: (async function* () {})() };
    },
    async connect(request) {
      check(request);
      // To a single object, it would run a command, which the rules refuse.
      if (!/\/pods\/?(?:\?|$)/.test(request.path))
        throw new Breach(`a WebSocket to ${request.path} reached the cluster`);
      return { protocol: "", messages: (async function* () {})(), send: async () => undefined, close: async () => {} };
    },
    close: async () => undefined,
  };
}

class Breach extends Error {}

/** Returns a proxy, and a function that throws the first breach. Other errors of a proxy are mistakes, too. */
export function attacked(): { proxy: Proxy; check: () => void } {
  const errors: unknown[] = [];
  const clusters = { prod: { transport: cluster() } };
  const onError = (error: unknown): void => void errors.push(error);
  const proxy = createProxy({ clusters, authenticate: "none", allow: rules, onError });
  return {
    proxy,
    check() {
      if (errors.length > 0) throw errors[0];
    },
  };
}

function portTarget(): Target {
  let cleanUp: (() => Promise<void>) | undefined;
  const page = "\r\nHost: localhost\r\nCookie: session=1\r\nAuthorization: Bearer a\r\nImpersonate-User: admin\r\n";
  return {
    chunked: true,
    maxBytes: 64 * 1024,
    vocabulary: {
      ...httpWords,
      frames: [
        ...httpWords.frames,
        [`GET /clusters/prod/api/v1/namespaces/web/pods HTTP/1.1${page}`, "\r\n\r\n"],
        ["GET /clusters/prod/api/v1/namespaces/web/pods/", ` HTTP/1.1${page}\r\n`],
        [
          `GET /clusters/prod/api/v1/namespaces/web/pods HTTP/1.1${page}Upgrade: websocket\r\nConnection: upgrade\r\n`,
          "",
        ],
      ],
      values: [...httpWords.values, clientFrame(0x82, "a"), clientFrame(0x88, ""), ...paths.values],
    },
    wellFormed: (bytes) => ordinary(bytes, ["", ""], "GET /clusters/prod/version HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    async prepare({ chunks }) {
      const { proxy, check } = attacked();
      const served = await serveProxy(proxy, { port: 0 });
      let close = (): void => undefined;
      cleanUp = async () => {
        close();
        await served.close();
      };
      return async () => {
        await exchange(served.port, chunks, (socket) => {
          close = () => socket.destroy();
          // A server may wait for the rest of a request for as long as its limits allow.
          socket.setTimeout(500, close);
        });
        check();
      };
    },
    async cleanUp() {
      await cleanUp?.();
    },
  };
}

/** The proxy for pages: its checks of a path, and its port. */
export const proxies: Record<string, Target> = {
  "proxy-path": {
    maxBytes: longHead,
    vocabulary: paths,
    prepare: ({ text }) => {
      const { proxy, check } = attacked();
      const methods = ["GET", "HEAD", "POST", "DELETE"];
      return async () => {
        const url = `http://localhost/${text.replace(/^\//, "")}`;
        if (!URL.canParse(url)) return;
        const headers = { cookie: "session=1", authorization: "Bearer a", "impersonate-user": "admin" };
        for (const method of methods) await (await proxy.handle(new Request(url, { method, headers }))).text();
        await proxy.upgrade(new Request(url, { headers }));
        check();
      };
    },
  },
  "proxy-port": portTarget(),
};
