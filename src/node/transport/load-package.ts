import { ConfigError } from "../../errors/errors.js";

/**
 * Loads one of the packages that kubestream depends on. Rejects with a `ConfigError` if it cannot be loaded, which no second try mends: it
 * is not installed, or a bundle left it out.
 */
export async function loadPackage<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const code = (cause as { code?: unknown } | undefined)?.code;
    throw new ConfigError(
      `the package ${name} cannot be loaded${typeof code === "string" ? ` (${code})` : ""}: install the dependencies of kubestream where the program runs, or bundle them with it`,
      { cause },
    );
  }
}
