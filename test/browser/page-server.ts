import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles a program of this folder for a page. */
export async function bundle(file: string): Promise<string> {
  const result = await build({
    entryPoints: [join(root, "test/browser", file)],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    logLevel: "error",
  });
  return result.outputFiles[0]!.text;
}

/** Returns a page that runs a program. */
export const html = (program: string): string =>
  `<!doctype html><title>kubestream</title><link rel="icon" href="data:,"><body><table></table><script>${program}</script>`;

/** Listens on the loopback interface. Returns the port. */
export async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
