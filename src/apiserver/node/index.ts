export type { CertificateAuthority, KeyPair, ServerCertificate } from "../../certificates/authority.js";
export { createCertificateAuthority, createServerCertificate } from "../../certificates/authority.js";
export { createNodeApiCaller, type NodeApiCallerOptions } from "./api-caller.js";
export { dumpDirectory, loadDirectory } from "./directory.js";
export { nodeIssuerFetch } from "./issuer-fetch.js";
export type { Listener, ListenOptions } from "./listen.js";
export { listen } from "./listen.js";
export type { ListenTimeouts } from "./time-limits.js";
export { nodeWebhookCaller } from "./webhooks.js";
