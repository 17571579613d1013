import { TransportError } from "../../errors/errors.js";

const brokenHttp2 = "the server broke the HTTP/2 protocol";
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by the server",
  EPIPE: "connection closed while sending",
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "host name lookup failed temporarily",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "timed out while connecting",
  UND_ERR_HEADERS_TIMEOUT: "timed out waiting for the response",
  UND_ERR_BODY_TIMEOUT: "timed out while reading the response",
  UND_ERR_SOCKET: "connection closed by the server",
  UND_ERR_HEADERS_OVERFLOW: "the response headers are too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the response length differs from its content-length",
  ERR_HTTP2_ERROR: brokenHttp2,
  ERR_HTTP2_TOO_MANY_INVALID_FRAMES: brokenHttp2,
  ERR_HTTP2_STREAM_ERROR: "the HTTP/2 stream was reset before its end",
  ERR_HTTP2_STREAM_CANCEL: "the server reset the HTTP/2 stream before its end",
  ERR_HTTP2_SESSION_ERROR: "the HTTP/2 connection was lost",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed and not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate comes from an authority that is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate comes from an authority that is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "the server's certificate comes from an authority that is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate comes from an authority that is not trusted",
  CERT_SIGNATURE_FAILURE: "the server's certificate is not signed by the trusted authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host name",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS on this port",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the server requires a client certificate",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "the server does not trust the client certificate's authority",
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: "the server rejected the client certificate",
  ERR_SSL_SSL_TLS_ALERT_BAD_CERTIFICATE: "the server rejected the client certificate",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "the client certificate has expired",
  ERR_SSL_SSL_TLS_ALERT_CERTIFICATE_EXPIRED: "the client certificate has expired",
};

/** Returns the most specific error code of a system, TLS or undici error. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  const inner = codeOf(cause) ?? (Array.isArray(errors) ? codeOf(errors[0]) : undefined);
  if (typeof code !== "string") return inner;
  return code.startsWith("UND_ERR_") || code === "ERR_STREAM_PREMATURE_CLOSE" ? (inner ?? code) : code;
}

const refusedStream = "ERR_HTTP2_REFUSED_STREAM";

/** Returns true for a stream error with the code REFUSED_STREAM, which Node only gives in the message. */
function isRefusedStream(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    if (each.message.includes("NGHTTP2_REFUSED_STREAM")) return true;
  return false;
}

/**
 * Converts an error of a socket or of undici into a `TransportError`, with the error as its cause. The message never
 * contains headers or anything that the peer sent.
 */
export function transportFailure(action: string, error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  // The parser's error contains what the peer sent, so don't keep it as the cause.
  if (error instanceof Error && error.name === "HTTPParserError")
    return new TransportError(`${action}: the response is not valid HTTP`, { code: code ?? "HPE_INVALID" });
  // Refused before it began, such as after a GOAWAY (RFC 9113, 8.7): a code of its own, because it's safe to repeat.
  if (code === "ERR_HTTP2_STREAM_ERROR" && isRefusedStream(error))
    return new TransportError(`${action}: the server refused the HTTP/2 stream (${refusedStream})`, {
      cause: error,
      code: refusedStream,
    });
  const reason = (code === undefined ? undefined : reasons[code]) ?? "connection failed";
  return new TransportError(`${action}: ${reason}${code === undefined ? "" : ` (${code})`}`, { cause: error, code });
}
