import { ConfigError } from "../../errors/errors.js";

/**
 * Loads a dependency of kubestream on demand. Rejects with a `ConfigError` if it can't be loaded, because a retry
 * wouldn't help: it isn't installed, or a bundler left it out.
 */
export async function loadPackage<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const code = (cause as { code?: unknown } | undefined)?.code;
    throw new ConfigError(
      `the package ${name} cannot be loaded${typeof code === "string" ? ` (${code})` : ""}: install the dependencies of kubestream next to the program, or bundle them with it`,
      { cause },
    );
  }
}
