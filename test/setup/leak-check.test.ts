import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../src/internal/clock.js";
import { sleep } from "../../src/internal/clock.js";
import { createLeakCheck } from "./leak-check.js";

const stillClock: Clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => undefined }) };

it.each([
  [
    "a timer",
    () => {
      // Several timers, because a timer of the test runner may end in the meantime.
      const timers = Array.from({ length: 20 }, () => setInterval(() => undefined, 1_000));
      return () => timers.forEach((timer) => clearInterval(timer));
    },
    "Timeout",
  ],
  [
    "a server",
    () => {
      const server = createServer().listen(0);
      return () => new Promise<void>((resolve) => server.close(() => resolve()));
    },
    "TCPServerWrap",
  ],
  [
    "a listener on a signal",
    () => {
      const controller = new AbortController();
      const wait = sleep(60_000, stillClock, controller.signal).catch(() => undefined);
      return async () => {
        controller.abort();
        await wait;
      };
    },
    "abort signal",
  ],
  [
    "a listener of the process",
    () => {
      const listener = (): void => undefined;
      process.on("SIGTERM", listener);
      return () => void process.off("SIGTERM", listener);
    },
    "SIGTERM",
  ],
])("leak check sees %s that is left, and that it is gone", async (_name, open, word) => {
  const check = createLeakCheck();
  onTestFinished(check.stop);
  check.begin();
  const close = open();
  expect((await check.end(30)).join()).toContain(word);
  await close();
  expect(await check.end()).toEqual([]);
});

it("leak check finds an open socket", async () => {
  const server = createServer((socket) => void socket.resume()).listen(0);
  await new Promise((resolve) => server.once("listening", resolve));
  const check = createLeakCheck();
  onTestFinished(check.stop);
  check.begin();
  const socket = connect((server.address() as AddressInfo).port);
  await new Promise((resolve) => socket.once("connect", resolve));
  expect((await check.end(30)).join()).toContain("TCPSocketWrap");
  socket.destroy();
  expect(await check.end()).toEqual([]);
  await new Promise((resolve) => server.close(resolve));
});
