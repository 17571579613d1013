import { isIP } from "node:net";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";

/**
 * Returns the TLS options by which the certificate must be valid for a host name of a URL, although the connection goes
 * to the address `connectTo`. An IP address isn't sent as a server name, which RFC 6066 forbids.
 */
export function serverIdentity(
  hostname: string,
  connectTo: string | undefined,
): Pick<ConnectionOptions, "servername" | "checkServerIdentity"> {
  if (connectTo === undefined) return {};
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 0) return { servername: host };
  return { servername: "", checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate) };
}
