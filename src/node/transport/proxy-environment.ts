import { BlockList, isIP } from "node:net";
import { ConfigError } from "../../errors/errors.js";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const defaultPorts: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "socks5:": "1080",
  "socks5h:": "1080",
};

/**
 * Returns the proxy that the environment sets for a URL, by Go's rules. `HTTPS_PROXY` or `HTTP_PROXY` applies by the
 * URL's scheme, upper case first. Loopback addresses never use a proxy, and neither do the entries of `NO_PROXY`: `*`,
 * addresses, CIDR ranges, and host names with their subdomains, each with or without a port. Throws a `ConfigError` for
 * an invalid proxy URL.
 */
export function proxyFromEnvironment(target: URL, env: Environment): URL | undefined {
  const name = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  // In a CGI script, HTTP_PROXY may come from the Proxy header of a request.
  if (name === "HTTP_PROXY" && env["REQUEST_METHOD"]) return undefined;
  const value = env[name] || env[name.toLowerCase()];
  if (!value || !usesProxy(target, env["NO_PROXY"] || env["no_proxy"] || "")) return undefined;
  return parseProxyUrl(value, `environment variable ${name}`);
}

/**
 * Parses the URL of a proxy. The default scheme is http. Throws a `ConfigError` that doesn't quote the URL, which may
 * contain a password.
 */
export function parseProxyUrl(value: string, where: string): URL {
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  } catch {
    // The parser's message quotes the URL.
    throw new ConfigError(`${where}: is not a valid URL`);
  }
  if (!Object.hasOwn(defaultPorts, url.protocol))
    throw new ConfigError(`${where}: must be http, https or socks5, not ${url.protocol.slice(0, -1)}`);
  if (url.hostname === "") throw new ConfigError(`${where}: has no host`);
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw new ConfigError(`${where}: the user name or password contains an unescaped %: write %25 instead`);
  }
  return url;
}

/** Returns the port of a URL, including the default port of its scheme. */
export function portOf(url: URL): number {
  return Number(url.port || defaultPorts[url.protocol]);
}

/** Returns the host of a URL, without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function usesProxy(target: URL, noProxy: string): boolean {
  const host = hostOf(target).toLowerCase().replace(/\.$/, "");
  const family = isIP(host);
  if (host === "localhost" || (family === 4 && host.startsWith("127.")) || host === "::1") return false;
  const port = String(portOf(target));
  return !noProxy.split(",").some((entry) => matches(entry.trim().toLowerCase(), host, port, family));
}

function matches(entry: string, host: string, port: string, family: number): boolean {
  if (entry === "") return false;
  if (entry === "*") return true;
  if (entry.includes("/")) return family !== 0 && inRange(entry, host, family);
  const [name, wantedPort] = splitPort(entry);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (isIP(name) !== 0) return sameAddress(name, host, family);
  if (name === "") return false;
  const domain = name.startsWith("*.") ? name.slice(1) : name;
  return domain.startsWith(".") ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function splitPort(entry: string): [string, string | undefined] {
  if (isIP(entry) !== 0) return [entry, undefined];
  const match = /^(?:\[(?<address>[^\]]+)\]|(?<name>[^:]*))(?::(?<port>\d+))?$/.exec(entry);
  return match?.groups
    ? [match.groups["address"] ?? match.groups["name"] ?? "", match.groups["port"]]
    : [entry, undefined];
}

function sameAddress(address: string, host: string, family: number): boolean {
  if (family === 0) return false;
  const list = new BlockList();
  list.addAddress(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  return list.check(host, family === 6 ? "ipv6" : "ipv4");
}

function inRange(entry: string, host: string, family: number): boolean {
  const [network = "", bits = ""] = entry.split("/");
  const kind = isIP(network);
  if (kind === 0 || !/^\d+$/.test(bits) || Number(bits) > (kind === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), kind === 6 ? "ipv6" : "ipv4");
  return list.check(host, family === 6 ? "ipv6" : "ipv4");
}
