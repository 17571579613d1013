export { createNodeApiCaller, type NodeApiCallerOptions } from "./api-caller.js";
export { dumpDirectory, loadDirectory } from "./directory.js";
export { nodeIssuerFetch } from "./issuer-fetch.js";
export type { Listener, ListenOptions } from "./listen.js";
export { listen } from "./listen.js";
export type { CertificateAuthority, KeyPair, ServerCertificate } from "./self-signed.js";
export { createCertificateAuthority, createServerCertificate } from "./self-signed.js";
export type { ListenTimeouts } from "./time-limits.js";
export { nodeWebhookCaller } from "./webhooks.js";
