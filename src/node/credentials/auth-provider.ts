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

/**
 * Creates the credentials of a built-in auth provider. Throws a `ConfigError` for providers that Kubernetes has removed
 * and names their replacement.
 */
export function createProviderCredential(
  provider: NonNullable<KubeconfigUser["authProvider"]>,
  user: KubeconfigUser,
  options: { readonly env: Environment; readonly clock: Clock; readonly persist: boolean },
): CredentialSource {
  if (provider.name === "oidc") return createOidcCredential(provider, user, options);
  const replacement = Object.hasOwn(replacements, provider.name) ? replacements[provider.name] : undefined;
  throw new ConfigError(
    `${provider.where}.name: unknown auth provider ${JSON.stringify(provider.name)}${replacement === undefined ? "" : `: Kubernetes removed it; use the exec plugin ${replacement}`}`,
  );
}
