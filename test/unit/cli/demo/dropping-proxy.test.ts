import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { DroppingProxy } from "../../../../src/cli/demo/dropping-proxy.js";
import { createDroppingProxy } from "../../../../src/cli/demo/dropping-proxy.js";

let server: Server;
let proxy: DroppingProxy;

async function open(): Promise<void> {
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy = await createDroppingProxy("127.0.0.1", (server.address() as AddressInfo).port);
}

function dial(): Socket {
  return connect(proxy.port, "127.0.0.1").on("error", () => undefined);
}

afterEach(async () => {
  await proxy.close();
  server.close();
  await once(server, "close");
});

it("dropping proxy forwards bytes, cuts connections on demand and accepts new ones", async () => {
  await open();
  const first = dial();
  first.write("hello");
  expect(String((await once(first, "data"))[0])).toBe("hello");
  expect(proxy.open).toBe(1);
  expect(proxy.drop()).toBe(1);
  await once(first, "close");
  proxy.refuse(true);
  await once(dial(), "close");
  proxy.refuse(false);
  const second = dial();
  second.write("again");
  expect(String((await once(second, "data"))[0])).toBe("again");
  expect(proxy.accepted).toBe(2);
});
