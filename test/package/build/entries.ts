import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Root folder of the project. */
export const root: string = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Lists the modules under `src` that users import, without `.ts`: the index files and the kinds of each group-version.
 */
export function publicModules(): string[] {
  return (readdirSync(`${root}src`, { recursive: true }) as string[])
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /(?:^|\/)index\.ts$/.test(name) || /^kinds\/.*\.ts$/.test(name))
    .map((name) => name.slice(0, -".ts".length))
    .sort();
}
