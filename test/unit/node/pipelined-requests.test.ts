import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { it } from "vitest";
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
