import { open, readFile, realpath, rename, stat, unlink, writeFile } from "node:fs/promises";
import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import { replaceYamlValues } from "../../internal/yaml-edit.js";
import type { KubeconfigUser } from "./kubeconfig.js";

const lockAttempts = 20;
const lockWaitMs = 50;

/**
 * Writes settings of a user's built-in provider into its kubeconfig: under kubectl's lock file, all at once, with the
 * file's own mode, leaving everything else in it as it was. Rejects with a `ConfigError` if the file cannot be written.
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
      const text = await readFile(file, "utf8");
      const changed = replaceYamlValues(text, pathOf(user), settings);
      const temporary = `${file}.${process.pid}.new`;
      await writeFile(temporary, changed, { mode });
      await rename(temporary, file);
    } finally {
      await unlock();
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      `${user.file}: the renewed tokens cannot be written (${(error as NodeJS.ErrnoException).code ?? "unknown"})`,
      { cause: error },
    );
  }
}

/** The path to a user's provider settings, as numbers and names. */
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
        throw new ConfigError(`${file}: another program holds the lock; delete the file if none does`);
      await sleep(lockWaitMs, clock);
    }
  }
}
