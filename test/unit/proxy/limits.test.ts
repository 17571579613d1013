import { expect, it } from "vitest";
import { createProxy } from "../../../src/proxy/create-proxy.js";
import type { Proxy, ProxyOptions } from "../../../src/proxy/proxy.js";
import { fetchTransport } from "../../../src/transport/fetch.js";
import type { Transport } from "../../../src/transport/transport.js";
import { call, page, recorder, site, userOf } from "./page-requests.js";

function proxyWith(options: Pick<ProxyOptions, "clusters"> & Partial<ProxyOptions>): Proxy {
  return createProxy({ authenticate: userOf, ...options });
}

it("a proxy limits the requests of a user and of all, and gives places back", async () => {
  const waiting: (() => void)[] = [];
  const transport: Transport = {
    send: () =>
      new Promise((resolve) =>
        waiting.push(() => resolve({ status: 200, headers: new Headers(), body: (async function* () {})() })),
      ),
    close: () => Promise.resolve(),
  };
  const proxy = proxyWith({ clusters: { prod: { transport } }, limits: { perUser: 2, total: 3 } });
  const get = (user: string) => call(proxy, "/clusters/prod/version", { headers: { cookie: `session=${user}` } });
  const begun = [get("jane"), get("jane"), get("joe")];
  await expect.poll(() => waiting.length).toBe(3);
  expect((await get("jane")).status).toBe(429);
  expect((await get("joe")).status).toBe(429);
  waiting.splice(0).forEach((answer) => answer());
  await Promise.all(begun);
  const after = get("jane");
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]!();
  expect((await after).status).toBe(200);
});

it("a proxy answers 504 when a cluster doesn't answer in time, and 502 when it can't be reached", async () => {
  let fire: (() => void) | undefined;
  const errors: unknown[] = [];
  const stuck: Transport = {
    send: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    close: () => Promise.resolve(),
  };
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    setTimer(callback: () => void) {
      fire = callback;
      return { cancel: () => undefined };
    },
  };
  const late = call(proxyWith({ clusters: { prod: { transport: stuck } }, clock }), "/clusters/prod/version");
  await expect.poll(() => fire).toBeTypeOf("function");
  fire!();
  expect(await late).toMatchObject({ status: 504, text: expect.stringContaining("within 60000 ms") as string });
  const transport = fetchTransport({
    url: "http://secret-host.internal",
    fetch: () => Promise.reject(new Error("connect secret-host.internal failed")),
  });
  const proxy = proxyWith({ clusters: { prod: { transport } }, onError: (error) => errors.push(error) });
  const unreachable = await call(proxy, "/clusters/prod/version");
  expect(unreachable.status).toBe(502);
  expect(unreachable.text).not.toContain("secret-host");
  expect(String(errors[0])).toContain("secret-host");
});

it("a proxy doesn't report the end of a request whose page has left", async () => {
  const errors: unknown[] = [];
  const leaving = new AbortController();
  const transport: Transport = {
    send: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        leaving.abort();
      }),
    close: () => Promise.resolve(),
  };
  const proxy = proxyWith({ clusters: { prod: { transport } }, onError: (error) => errors.push(error) });
  await call(proxy, "/clusters/prod/version", { signal: leaving.signal });
  expect(errors).toEqual([]);
});

it("a proxy gives places back for HEAD requests, stalled bodies and pages that have left", async () => {
  const fired: (() => void)[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    setTimer(callback: () => void) {
      fired.push(callback);
      return { cancel: () => undefined };
    },
  };
  const { transport } = recorder();
  const socket = { protocol: "", messages: (async function* () {})(), send: async () => {}, close: async () => {} };
  const clusters = { prod: { transport: { ...transport, connect: () => Promise.resolve(socket) } } };
  const allow = [{ resources: ["*", "pods/exec"] }];
  const proxy = proxyWith({ clusters, clock, allow, limits: { perUser: 1 } });
  const url = `${site}/clusters/prod/api/v1/namespaces/web/pods`;
  // A framework may drop the body of the response to HEAD.
  for (let round = 0; round < 2; round++)
    expect((await proxy.handle(new Request(url, { method: "HEAD", headers: page }))).status).toBe(200);
  const stalled = new ReadableStream({ pull: () => new Promise(() => undefined) });
  const init = { method: "POST", headers: page, body: stalled, duplex: "half" };
  const late = proxy.handle(new Request(url, init as RequestInit));
  await expect.poll(() => fired.length).toBe(3);
  fired[2]!();
  expect((await late).status).toBe(504);
  const left = new AbortController();
  const opened = await proxy.upgrade(new Request(`${url}/shop/exec`, { headers: page, signal: left.signal }));
  expect(opened).not.toBeInstanceOf(Response);
  expect((await call(proxy, "/clusters/prod/version")).status).toBe(429);
  left.abort();
  expect((await call(proxy, "/clusters/prod/version")).status).toBe(200);
});
