// What runs in the browser: the client and the server in one page, without anything between them and through a service worker.

import { fetchTransport, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createMswHandlers } from "kubestream/apiserver/msw";
import { setupWorker } from "msw/browser";
import { exercise, WATCHES_END } from "./exercise.js";

async function inProcess(): Promise<string[]> {
  const server = createApiServer();
  try {
    const done = await exercise(server, () => handlerTransport(server.handle));
    // Through a service worker they go on: it keeps a copy of every answer, which nobody cancels.
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

// What fails outside of the two parts, such as a module that cannot be loaded, is told, too.
addEventListener(
  "error",
  (event) => void fetch("result", { method: "POST", body: JSON.stringify([["page", `failed: ${event.message}`]]) }),
);
const results = [await report("in process", inProcess), await report("service worker", throughWorker)];
await fetch("result", { method: "POST", body: JSON.stringify(results) });
