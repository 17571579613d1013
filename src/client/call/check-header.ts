import { requireHeader } from "../../transport/single-headers.js";

const tokenPattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Headers that control routing and framing. Setting them by hand would allow request smuggling. */
const connectionHeaders = new Set([
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

/** Rejects header injection, credentials and headers that belong to the connection. Throws a `TypeError`. */
export function checkHeader(name: string, value: string): void {
  if (!tokenPattern.test(name)) throw new TypeError(`invalid header name ${JSON.stringify(name)}`);
  if (name === "authorization")
    throw new TypeError(
      "headers must not contain Authorization: configure credentials on the client, for example with bearerToken",
    );
  if (connectionHeaders.has(name))
    throw new TypeError(`headers must not contain ${name}: the transport sets it for the connection`);
  requireHeader(name, value, TypeError);
}
