import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { whenClosed } from "../../../src/internal/when-closed.js";
import { proxyHandlers } from "../../../src/node/proxy/proxy-handlers.js";
import type { Proxy } from "../../../src/proxy/proxy.js";

it("proxy ends the requests of a page that wait behind another one when their connection closes", async () => {
  const events = new EventEmitter();
  const signals: AbortSignal[] = [];
  const proxy = {
    async handle(request: Request) {
      signals.push(request.signal);
      if (signals.length === 3) events.emit("begun");
      await once(request.signal, "abort");
      if (signals.every(({ aborted }) => aborted)) events.emit("ended");
      return new Response(null);
    },
  } as Partial<Proxy> as Proxy;
  const server = createServer(proxyHandlers(proxy).request).listen(0, "127.0.0.1");
  await once(server, "listening");
  const [begun, ended] = [once(events, "begun"), once(events, "ended")];
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET /clusters/a/version HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3));
  await begun;
  client.destroy();
  await ended;
  server.close();
});

it("whenClosed calls back once, at the first of both ends, and not after it was cancelled", () => {
  const connection = Object.assign(new EventEmitter(), { destroyed: false });
  const responses = [new EventEmitter(), new EventEmitter(), new EventEmitter()] as const;
  const calls: string[] = [];
  whenClosed(responses[0], connection, () => calls.push("first"));
  whenClosed(responses[1], connection, () => calls.push("second"));
  whenClosed(responses[2], connection, () => calls.push("third"))();
  expect(connection.listenerCount("close")).toBe(1);
  responses[0].emit("close");
  expect(calls).toEqual(["first"]);
  connection.emit("close");
  responses[1].emit("close");
  responses[2].emit("close");
  expect(calls).toEqual(["first", "second"]);
});

it("whenClosed calls back for a connection that was destroyed before", async () => {
  const connection = Object.assign(new EventEmitter(), { destroyed: true });
  let called = 0;
  whenClosed(new EventEmitter(), connection, () => called++);
  await Promise.resolve();
  expect(called).toBe(1);
});
