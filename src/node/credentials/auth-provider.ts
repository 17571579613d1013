import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import type { KubeconfigUser } from "../kubeconfig/kubeconfig.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { CredentialSource } from "./credential.js";
import { createOidcCredential } from "./oidc.js";

const replacements: Readonly<Record<string, string>> = {
  gcp: "gke-gcloud-auth-plugin",
  azure: "kubelogin",
};

/** Makes the credentials of a built-in provider. Throws a `ConfigError` for those that Kubernetes has removed, naming what replaces them. */
export function createProviderCredential(
  provider: NonNullable<KubeconfigUser["authProvider"]>,
  user: KubeconfigUser,
  options: { readonly env: Environment; readonly clock: Clock; readonly persist: boolean },
): CredentialSource {
  if (provider.name === "oidc") return createOidcCredential(provider, user, options);
  const replacement = Object.hasOwn(replacements, provider.name) ? replacements[provider.name] : undefined;
  throw new ConfigError(
    `${provider.where}.name: there is no provider ${JSON.stringify(provider.name)}${replacement === undefined ? "" : `: it was removed from Kubernetes; use the exec plugin ${replacement}`}`,
  );
}
