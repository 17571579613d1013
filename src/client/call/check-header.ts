const tokenPattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** What says where a request goes and where it ends: set by hand it makes another request of it. */
const ofConnection = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Refuses what would break out of a header, and credentials, which belong to the client. Throws a `TypeError`. */
export function checkHeader(name: string, value: string): void {
  if (!tokenPattern.test(name)) throw new TypeError(`${JSON.stringify(name)} is no header name`);
  if (name === "authorization")
    throw new TypeError("headers must not carry Authorization: credentials belong to the client");
  if (ofConnection.has(name)) throw new TypeError(`headers must not carry ${name}: it belongs to the connection`);
  if (typeof value !== "string" || /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value)) {
    throw new TypeError(
      `the value of header ${name} must be text without control characters or characters beyond Latin-1`,
    );
  }
}
