import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { setTimeout as platformTimeout } from "node:timers";
import { expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../src/internal/clock.js";
import { sleep, systemClock } from "../../src/internal/clock.js";
import { createLeakCheck } from "./leak-check.js";

const stillClock: Clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => undefined }) };

it.each([
  [
    "a timer",
    () => {
      const timer = setInterval(() => undefined, 1_000);
      return () => clearInterval(timer);
    },
    "Timeout (Error: setInterval, 1000 ms",
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

it("leak check ignores a timer of before, of the test runner, and one that doesn't keep the process alive", async () => {
  const check = createLeakCheck();
  onTestFinished(check.stop);
  const before = setTimeout(() => undefined, 60_000);
  check.begin();
  // The runner has kept the platform's function.
  const ofRunner = platformTimeout(() => undefined, 60_000);
  const loose = setTimeout(() => undefined, 60_000).unref();
  expect(await check.end(30)).toEqual([]);
  for (const timer of [before, ofRunner, loose]) clearTimeout(timer);
});

it("leak check says where a timer was started", async () => {
  const check = createLeakCheck();
  onTestFinished(check.stop);
  check.begin();
  const timer = systemClock.setTimer(() => undefined, 60_000);
  expect((await check.end(30)).join()).toMatch(/setTimeout, 60000 ms[^]*clock\.ts[^]*leak-check\.test\.ts/);
  timer.cancel();
});

it("leak check lets a timer take the place of one that has ended", async () => {
  const check = createLeakCheck();
  onTestFinished(check.stop);
  const before = setTimeout(() => undefined, 60_000);
  check.begin();
  clearTimeout(before);
  const next = setTimeout(() => undefined, 60_000);
  expect(await check.end(30)).toEqual([]);
  const more = setTimeout(() => undefined, 60_000);
  expect(await check.end(30)).toHaveLength(1);
  for (const timer of [next, more]) clearTimeout(timer);
});
