import type { Log } from "../../controller/reconcile/controller-log.js";
import type { Clock } from "../../internal/clock.js";

/** Certificate and key of a server, in PEM. */
export interface TlsPair {
  /** Certificate, followed by those of its issuers. */
  readonly cert: string;
  /** Private key. */
  readonly key: string;
}

/** Source of the certificate that a webhook server serves. */
export interface CertificateSource {
  /** Resolves with the first certificate, and reports its successors to `onChange`. */
  open(onChange: (pair: TlsPair) => void): Promise<TlsPair>;
  /** Returns a message if callers can't be expected to trust the certificate. */
  check(): string | undefined;
  /** Stops following the certificate. */
  close(): Promise<void>;
}

/** Dependencies of certificate sources. */
export interface SourceDependencies {
  readonly clock: Clock;
  readonly log: Log;
}
