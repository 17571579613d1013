import type { UserInfo } from "./user-info.js";

/** Certificate that a client presented. */
export interface ClientCertificate {
  /** Common name of the subject. */
  readonly commonName: string;
  /** Organizations of the subject. */
  readonly organizations: readonly string[];
  /** UID of the subject, from Kubernetes's own attribute. Default: none. */
  readonly uid?: string | undefined;
  /** SHA-256 fingerprint of the certificate, in hexadecimal. Default: none. */
  readonly sha256?: string | undefined;
  /** Options whose authorities signed the certificate. */
  readonly trustedBy: readonly ("clientCa" | "requestHeader")[];
  /** Reason for an empty `trustedBy`. */
  readonly problem?: string | undefined;
}

/** Client of a request, as established by the adapter or the caller in the same process; never read from headers. */
export interface ClientIdentity {
  /** User. The request needs no other credentials. */
  readonly user?: UserInfo | undefined;
  /** Client certificate. */
  readonly certificate?: ClientCertificate | undefined;
}
