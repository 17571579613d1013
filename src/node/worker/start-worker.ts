import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { ConfigError } from "../../errors/errors.js";
import type { FromWorker } from "./messages.js";
import type { StartedWorker } from "./worker-link.js";

const fileName = "decoding-worker.js";

/** Returns the file of the worker. Throws a `ConfigError` if it's missing, such as next to a bundle. */
export function findWorker(file: URL | true): URL {
  const own = ownUrl();
  const nearby = own === undefined ? [] : [`./${fileName}`, `../node/${fileName}`].map((path) => new URL(path, own));
  const candidates = file === true ? nearby : [file];
  const found = candidates.find((url) => url.protocol === "file:" && existsSync(fileURLToPath(url)));
  if (found !== undefined) return found;
  throw new ConfigError(
    file === true
      ? `options.decodeInWorker: ${fileName} isn't next to this bundle. Copy it from the folder dist/node of kubestream, and pass its URL as decodeInWorker`
      : `options.decodeInWorker: no file at ${file.href}`,
    { permanent: true },
  );
}

/** Returns the URL of this module; `undefined` in a bundle of CommonJS. */
function ownUrl(): string | undefined {
  try {
    return import.meta.url;
  } catch {
    return undefined;
  }
}

/** Starts a worker. */
export function startWorker(file: URL): StartedWorker {
  const worker = new Worker(file, { name: "kubestream" });
  return {
    postMessage: (message) => worker.postMessage(message),
    onMessage: (callback) => void worker.on("message", (message: FromWorker) => callback(message)),
    onEnd(callback) {
      let error: Error | undefined;
      worker.on("error", (reason: Error) => (error = reason));
      worker.on("exit", () => callback(error));
    },
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    end() {
      // Otherwise the process may end before the promise settles.
      worker.ref();
      return worker.terminate();
    },
  };
}
