import { whenReady } from "../../internal/when-ready.js";
import type { Container, Pod, PodSpec, ServiceAccount, Volume } from "../../kinds/core/v1.js";
import { refusal } from "../admission/refusal.js";
import { secretNames } from "../authorization/pod-references.js";
import type { AdmissionAttributes, AdmissionPlugin, RegistryContext, RegistryServices } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";

const mirrorAnnotation = "kubernetes.io/config.mirror";
const enforceAnnotation = "kubernetes.io/enforce-mountable-secrets";
const volumePrefix = "kube-api-access-";
const tokenMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Attempts to find the account `default`, which a controller creates soon after the namespace. */
const attempts = 10;
const pauseMs = 100;

/**
 * Sets the service account of a new pod, requires that it exists, and mounts its token and the cluster's CA.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-admission-controller
 */
export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  admit(attributes, context) {
    const pod = podOf(attributes);
    if (pod === undefined || attributes.operation !== "CREATE") return undefined;
    if (pod.metadata?.annotations?.[mirrorAnnotation] !== undefined) {
      checkMirror(attributes, pod);
      return undefined;
    }
    const spec = (pod.spec ??= { containers: [] });
    // Both names of the field.
    if ((spec.serviceAccountName ?? "") === "") spec.serviceAccountName = spec.serviceAccount = "default";
    return whenReady(accountOf(attributes, spec, context), (account) => {
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
        mountToken(spec, () => `${volumePrefix}${context.services.suffix()}`);
      if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0)
        spec.imagePullSecrets = account.imagePullSecrets!.map(({ name }) => ({ name: name ?? "" }));
    });
  },
  validate(attributes, context) {
    const pod = podOf(attributes);
    if (pod === undefined) return undefined;
    const ephemeral = attributes.operation === "UPDATE" && attributes.subresource === "ephemeralcontainers";
    if (attributes.operation !== "CREATE" && !ephemeral) return undefined;
    const spec = pod.spec ?? { containers: [] };
    if (!ephemeral && pod.metadata?.annotations?.[mirrorAnnotation] !== undefined) {
      checkMirror(attributes, pod);
      return undefined;
    }
    if ((spec.serviceAccountName ?? "") === "")
      throw refusal(
        attributes,
        `no service account specified for pod ${attributes.namespace}/${pod.metadata?.name ?? ""}`,
      );
    return whenReady(accountOf(attributes, spec, context), (account) => {
      if (!["1", "t", "T", "true", "TRUE", "True"].includes(account.metadata?.annotations?.[enforceAnnotation] ?? ""))
        return;
      const problem = secretProblem(spec, account, ephemeral);
      if (problem !== undefined) throw refusal(attributes, problem);
    });
  },
};

function podOf({ resource, subresource, object }: AdmissionAttributes): Pod | undefined {
  return resource.bucket === "/pods" && (subresource === "" || subresource === "ephemeralcontainers")
    ? (object as Pod | undefined)
    : undefined;
}

function checkMirror(attributes: AdmissionAttributes, { spec }: Pod): void {
  if ((spec?.serviceAccountName ?? "") !== "")
    throw refusal(attributes, "a mirror pod may not reference service accounts");
  if (secretNames({ ...(spec && { spec }) }).some((name) => name !== undefined))
    throw refusal(attributes, "a mirror pod may not reference secrets");
  const tokens = (spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (tokens.some(({ serviceAccountToken }) => serviceAccountToken !== undefined))
    throw refusal(attributes, "a mirror pod may not use ServiceAccountToken volume projections");
}

/** Returns the account of a pod, without a promise if it exists. */
function accountOf(
  attributes: AdmissionAttributes,
  spec: PodSpec,
  context: RegistryContext,
  attempt = 1,
): ServiceAccount | Promise<ServiceAccount> {
  const { services } = context;
  const { serviceAccountName: name = "" } = spec;
  const key = `${attributes.namespace}/${name}`;
  const found = getStored(services, "/serviceaccounts", key);
  if (found !== undefined) return found as ServiceAccount;
  if (attempt < (name === "default" ? attempts : 1) && !context.signal().aborted && !services.closed.aborted)
    return pause(services).then(() => accountOf(attributes, spec, context, attempt + 1));
  throw refusal(
    attributes,
    `error looking up service account ${key}: serviceaccount ${JSON.stringify(name)} not found`,
  );
}

function pause({ clock }: RegistryServices): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, pauseMs));
}

/** Mounts the token into every container that has no volume at its path. */
function mountToken(spec: PodSpec, newName: () => string): void {
  const existing = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix))?.name;
  const open = [...(spec.initContainers ?? []), ...spec.containers].filter(
    ({ volumeMounts }) => volumeMounts?.some(({ mountPath }) => mountPath === tokenMountPath) !== true,
  );
  if (open.length === 0) return;
  const name = existing ?? newName();
  for (const container of open)
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: tokenMountPath }];
  if (existing === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
    },
  };
}

/** Returns the first reference to a secret that the account doesn't list. */
function secretProblem(spec: PodSpec, account: ServiceAccount, ephemeral: boolean): string | undefined {
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  const who = `because service account ${account.metadata?.name ?? ""} does not reference that`;
  if (ephemeral) return containerProblem(spec.ephemeralContainers ?? [], "ephemeral container", listed, who);
  for (const { secret } of spec.volumes ?? [])
    if (secret !== undefined && !listed.has(secret.secretName))
      return `volume with secret.secretName="${secret.secretName ?? ""}" is not allowed ${who} secret`;
  const pulled = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const index = (spec.imagePullSecrets ?? []).findIndex(({ name }) => !pulled.has(name));
  return (
    containerProblem(spec.initContainers ?? [], "init container", listed, who) ??
    containerProblem(spec.containers, "container", listed, who) ??
    (index < 0
      ? undefined
      : `imagePullSecrets[${String(index)}].name="${spec.imagePullSecrets![index]!.name ?? ""}" is not allowed ${who} imagePullSecret`)
  );
}

function containerProblem(
  containers: readonly Pick<Container, "name" | "env" | "envFrom">[],
  what: string,
  listed: ReadonlySet<string | undefined>,
  who: string,
): string | undefined {
  for (const container of containers) {
    for (const { name, valueFrom } of container.env ?? []) {
      const secret = valueFrom?.secretKeyRef?.name;
      if (valueFrom?.secretKeyRef !== undefined && !listed.has(secret))
        return `${what} ${container.name} with envVar ${name} referencing secret.secretName="${secret ?? ""}" is not allowed ${who} secret`;
    }
    for (const { secretRef } of container.envFrom ?? [])
      if (secretRef !== undefined && !listed.has(secretRef.name))
        return `${what} ${container.name} with envFrom referencing secret.secretName="${secretRef.name ?? ""}" is not allowed ${who} secret`;
  }
  return undefined;
}
