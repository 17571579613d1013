import type { FieldError } from "../../errors/field-error.js";
import type { WebhookClientConfig } from "../../http/webhook-caller.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import * as check from "./checks.js";
import { invalid, required } from "./field-errors.js";

/** Versions of reviews that the server can send. */
export const reviewVersions: readonly string[] = ["v1", "v1beta1"];

/** Validates the review versions that a webhook supports. `known`: one of them must be the server's. */
export function reviewErrors(versions: readonly string[], known: boolean, at: string): FieldError[] {
  if (versions.length === 0) return [required(at, `must specify one of ${reviewVersions.join(", ")}`)];
  const repeated = check.repeats(versions);
  return [
    ...check.eachItem(versions, at, (version, path, index) =>
      repeated.has(index) ? [invalid(path, version, "duplicate version")] : check.dnsLabel1035(path, version),
    ),
    ...(known && !versions.some((version) => reviewVersions.includes(version))
      ? [invalid(at, versions, `must include at least one of ${reviewVersions.join(", ")}`)]
      : []),
  ];
}

/** Validates a webhook's address. */
export function clientErrors({ url, service }: WebhookClientConfig, at: string): FieldError[] {
  if (url !== undefined && service === undefined) return urlErrors(url, `${at}.url`);
  if (url !== undefined || service === undefined) return [required(at, "exactly one of url or service is required")];
  return [
    // kube-apiserver swaps these two field names.
    ...check.requiredText(`${at}.service.name`, service.namespace),
    ...check.requiredText(`${at}.service.namespace`, service.name),
    ...check.portNumber(`${at}.service.port`, service.port ?? 0),
    ...check.optionalText(`${at}.service.path`, service.path, pathErrors),
  ];
}

function urlErrors(url: string, at: string): FieldError[] {
  if (!isUrl(url)) return [required(at, "must be a valid URL of the form https://host[/path]")];
  const [, scheme = "", authority = "", query = "", fragment = ""] =
    // eslint-disable-next-line regexp/no-super-linear-backtracking -- every text matches
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(url)!;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const rules: readonly (readonly [valid: boolean, detail: string])[] = [
    [scheme.toLowerCase() === "https", "'https' is the only allowed URL scheme"],
    [host !== "", "host must be specified"],
    [!authority.includes("@"), "user information is not permitted in the URL"],
    [fragment === "", "fragments are not permitted in the URL"],
    [query === "", "query parameters are not permitted in the URL"],
  ];
  return rules.flatMap(([valid, detail]) => (valid ? [] : [invalid(at, url, detail)]));
}

/** True if Go can parse a URL. */
function isUrl(url: string): boolean {
  if (/[\u0000-\u001f\u007f]/.test(url) || url.startsWith(":") || /%(?![0-9a-fA-F]{2})/.test(url)) return false;
  const first = /^[^/?#]*/.exec(url)![0];
  if (first.includes(":") && !/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(first)) return false;
  const authority = /^[^:]*:\/\/([^/?#]*)/.exec(url)?.[1] ?? "";
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const port = /^(?:\[[^\]]*\]|[^:]*)(:.*)$/.exec(host)?.[1] ?? ":";
  return /^:\d*$/.test(port) && !/[ <>"`{}|\\^]/.test(host);
}

function pathErrors(at: string, path: string): FieldError[] {
  if (path === "/") return [];
  if (path === "//") return [invalid(at, path, "segment[0] may not be empty")];
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  return [
    ...(path.startsWith("/") ? [] : [invalid(at, path, "must start with a '/'")]),
    ...segments.flatMap((segment, index) => {
      const problems = segment === "" ? ["may not be empty"] : nameErrors(segment, "subdomain");
      return problems.map((problem) => invalid(at, path, `segment[${String(index)}]: ${problem}`));
    }),
  ];
}
