// Program of the page: runs the client and the server together, directly and through a service worker.

import { fetchTransport, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createMswHandlers } from "kubestream/apiserver/msw";
import { setupWorker } from "msw/browser";
import { exercise, WATCHES_END } from "./exercise.js";

async function inProcess(): Promise<string[]> {
  const server = createApiServer();
  try {
    const done = await exercise(server, () => handlerTransport(server.handle));
    // Watches continue through a service worker, because it keeps a copy of every response that is never canceled.
    if (!done.includes(WATCHES_END)) throw new Error(done.join(", "));
    return done;
  } finally {
    await server.close();
  }
}

async function throughWorker(): Promise<string[]> {
  const server = createApiServer();
  const url = "https://cluster.test";
  const worker = setupWorker(...createMswHandlers(server, { url }));
  await worker.start({
    quiet: true,
    onUnhandledRequest: "bypass",
    serviceWorker: { url: new URL("mockServiceWorker.js", location.href).pathname },
  });
  try {
    return await exercise(server, () => fetchTransport({ url }));
  } finally {
    await server.close();
    worker.stop();
  }
}

async function report(part: string, run: () => Promise<string[]>): Promise<readonly [string, string]> {
  try {
    return [part, `ok: ${(await run()).join(", ")}`];
  } catch (error) {
    return [part, `failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
}

// Report errors outside of the two parts, too, such as a module that can't be loaded.
addEventListener(
  "error",
  (event) => void fetch("result", { method: "POST", body: JSON.stringify([["page", `failed: ${event.message}`]]) }),
);
const results = [await report("in process", inProcess), await report("service worker", throughWorker)];
await fetch("result", { method: "POST", body: JSON.stringify(results) });
