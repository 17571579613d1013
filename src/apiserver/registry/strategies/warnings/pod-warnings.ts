import type { Container, ContainerPort, PodSpec, PodTemplateSpec, Volume } from "../../../../kinds/core/v1.js";
import { parseQuantity } from "../../../../meta/quantity.js";

const OLD_LABELS: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": `deprecated since v1.14; use "kubernetes.io/arch" instead`,
  "beta.kubernetes.io/os": `deprecated since v1.14; use "kubernetes.io/os" instead`,
  "failure-domain.beta.kubernetes.io/region": `deprecated since v1.17; use "topology.kubernetes.io/region" instead`,
  "failure-domain.beta.kubernetes.io/zone": `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
  "beta.kubernetes.io/instance-type": `deprecated since v1.17; use "node.kubernetes.io/instance-type" instead`,
};

const OLD_VOLUMES: Readonly<Record<string, string>> = {
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
};

/** What is odd about a label of nodes, if anything. */
export function nodeLabelWarning(label: string): string | undefined {
  return Object.hasOwn(OLD_LABELS, label) ? OLD_LABELS[label] : undefined;
}

/** What is odd about a pod's spec, though it is valid. */
export function podSpecWarnings(spec: PodSpec, at: string): string[] {
  const warnings: string[] = [];
  for (const label of Object.keys(spec.nodeSelector ?? {}).sort()) {
    const text = nodeLabelWarning(label);
    if (text !== undefined) warnings.push(`${at}.nodeSelector[${label}]: ${text}`);
  }
  (spec.topologySpreadConstraints ?? []).forEach((constraint, index) => {
    const path = `${at}.topologySpreadConstraints[${String(index)}]`;
    const text = nodeLabelWarning(constraint.topologyKey);
    if (text !== undefined) warnings.push(`${path}.topologyKey: ${text}`);
    if (constraint.labelSelector === undefined) warnings.push(`${path}.labelSelector: a null labelSelector results in matching no pod`);
  });
  (spec.volumes ?? []).forEach((volume, index) => warnings.push(...volumeWarnings(volume, `${at}.volumes[${String(index)}]`)));
  warnings.push(...repeated((spec.hostAliases ?? []).map((alias) => alias.ip), `${at}.hostAliases`, "ip"), ...repeated((spec.imagePullSecrets ?? []).map((secret) => secret.name), `${at}.imagePullSecrets`, "name"));
  for (const kind of ["initContainers", "containers"] as const) (spec[kind] ?? []).forEach((container, index) => warnings.push(...containerWarnings(container, `${at}.${kind}[${String(index)}]`)));
  warnings.push(...portWarnings(spec, at));
  return warnings;
}

/** The same for the template of a controller, if it is new or has changed. */
export function templateWarnings(template: PodTemplateSpec | undefined, old: PodTemplateSpec | undefined, at: string): string[] {
  if (template?.spec === undefined || (old !== undefined && JSON.stringify(template) === JSON.stringify(old))) return [];
  return podSpecWarnings(template.spec, `${at}.spec`);
}

function volumeWarnings(volume: Volume, at: string): string[] {
  const warnings = Object.keys(OLD_VOLUMES).filter((source) => Object.hasOwn(volume, source)).map((source) => `${at}.${source}: ${OLD_VOLUMES[source] ?? ""}`);
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  return [...warnings, ...quantityWarnings(claim?.resources?.requests, `${at}.ephemeral.volumeClaimTemplate.spec.resources.requests`, ["storage"])];
}

function containerWarnings(container: Container, at: string): string[] {
  const names = new Set<string>();
  const warnings = (container.env ?? []).flatMap((env, index) => {
    const known = names.has(env.name);
    names.add(env.name);
    return known ? [`${at}.env[${String(index)}]: hides previous definition of ${JSON.stringify(env.name)}, which may be dropped when using apply`] : [];
  });
  const bytes = ["memory", "ephemeral-storage"];
  return [...warnings, ...quantityWarnings(container.resources?.limits, `${at}.resources.limits`, bytes), ...quantityWarnings(container.resources?.requests, `${at}.resources.requests`, bytes)];
}

/** Bytes that are not whole. */
export function quantityWarnings(quantities: Readonly<Record<string, string>> | undefined, at: string, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const text = quantities?.[name];
    if (text === undefined) return [];
    const { digits, exponent } = parseQuantity(text);
    const whole = exponent >= 0 || digits % 10n ** BigInt(-exponent) === 0n;
    return whole ? [] : [`${at}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`];
  });
}

function repeated(values: readonly (string | undefined)[], at: string, key: string): string[] {
  const seen = new Set<string>();
  return values.flatMap((value = "", index) => {
    if (seen.has(value)) return [`${at}[${String(index)}].${key}: duplicate ${key} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}

/** Ports that are there twice, in one container or in several. */
function portWarnings(spec: PodSpec, at: string): string[] {
  const seen: { readonly path: string; readonly port: ContainerPort }[] = [];
  const warnings: string[] = [];
  (spec.containers ?? []).forEach((container, index) => {
    (container.ports ?? []).forEach((port, portIndex) => {
      const path = `${at}.containers[${String(index)}].ports[${String(portIndex)}]`;
      for (const other of seen) {
        const same = (["containerPort", "protocol", "hostPort", "hostIP"] as const).every((key) => (other.port[key] ?? 0) === (port[key] ?? 0));
        if (same) warnings.push(`${path}: duplicate port definition with ${other.path}`);
      }
      seen.push({ path, port });
    });
  });
  return warnings;
}
