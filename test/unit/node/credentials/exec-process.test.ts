import { mkdtemp, readFile, rm } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../../../src/internal/clock.js";
import { connect } from "../../../../src/node/connection/connect.js";
import { runExecProcess } from "../../../../src/node/credentials/exec-process.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "exec-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A plugin that ignores SIGTERM, like its child, and writes both process ids to a file. */
const stubborn = (): string => `
const { spawn } = require("node:child_process");
const { writeFileSync } = require("node:fs");
process.on("SIGTERM", () => {});
const child = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1000)"], { stdio: ["ignore", "pipe", "ignore"] });
child.stdout.once("data", () => writeFileSync(${JSON.stringify(join(folder, "pids"))}, process.pid + " " + child.pid + "\\n"));
setInterval(() => {}, 1000);`;

/** A plugin that ends on SIGTERM, but whose child ignores it. */
const orphaning = (): string => stubborn().replace('process.on("SIGTERM", () => {});', "");

async function pids(): Promise<number[]> {
  const text = await vi.waitFor(
    async () => {
      const written = await readFile(join(folder, "pids"), "utf8");
      expect(written).toMatch(/\n$/);
      return written;
    },
    { timeout: 30_000 },
  );
  return text.trim().split(" ").map(Number);
}

/** True if the process runs. A killed child that isn't reaped yet, a zombie, doesn't. */
async function runs(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => undefined);
  return stat === undefined ? platform() !== "linux" : !/\) [ZX] /.test(stat);
}

async function expectEnded(all: readonly number[]): Promise<void> {
  await vi.waitFor(async () => expect(await Promise.all(all.map(runs))).toEqual(all.map(() => false)), {
    timeout: 20_000,
  });
}

const options = {
  where: "user.exec",
  command: process.execPath,
  env: process.env,
  interactive: false,
  showStderr: false,
  clock: systemClock,
};

describe.skipIf(platform() === "win32")("exec plugin and its children", () => {
  it.each([
    ["ignore SIGTERM", stubborn],
    ["leave a child that ignores SIGTERM", orphaning],
  ])("end with the signal if they %s", async (_name, script) => {
    const controller = new AbortController();
    const running = runExecProcess({
      ...options,
      args: ["-e", script()],
      timeoutMs: 60_000,
      signal: controller.signal,
    });
    const all = await pids();
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await expectEnded(all);
  });

  it("end after the time limit", async () => {
    // The time limit fires when both processes run, the other timers as usual.
    let limit: (() => void) | undefined;
    const clock = {
      ...systemClock,
      setTimer(callback: () => void, delayMs: number) {
        if (delayMs !== 12_345) return systemClock.setTimer(callback, delayMs);
        limit = callback;
        return { cancel: () => undefined };
      },
    };
    const { signal } = new AbortController();
    const running = runExecProcess({ ...options, clock, args: ["-e", stubborn()], timeoutMs: 12_345, signal });
    const all = await pids();
    limit!();
    await expect(running).rejects.toThrow("did not finish within 12345 ms");
    await expectEnded(all);
  });

  it("have ended when close() of the client resolves", async () => {
    const client = await connect({
      kubeconfigText: JSON.stringify({
        "current-context": "c",
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
        clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
        users: [
          {
            name: "u",
            user: {
              exec: {
                command: process.execPath,
                args: ["-e", stubborn()],
                apiVersion: "client.authentication.k8s.io/v1",
                interactiveMode: "Never",
              },
            },
          },
        ],
      }),
      env: { PATH: process.env["PATH"] },
      execStderr: "ignore",
    });
    const request = client.request({ path: "/api" }).catch((error: unknown) => error);
    const all = await pids();
    await client.close();
    expect(await request).toMatchObject({ name: "ClosedError" });
    expect(await runs(all[0]!)).toBe(false);
    await expectEnded(all);
  });

  it("keep running in the background if the plugin succeeds", async () => {
    const script = `
const child = require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "ignore" });
child.unref();
process.stdout.write(String(child.pid));`;
    const { signal } = new AbortController();
    const pid = Number(await runExecProcess({ ...options, args: ["-e", script], timeoutMs: 60_000, signal }));
    try {
      expect(await runs(pid)).toBe(true);
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });
});
