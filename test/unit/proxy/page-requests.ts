import type { Proxy, ProxyUser } from "../../../src/proxy/proxy.js";
import type { Transport, TransportRequest } from "../../../src/transport/transport.js";

/** Authenticates a request by its session cookie, which is the user's name. */
export function userOf(request: Request): ProxyUser | undefined {
  const [, name] = /\bsession=(\w+)/.exec(request.headers.get("cookie") ?? "") ?? [];
  return name === undefined ? undefined : { name, groups: ["staff"] };
}

/** Origin of the pages and of the proxy. */
export const site = "https://dash.example";
/** Headers of a request that a page of Jane sends. */
export const page = { "sec-fetch-site": "same-origin", cookie: "session=jane" };

/** Sends a request of Jane's page to the proxy, and reads the response. */
export async function call(proxy: Proxy, path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  const headers = { ...page, ...init.headers };
  const response = await proxy.handle(new Request(`${site}${path}`, { ...init, headers }));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** Creates a transport that records requests and responds with an empty body. */
export function recorder(answer: Partial<{ status: number; headers: Record<string, string> }> = {}) {
  const requests: TransportRequest[] = [];
  const transport: Transport = {
    async send(request) {
      requests.push(request);
      return { status: answer.status ?? 200, headers: new Headers(answer.headers), body: (async function* () {})() };
    },
    close: () => Promise.resolve(),
  };
  return { transport, requests };
}
