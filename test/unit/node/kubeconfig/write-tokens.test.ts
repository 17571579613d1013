import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Clock } from "../../../../src/internal/clock.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { writeTokens } from "../../../../src/node/kubeconfig/write-tokens.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tokens-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Clock that runs a callback instead of waiting. */
function instead(act: (waits: number) => Promise<void>): Clock {
  let waits = 0;
  return {
    ...systemClock,
    setTimer(callback) {
      void act(++waits).then(callback);
      return { cancel: () => undefined };
    },
  };
}

it("writeTokens waits for another process's lock and writes nothing while it is held", async () => {
  const file = join(folder, "config");
  const before = "users:\n- name: u\n  user:\n    auth-provider:\n      name: oidc\n      config: {}\n";
  await writeFile(file, before);
  await writeFile(`${file}.lock`, "");
  const user = { where: `${file}: users[0].user`, file };
  const settings = { "id-token": "new" };
  let waited = 0;
  await expect(
    writeTokens(
      user,
      settings,
      instead((waits) => Promise.resolve(void (waited = waits))),
    ),
  ).rejects.toThrow(`${file}.lock: another process holds the lock; if none is running, delete the file`);
  expect([waited, await readFile(file, "utf8")]).toEqual([19, before]);
  await writeTokens(
    user,
    settings,
    instead((waits) => (waits === 3 ? rm(`${file}.lock`) : Promise.resolve())),
  );
  expect(await readFile(file, "utf8")).toContain("id-token: new");
  expect(existsSync(`${file}.lock`)).toBe(false);
});
