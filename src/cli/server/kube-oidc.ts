import type { AuthenticationConfiguration } from "../../apiserver/authentication/jwt/configuration.js";
import { UsageError } from "../program/command.js";

/** Lines of the help for `oidcFlags`. */
export const oidcHelp = `  --oidc-issuer-url URL, --oidc-client-id ID, --oidc-ca-file FILE, --oidc-username-claim NAME,
  --oidc-username-prefix TEXT, --oidc-groups-claim NAME, --oidc-groups-prefix TEXT, --oidc-required-claim NAME=VALUE
                                 accept ID tokens of this issuer, instead of --authentication-config`;

/** Flags of a kube-apiserver for one OIDC issuer, except those that can be repeated. */
export const oidcFlags: readonly string[] = [
  "oidc-issuer-url",
  "oidc-client-id",
  "oidc-ca-file",
  "oidc-username-claim",
  "oidc-username-prefix",
  "oidc-groups-claim",
  "oidc-groups-prefix",
];

/**
 * Returns the configuration that the OIDC flags stand for, if they are set. `required` holds `NAME=VALUE` of the flag
 * `--oidc-required-claim`. Throws a `UsageError`.
 */
export function oidcConfiguration(
  text: (flag: string) => string | undefined,
  file: (flag: string) => string | undefined,
  required: readonly string[],
): AuthenticationConfiguration | undefined {
  const [url, audience] = [text("oidc-issuer-url"), text("oidc-client-id")];
  if (url === undefined && audience === undefined) {
    const [stray] = oidcFlags.filter((flag) => text(flag) !== undefined);
    if (stray !== undefined) throw new UsageError(`--${stray}: needs --oidc-issuer-url and --oidc-client-id`);
    return undefined;
  }
  if (url === undefined || audience === undefined)
    throw new UsageError("--oidc-issuer-url and --oidc-client-id: one needs the other");
  const claim = text("oidc-username-claim") ?? "sub";
  // Without a prefix, all names but e-mail addresses begin with the issuer; "-" stands for an empty prefix.
  const given = text("oidc-username-prefix") ?? (claim === "email" ? "" : `${url}#`);
  const groups = text("oidc-groups-claim");
  return {
    jwt: [
      {
        issuer: { url, audiences: [audience], certificateAuthority: file("oidc-ca-file") },
        claimMappings: {
          username: { claim, prefix: given === "-" ? "" : given },
          ...(groups === undefined ? {} : { groups: { claim: groups, prefix: text("oidc-groups-prefix") ?? "" } }),
        },
        claimValidationRules: required.map((pair) => {
          const [name = "", value] = pair.split(/=(.*)/s);
          if (name === "" || value === undefined)
            throw new UsageError(`--oidc-required-claim ${pair}: must be NAME=VALUE`);
          return { claim: name, requiredValue: value };
        }),
      },
    ],
  };
}
