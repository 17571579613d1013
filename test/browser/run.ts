// Runs the client and the server in a real browser: in one page without a network, and through the service worker of
// both supported versions of msw.
//
// tsx test/browser/run.ts
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { flags, withChromium } from "./chromium.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const limitMs = 90_000;
const versions = ["msw", "msw3"] as const;
/** Bundles the page's program with one version of msw. */
async function bundle(msw: string): Promise<Uint8Array> {
  const result = await build({
    entryPoints: [join(root, "test/browser/page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    sourcemap: "inline",
    logLevel: "error",
    alias: {
      msw: join(root, "node_modules", msw, "lib/core/index.js"),
      "msw/browser": join(root, "node_modules", msw, "lib/browser/index.js"),
    },
  });
  return result.outputFiles[0]!.contents;
}

/** Opens a page and returns its report. */
async function runPage(browser: string, url: string, reported: Promise<string>): Promise<string> {
  const profile = mkdtempSync(join(tmpdir(), "kubestream-browser-"));
  let output = "";
  const child = spawn(browser, [...flags, "--enable-logging=stderr", `--user-data-dir=${profile}`, url], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.on("data", (piece: Buffer) => (output += piece.toString()));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>(
    (_, reject) =>
      (timer = setTimeout(() => reject(new Error(`the page reported nothing within ${limitMs} ms`)), limitMs)),
  );
  const gone = ended.then(() => Promise.reject<never>(new Error("the browser exited")));
  try {
    return await Promise.race([reported, tooLong, gone]);
  } catch (error) {
    const console_ = output
      .split("\n")
      .filter((line) => line.includes("CONSOLE"))
      .slice(-20)
      .join("\n");
    throw new Error(`${(error as Error).message}\n${console_ === "" ? output.slice(-2000) : console_}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    gone.catch(() => undefined);
    child.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

async function main(browser: string): Promise<boolean> {
  const programs = new Map(
    await Promise.all(versions.map(async (name) => [name as string, await bundle(name)] as const)),
  );
  let tell: (text: string) => void = () => undefined;
  const server = createServer((request, response) => {
    const [, version = "", file = ""] = (request.url ?? "/").split("/");
    const send = (type: string, body: string | Uint8Array): void =>
      void response.writeHead(200, { "Content-Type": `${type}; charset=utf-8` }).end(body);
    if (!programs.has(version)) response.writeHead(404).end();
    else if (file === "")
      send("text/html", '<!doctype html><title>kubestream</title><script type="module" src="page.js"></script>');
    else if (file === "page.js") send("text/javascript", programs.get(version)!);
    else if (file === "mockServiceWorker.js")
      send("text/javascript", readFileSync(join(root, "node_modules", version, "lib", file)));
    else if (file === "result") {
      let body = "";
      request.on("data", (piece: Buffer) => (body += piece.toString()));
      request.on("end", () => {
        send("text/plain", "");
        tell(body);
      });
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  let good = true;
  try {
    for (const version of versions) {
      const reported = new Promise<string>((resolve) => (tell = resolve));
      for (const [part, said] of JSON.parse(
        await runPage(browser, `http://127.0.0.1:${port}/${version}/`, reported),
      ) as [string, string][]) {
        console.log(`${version}, ${part}: ${said}`);
        good &&= said.startsWith("ok");
      }
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return good;
}

await withChromium(main);
