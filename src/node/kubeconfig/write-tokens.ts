import { open, realpath, rename, stat, unlink, writeFile } from "node:fs/promises";
import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import { replaceYamlValues } from "../../internal/yaml/yaml-edit.js";
import type { KubeconfigUser } from "./kubeconfig.js";
import { readConfigFile, readFailure } from "./read-file.js";

const lockAttempts = 20;
const lockWaitMs = 50;

/**
 * Writes settings of a user's auth provider to its kubeconfig. Holds kubectl's lock file, replaces the file atomically,
 * and keeps its mode and all other content. Rejects with a `ConfigError` if the file can't be written.
 */
export async function writeTokens(
  user: KubeconfigUser,
  settings: Readonly<Record<string, string>>,
  clock: Clock,
): Promise<void> {
  try {
    const file = await realpath(user.file);
    const unlock = await lock(`${file}.lock`, clock);
    try {
      const { mode } = await stat(file);
      const text = (await readConfigFile(file)).toString("utf8");
      const changed = replaceYamlValues(text, pathOf(user), settings);
      const temporary = `${file}.${process.pid}.new`;
      await writeFile(temporary, changed, { mode });
      await rename(temporary, file);
    } finally {
      await unlock();
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${user.file}: cannot write the renewed tokens: ${readFailure(error)}`, { cause: error });
  }
}

/** Returns the path to the user's provider settings in the YAML document. */
function pathOf(user: KubeconfigUser): readonly (string | number)[] {
  const index = /users\[(\d+)\]\.user$/.exec(user.where)?.[1];
  return ["users", Number(index), "user", "auth-provider", "config"];
}

async function lock(file: string, clock: Clock): Promise<() => Promise<void>> {
  for (let attempt = 1; ; attempt++) {
    try {
      await (await open(file, "wx")).close();
      return () => unlink(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (attempt === lockAttempts)
        throw new ConfigError(`${file}: another process holds the lock; if none is running, delete the file`);
      await sleep(lockWaitMs, clock);
    }
  }
}
