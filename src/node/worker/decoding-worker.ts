// Entry of the worker that `decodeInWorker` starts. The build bundles it into one file.
import { parentPort } from "node:worker_threads";
import { runWorkerHost } from "./worker-host.js";

if (parentPort !== null) runWorkerHost(parentPort);
