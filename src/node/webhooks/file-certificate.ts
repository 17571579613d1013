import { readFile } from "node:fs/promises";
import { ConfigError } from "../../errors/errors.js";
import type { Timer } from "../../internal/clock.js";
import type { CertificateSource, SourceDependencies, TlsPair } from "./certificate-source.js";
import type { ServingPair } from "./rotation-step.js";
import { readPair } from "./serving-pair.js";

/** Certificate in files that another program renews, such as those of a mounted Secret of cert-manager. */
export interface CertificateFiles {
  /** Path of the certificate in PEM, followed by those of its issuers: `tls.crt`. */
  readonly certFile: string;
  /** Path of the private key in PEM: `tls.key`. */
  readonly keyFile: string;
  /** Time in milliseconds between two reads of the files. Default 10,000. */
  readonly intervalMs?: number | undefined;
}

/** Follows a certificate in files. They are read at intervals, because mounted Secrets change through links. */
export class FileCertificate implements CertificateSource {
  readonly #files: CertificateFiles;
  readonly #dependencies: SourceDependencies;
  #pair: ServingPair | undefined;
  #failing = false;
  #timer: Timer | undefined;
  #closed = false;

  constructor(files: CertificateFiles, dependencies: SourceDependencies) {
    const { intervalMs = 10_000 } = files;
    if (!(intervalMs > 0)) throw new RangeError(`certificate.intervalMs must be greater than 0, not ${intervalMs}`);
    this.#files = files;
    this.#dependencies = dependencies;
  }

  async open(onChange: (pair: TlsPair) => void): Promise<TlsPair> {
    this.#pair = await this.#read();
    this.#schedule(onChange);
    return this.#pair;
  }

  check(): string | undefined {
    const pair = this.#pair;
    if (pair === undefined) return "the certificate was not read yet";
    return pair.notAfterMs > this.#dependencies.clock.now()
      ? undefined
      : `the certificate in ${this.#files.certFile} has expired`;
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    return Promise.resolve();
  }

  #schedule(onChange: (pair: TlsPair) => void): void {
    const { clock, log } = this.#dependencies;
    if (this.#closed) return;
    this.#timer = clock.setTimer(
      () =>
        void this.#reload(onChange)
          .catch((error: unknown) => {
            // A renewal may be halfway through. Serve the previous certificate and say so once.
            const level = this.#failing ? "debug" : "warn";
            this.#failing = true;
            log({ level, message: "webhooks: cannot read the renewed certificate, serving the previous one", error });
          })
          .then(() => this.#schedule(onChange)),
      this.#files.intervalMs ?? 10_000,
      { upkeep: true },
    );
  }

  async #reload(onChange: (pair: TlsPair) => void): Promise<void> {
    const { cert, key } = this.#pair!;
    const pair = await this.#read();
    this.#failing = false;
    if ((pair.cert === cert && pair.key === key) || this.#closed) return;
    this.#pair = pair;
    this.#dependencies.log({ level: "info", message: "webhooks: the certificate was renewed" });
    onChange(pair);
  }

  async #read(): Promise<ServingPair> {
    const { certFile, keyFile } = this.#files;
    try {
      const [cert, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
      return readPair(cert, key);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new ConfigError(`webhooks: certificate ${certFile} with key ${keyFile}: ${message}`, { cause: error });
    }
  }
}
