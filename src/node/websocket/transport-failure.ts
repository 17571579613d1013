import { TransportError } from "../../errors/errors.js";

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by the server",
  EPIPE: "connection closed while sending",
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "host name lookup failed for now",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "no more of the answer in time",
  UND_ERR_SOCKET: "connection closed by the server",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is shorter or longer than it said",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed and not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate comes from an authority that is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate comes from an authority that is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "the server's certificate comes from an authority that is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate comes from an authority that is not trusted",
  CERT_SIGNATURE_FAILURE: "the server's certificate is not signed by the trusted authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for other names",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS on this port",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the server demands a client certificate",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "the server does not trust the client certificate's authority",
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: "the server refuses the client certificate",
  ERR_SSL_SSL_TLS_ALERT_BAD_CERTIFICATE: "the server refuses the client certificate",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "the client certificate has expired",
  ERR_SSL_SSL_TLS_ALERT_CERTIFICATE_EXPIRED: "the client certificate has expired",
};

/** Error code of a system, TLS or undici error, the innermost that says most. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  const inner = codeOf(cause) ?? (Array.isArray(errors) ? codeOf(errors[0]) : undefined);
  if (typeof code !== "string") return inner;
  return code.startsWith("UND_ERR_") || code === "ERR_STREAM_PREMATURE_CLOSE" ? (inner ?? code) : code;
}

/**
 * Makes a `TransportError` of what the sockets or undici report. The message never holds what the peer sent, nor headers;
 * the cause is kept.
 */
export function transportFailure(action: string, error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  // The parser's own error carries what the peer sent, so it is no cause to keep.
  if (error instanceof Error && error.name === "HTTPParserError")
    return new TransportError(`${action}: the answer is no HTTP`, { code: code ?? "HPE_INVALID" });
  const reason = (code === undefined ? undefined : reasons[code]) ?? "connection failed";
  return new TransportError(`${action}: ${reason}${code === undefined ? "" : ` (${code})`}`, { cause: error, code });
}
