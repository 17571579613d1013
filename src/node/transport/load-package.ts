import { ConfigError } from "../../errors/errors.js";

/**
 * Loads a dependency of kubestream on demand. Rejects with a permanent `ConfigError` if it can't be loaded, because a
 * retry wouldn't help: it isn't installed, or a bundler left it out or can't express it.
 */
export async function loadPackage<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
    const detail = typeof code === "string" ? ` (${code})` : "";
    throw new ConfigError(`the package ${name} cannot be loaded${detail}: ${adviceFor(message)}`, {
      cause,
      permanent: true,
    });
  }
}

function adviceFor(message: unknown): string {
  // The text that esbuild puts in place of `require` in an ES module.
  if (/^Dynamic require of /.test(String(message)))
    return "this bundle is an ES module without `require`; add it in a banner, as kubestream's guide to runtimes shows for esbuild, or bundle to CommonJS";
  if (/\bBun\b/.test(String(message))) return "Bun replaces it and lacks parts of it; use Node for WebSockets";
  return "install the dependencies of kubestream next to the program, or bundle them with it";
}
