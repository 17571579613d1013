/** A certificate signing request (PKCS #10). */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Number of alternative names of each kind. */
  readonly names: { readonly dns: number; readonly ip: number; readonly email: number; readonly uri: number };
  /** Encoded parts, for the certificate. */
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  /** Encoded alternative names; `undefined` without any. */
  readonly alternativeNames: Uint8Array | undefined;
  /** Signed part, contents of the identifier of the signature's algorithm, and the signature. */
  readonly signed: Uint8Array;
  readonly algorithm: Uint8Array;
  readonly signature: Uint8Array;
}

/** Signs CertificateSigningRequests, and reads certificates. */
export interface CertificateSigner {
  /** Reads a request, given as in `spec.request`. Throws a `RangeError` if it's malformed. */
  read(request: string): CertificateRequest;
  /**
   * Returns the certificate of a request in PEM. Rejects with a `KubestreamError` if the signature of the request is
   * wrong or the authority has expired.
   */
  sign(request: CertificateRequest, usages: readonly string[], lifetimeMs: number): Promise<string>;
  /** Returns when the first certificate of a PEM text expires, in milliseconds since the epoch, if it can be read. */
  expiryMs(pem: string): number | undefined;
}
