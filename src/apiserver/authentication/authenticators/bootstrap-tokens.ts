import type { Clock } from "../../../internal/clock.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { TokenAuthenticator } from "./authenticator.js";

const tokenSecretType = "bootstrap.kubernetes.io/token";
const bootstrappersGroup = "system:bootstrappers";
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * Creates the authenticator of bootstrap tokens, which are Secrets in the namespace `kube-system`. `secret` reads a
 * Secret of that namespace by name.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
 */
export function bootstrapTokens(clock: Clock, secret: (name: string) => ApiObject | undefined): TokenAuthenticator {
  return (token) => {
    const [, id, password] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token) ?? [];
    const found = id === undefined ? undefined : secret(`bootstrap-token-${id}`);
    if (found === undefined || found.metadata?.deletionTimestamp !== undefined || found["type"] !== tokenSecretType)
      return undefined;
    const data = (found["data"] ?? {}) as Readonly<Record<string, string>>;
    const value = (key: string): string => (Object.hasOwn(data, key) ? atob(data[key] ?? "") : "");
    if (value("token-secret") !== password || value("token-id") !== id) return undefined;
    if (hasExpired(value("expiration"), clock.now()) || value("usage-bootstrap-authentication") !== "true")
      return undefined;
    const extraGroups = value("auth-extra-groups");
    const groups = extraGroups === "" ? [] : extraGroups.split(",");
    if (!groups.every((group) => groupPattern.test(group))) return undefined;
    return {
      user: {
        name: `system:bootstrap:${id}`,
        uid: "",
        groups: [...new Set([bootstrappersGroup, ...groups])].sort(),
        extra: {},
      },
    };
  };
}

/** True if the time has passed, or isn't one. */
function hasExpired(expiration: string, nowMs: number): boolean {
  if (expiration === "") return false;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(expiration)
    ? Date.parse(expiration)
    : Number.NaN;
  return !(at > nowMs);
}
