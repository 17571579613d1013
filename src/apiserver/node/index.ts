export { dumpDirectory, loadDirectory } from "./directory.js";
export type { Listener, ListenOptions } from "./listen.js";
export { listen } from "./listen.js";
export type { ServerCertificate } from "./self-signed.js";
export { createServerCertificate } from "./self-signed.js";
export type { ListenTimeouts } from "./time-limits.js";
export { nodeWebhookCaller } from "./webhooks.js";
