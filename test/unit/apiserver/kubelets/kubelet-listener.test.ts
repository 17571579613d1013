import { request } from "node:https";
import { connect } from "node:net";
import { describe, expect, it, vi } from "vitest";
import type { ContainerLogRequest, KubeletConnection } from "../../../../src/apiserver/kubelets/kubelet.js";
import { createKubeletServer } from "../../../../src/apiserver/kubelets/kubelet-server.js";
import { createKubeletListener, type KubeletListenOptions } from "../../../../src/apiserver/node/kubelet-listener.js";
import { createCertificateAuthority } from "../../../../src/certificates/authority.js";

const asked: ContainerLogRequest[] = [];
const connection: KubeletConnection = {
  logs(log) {
    asked.push(log);
    if (log.node === "lost") return undefined;
    if (log.previous) return { refused: "no previous container" };
    const lines = ["one\n", "two\n"].map((line) => new TextEncoder().encode(line));
    return {
      next: () =>
        Promise.resolve(lines.length > 0 ? { done: false, value: lines.shift()! } : { done: true, value: undefined }),
    };
  },
  session: () => ({ refused: "no session" }),
  connect: () => ({ refused: "no port" }),
};
const reviewed: string[] = [];
const nodes = new Map([
  ["default/web", "node-1"],
  ["default/away", "lost"],
]);
const server = createKubeletServer({
  connection,
  findNode: (namespace, pod) => nodes.get(`${namespace}/${pod}`),
  apis: ({ url }) => Response.json({ path: new URL(url).pathname }),
  reviews: {
    authenticate: (token) =>
      Promise.resolve(token.startsWith("known-") ? { name: token, uid: "", groups: [], extra: {} } : undefined),
    allows({ name, groups }, access) {
      reviewed.push(`${access.verb} nodes/${access.subresource} ${access.node}`);
      return Promise.resolve(name === "known-alice" || groups.includes("admins"));
    },
  },
});

interface Reply {
  readonly status: number;
  readonly text: string;
}

interface AskOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly cert?: string;
  readonly key?: string;
  readonly listen?: KubeletListenOptions;
}

/** Sends a request to a new listener. Resolves with `undefined` if the connection is cut. */
async function ask(path: string, { listen = {}, ...options }: AskOptions = {}): Promise<Reply | undefined> {
  const { address, port, close } = await createKubeletListener(listen)(server);
  try {
    return await new Promise((resolve) => {
      const sent = request({ host: address, port, path, rejectUnauthorized: false, agent: false, ...options });
      sent.on("error", () => resolve(undefined));
      sent.on("response", (response) => {
        let text = "";
        response.on("data", (chunk) => (text += String(chunk)));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.end();
    });
  } finally {
    await close();
  }
}

describe("the port of kubelets", () => {
  it.each([
    ["/healthz", 200, "ok"],
    ["/containerLogs/default/web/main", 200, "one\ntwo\n"],
    ["/containerLogs/default/web/main?previous=true", 400, "no previous container"],
    ["/containerLogs/default/web/main?tailLines=x", 400, 'invalid tailLines "x"'],
    ["/containerLogs/default/web/main?sinceTime=x", 400, 'invalid sinceTime "x"'],
    ["/containerLogs/default/missing/main", 404, "pod does not exist"],
    ["/exec/default/web/main?command=true&output=1", 400, "Upgrade request required"],
    ["/exec/default/web/main?command=true", 400, "you must specify at least 1 of stdin, stdout, stderr"],
    ["/attach/default/web/uid/main?output=1", 400, "Upgrade request required"],
    ["/portForward/default/web", 400, "Upgrade request required"],
    ["/exec/default/%ff/main", 400, 'invalid path segment "%ff"'],
    ["/apis/metrics.k8s.io/v1beta1", 200, '{"path":"/apis/metrics.k8s.io/v1beta1"}'],
    ["/pods", 404, "404 page not found\n"],
  ])("answers %s with %i", async (path, status, text) => {
    expect(await ask(path)).toEqual({ status, text });
  });

  it("refuses more ports over a WebSocket than its channels have numbers for", async () => {
    const headers = { connection: "Upgrade", upgrade: "websocket" };
    const path = `/portForward/default/web?port=${Array.from({ length: 129 }, (_, at) => at + 1).join()}`;
    expect(await ask(path, { headers })).toEqual({
      status: 400,
      text: "too many ports: at most 128 are possible over a WebSocket",
    });
  });

  it("passes the options of a log to the node", async () => {
    await ask("/containerLogs/default/web/main?follow=true&timestamps=true&tailLines=3&limitBytes=9&stream=Stderr");
    expect(asked.at(-1)).toMatchObject({
      node: "node-1",
      namespace: "default",
      pod: "web",
      container: "main",
      follow: true,
      previous: false,
      timestamps: true,
      tailLines: 3,
      limitBytes: 9,
      stream: "stderr",
    });
  });

  it("cuts the connection for a node that is away", async () => {
    expect(await ask("/containerLogs/default/away/main")).toBeUndefined();
  });

  it("accepts only clients with a certificate of its authority, if it has one", async () => {
    const [own, other] = [createCertificateAuthority(Date.now()), createCertificateAuthority(Date.now())];
    const listen = { clientCa: own.ca };
    const path = "/healthz";
    expect(await ask(path, { listen })).toMatchObject({ status: 401 });
    expect(await ask(path, { listen, ...other.client("kube-apiserver") })).toMatchObject({ status: 401 });
    expect(await ask(path, { listen, ...own.client("kube-apiserver") })).toMatchObject({ status: 200 });
    expect(() => createKubeletListener({ clientCa: "none" })).toThrow("clientCa: expected a certificate in PEM");
  });
});

describe("the port of kubelets with webhooks", () => {
  const forbidden = (subresources: string): string =>
    `Forbidden (user=known-bob, verb=get, resource=nodes, subresource(s)=[${subresources}])\n`;
  const log = "/containerLogs/default/web/main";
  it.each<[path: string, authorization: string | undefined, status: number, text: string, accesses: string[]]>([
    [log, undefined, 401, "Unauthorized", []],
    [log, "Basic known-alice", 401, "Unauthorized", []],
    [log, "Bearer other", 401, "Unauthorized", []],
    [log, "Bearer known-alice", 200, "one\ntwo\n", ["get nodes/proxy node-1"]],
    [log, "Bearer known-bob", 403, forbidden("proxy"), ["get nodes/proxy node-1"]],
    ["/containerLogs/default/none/main", "Bearer known-alice", 404, "pod does not exist", ["get nodes/proxy "]],
    ["/healthz", "Bearer known-bob", 403, forbidden("healthz proxy"), ["get nodes/healthz ", "get nodes/proxy "]],
    ["/metrics/cadvisor", "Bearer known-bob", 403, forbidden("metrics"), ["get nodes/metrics "]],
    ["/logs/", "Bearer known-bob", 403, forbidden("log"), ["get nodes/log "]],
    ["/apis/metrics.k8s.io/v1beta1", undefined, 401, "Unauthorized", []],
  ])("answers %s with the authorization %j by %i", async (path, authorization, status, text, accesses) => {
    reviewed.length = 0;
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    expect(await ask(path, { listen: { webhook: true }, headers })).toEqual({ status, text });
    expect(reviewed).toEqual(accesses);
  });

  it("authorizes the user of a certificate, and passes the metrics API on", async () => {
    const authority = createCertificateAuthority(Date.now());
    const listen = { webhook: true, clientCa: authority.ca };
    const [admin, other] = [authority.client("root", ["admins"]), authority.client("known-bob")];
    expect(await ask("/healthz", { listen, ...admin })).toMatchObject({ status: 200 });
    expect(await ask("/healthz", { listen, ...other })).toMatchObject({ status: 403 });
    expect(await ask("/apis/metrics.k8s.io/v1beta1", { listen, ...other })).toMatchObject({ status: 200 });
  });
});

it.each([
  ["sends nothing", ""],
  ["sends half a TLS hello", "\u0016\u0003\u0001"],
])("the port of kubelets closes a connection that %s", async (_what, bytes) => {
  const nextTurn = setImmediate;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { address, port, close } = await createKubeletListener()(server);
    const socket = connect(port, address, () => socket.write(bytes));
    let isClosed = false;
    socket.on("error", () => undefined).on("close", () => (isClosed = true));
    socket.resume();
    while (!isClosed) {
      vi.advanceTimersByTime(30_000);
      await new Promise((resolve) => nextTurn(resolve));
    }
    await close();
  } finally {
    vi.useRealTimers();
  }
});
