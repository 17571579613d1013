import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { TransportError } from "../../errors/errors.js";
import { readExactly } from "./read-exactly.js";

const failures = [
  "",
  "general failure",
  "not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "time to live expired",
  "command not supported",
  "address type not supported",
];

/**
 * Opens a connection through a SOCKS5 proxy (RFC 1928, RFC 1929). The proxy resolves host names. Rejects with a
 * `TransportError` that names the step that failed.
 */
export async function connectSocks5(
  socket: Duplex,
  host: string,
  port: number,
  credentials: { username: string; password: string } | undefined,
): Promise<void> {
  socket.write(Uint8Array.from(credentials ? [5, 2, 0, 2] : [5, 1, 0]));
  const [version, method] = await readExactly(socket, 2);
  if (version !== 5) throw new TransportError("the proxy does not speak SOCKS5", { code: "ERR_PROXY" });
  if (method === 2 && credentials) await logIn(socket, credentials);
  else if (method !== 0)
    throw new TransportError("the SOCKS5 proxy requires another authentication method", { code: "ERR_PROXY_AUTH" });
  socket.write(Buffer.concat([Uint8Array.from([5, 1, 0]), addressOf(host), Uint8Array.from([port >> 8, port & 255])]));
  const [, reply, , kind] = await readExactly(socket, 4);
  if (reply !== 0)
    throw new TransportError(`the SOCKS5 proxy could not connect: ${failures[reply ?? 1] ?? `reply ${reply}`}`, {
      code: "ERR_PROXY_CONNECT",
    });
  const length = kind === 1 ? 4 : kind === 4 ? 16 : (await readExactly(socket, 1))[0]!;
  await readExactly(socket, length + 2);
}

/** Encodes an address for the request: its type, then its bytes. */
function addressOf(host: string): Uint8Array {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(bare) === 4) return Uint8Array.from([1, ...bare.split(".").map(Number)]);
  if (isIP(bare) === 6) return Uint8Array.from([4, ...bytesOfIPv6(bare)]);
  const name = Buffer.from(host, "utf8");
  if (name.length > 255)
    throw new TransportError("the host name is too long for a SOCKS5 proxy", { code: "ERR_PROXY" });
  return Uint8Array.from([3, name.length, ...name]);
}

function bytesOfIPv6(address: string): Uint8Array {
  // The URL parser turns an IPv4 tail into hexadecimal groups.
  const [head = "", tail] = new URL(`http://[${address.replace(/%.*/, "")}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string): number[] => (text === "" ? [] : text.split(":").map((group) => parseInt(group, 16)));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 255]));
}

async function logIn(socket: Duplex, { username, password }: { username: string; password: string }): Promise<void> {
  const [name, secret] = [Buffer.from(username, "utf8"), Buffer.from(password, "utf8")];
  if (name.length > 255 || secret.length > 255)
    throw new TransportError("user name or password is too long for a SOCKS5 proxy", { code: "ERR_PROXY_AUTH" });
  socket.write(Buffer.concat([Uint8Array.from([1, name.length]), name, Uint8Array.from([secret.length]), secret]));
  const [, status] = await readExactly(socket, 2);
  if (status !== 0)
    throw new TransportError("the SOCKS5 proxy rejected the user name or password", { code: "ERR_PROXY_AUTH" });
}
