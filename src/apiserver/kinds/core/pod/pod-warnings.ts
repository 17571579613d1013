import type { Container, PodAffinity, PodSpec, PodTemplateSpec } from "../../../../kinds/core/v1.js";
import { addressWarnings } from "../../shared/address-warnings.js";
import * as check from "../../shared/checks.js";
import { nodeLabelWarnings, nodeTermWarnings } from "../../shared/node-labels.js";
import { quantityWarnings, volumeWarnings } from "../volume/volume-warnings.js";
import { appArmorWarnings } from "./app-armor.js";
import { containersOf } from "./pod-containers.js";

type Meta = PodTemplateSpec["metadata"];

const oldAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

const seccompAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";
const seccompNotFunctional = 'non-functional in v1.27+; use the "seccompProfile" field instead';

function annotationWarnings(
  { name, securityContext }: Container,
  annotations: Readonly<Record<string, string>>,
  at: string,
): string[] {
  const key = `${containerSeccompPrefix}${name}`;
  return securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, key)
    ? [`${at}[${key}]: ${seccompNotFunctional}`]
    : [];
}

/** Returns the warnings about a valid pod; `at` is the path of its spec and metadata, `""` for a pod itself. */
export function podWarnings(spec: PodSpec, metadata: Meta, at: string): string[] {
  const path = at === "" ? "spec" : `${at}.spec`;
  const meta = at === "" ? "metadata" : `${at}.metadata`;
  const annotations = metadata?.annotations ?? {};
  const containers = containersOf(spec, path, ["initContainers", "containers"]);
  return [
    ...Object.keys(spec.nodeSelector ?? {})
      .sort()
      .flatMap((label) => nodeLabelWarnings(label, `${path}.nodeSelector[${label}]`)),
    ...nodeAffinityWarnings(spec, `${path}.affinity.nodeAffinity`),
    ...spreadWarnings(spec, `${path}.topologySpreadConstraints`),
    ...Object.keys(oldAnnotations)
      .filter((key) => Object.hasOwn(annotations, key))
      .map((key) => `${meta}.annotations[${key}]: ${oldAnnotations[key] ?? ""}`),
    ...volumeWarnings(spec.volumes ?? [], `${path}.volumes`),
    ...repeated(spec.hostAliases, `${path}.hostAliases`, "ip"),
    ...repeated(spec.imagePullSecrets, `${path}.imagePullSecrets`, "name"),
    ...check.eachItem(spec.imagePullSecrets, `${path}.imagePullSecrets`, ({ name = "" }, place) =>
      name === "" ? [`${place}.name: invalid empty name ""`] : [],
    ),
    ...quantityWarnings(spec.overhead, `${path}.overhead`, ["memory", "ephemeral-storage"]),
    ...(spec.securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, seccompAnnotation)
      ? [`${meta}.annotations[${seccompAnnotation}]: ${seccompNotFunctional}`]
      : []),
    ...containers.flatMap(([container, place]) => [
      ...annotationWarnings(container, annotations, `${meta}.annotations`),
      ...(at === ""
        ? []
        : appArmorWarnings(container, annotations, spec.securityContext?.appArmorProfile, `${meta}.annotations`)),
      ...containerWarnings(container, place),
    ]),
    ...portWarnings(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...podAffinityWarnings(spec.affinity?.podAffinity, `${path}.affinity.podAffinity`),
    ...podAffinityWarnings(spec.affinity?.podAntiAffinity, `${path}.affinity.podAntiAffinity`),
    ...check.eachItem(spec.dnsConfig?.nameservers, `${path}.dnsConfig.nameservers`, (address, place) =>
      addressWarnings(place, address),
    ),
    ...check.eachItem(spec.hostAliases, `${path}.hostAliases`, ({ ip }, place) => addressWarnings(`${place}.ip`, ip)),
  ];
}

/** Returns the warnings about a template that is new or has changed. */
export function templateWarnings(template: PodTemplateSpec | undefined, changed: boolean, at: string): string[] {
  return template?.spec === undefined || !changed ? [] : podWarnings(template.spec, template.metadata, at);
}

type Placed = readonly [container: Container, place: string];

function nodeAffinityWarnings({ affinity }: PodSpec, at: string): string[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: needed,
    preferredDuringSchedulingIgnoredDuringExecution: wanted = [],
  } = affinity?.nodeAffinity ?? {};
  return [
    ...check.eachItem(
      needed?.nodeSelectorTerms,
      `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`,
      (term, place) => nodeTermWarnings(term, place, false),
    ),
    ...check.eachItem(wanted, `${at}.preferredDuringSchedulingIgnoredDuringExecution`, ({ preference }, place) =>
      nodeTermWarnings(preference, `${place}.preference`, true),
    ),
  ];
}

const matchesNoPod = "a null labelSelector results in matching no pod";

function spreadWarnings({ topologySpreadConstraints = [] }: PodSpec, at: string): string[] {
  return check.eachItem(topologySpreadConstraints, at, ({ topologyKey, labelSelector }, place) => [
    ...nodeLabelWarnings(topologyKey, `${place}.topologyKey`),
    ...(labelSelector === undefined ? [`${place}.labelSelector: ${matchesNoPod}`] : []),
  ]);
}

function podAffinityWarnings(affinity: PodAffinity | undefined, at: string): string[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: needed = [],
    preferredDuringSchedulingIgnoredDuringExecution: wanted = [],
  } = affinity ?? {};
  return [
    ...check.eachItem(needed, `${at}.requiredDuringSchedulingIgnoredDuringExecution`, ({ labelSelector }, place) =>
      labelSelector === undefined ? [`${place}.labelSelector: ${matchesNoPod}`] : [],
    ),
    ...check.eachItem(wanted, `${at}.preferredDuringSchedulingIgnoredDuringExecution`, ({ podAffinityTerm }, place) =>
      podAffinityTerm.labelSelector === undefined ? [`${place}.podAffinityTerm.labelSelector: ${matchesNoPod}`] : [],
    ),
  ];
}

function containerWarnings(container: Container, at: string): string[] {
  const names = new Set<string>();
  const warnings = (container.env ?? []).flatMap(({ name, value = "", valueFrom }, index) => {
    const known = names.has(name);
    names.add(name);
    // A value that refers to the previous one extends it.
    const before = `$(${name})`;
    const hides = valueFrom !== undefined || value === before || !value.includes(before);
    return known && hides
      ? [
          `${at}.env[${String(index)}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
        ]
      : [];
  });
  return [
    ...["memory", "ephemeral-storage"].flatMap((name) =>
      (["limits", "requests"] as const).flatMap((kind) =>
        quantityWarnings(container.resources?.[kind], `${at}.resources.${kind}`, [name]),
      ),
    ),
    ...warnings,
  ];
}

function repeated<K extends string>(
  items: readonly { readonly [key in K]?: string | undefined }[] | undefined,
  at: string,
  key: K,
): string[] {
  const seen = new Set<string>();
  return check.eachItem(items, at, (item, place) => {
    const value = item[key] ?? "";
    if (seen.has(value)) return [`${place}.${key}: duplicate ${key} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}

/** Ports that a port with the same number is compared with: all warnings together are cut off far earlier. */
const mostCompared = 100;

/** Returns the warnings about duplicate ports, in one container or across several. */
function portWarnings(containers: readonly Placed[]): string[] {
  const ports = containers.flatMap(([container, place]) =>
    (container.ports ?? []).map((port, index) => ({
      place: `${place}.ports[${String(index)}]`,
      ...port,
      name: port.name ?? "",
      protocol: port.protocol ?? "",
      hostPort: port.hostPort ?? 0,
      hostIP: port.hostIP ?? "",
    })),
  );
  const earlierPorts = new Map<string, (typeof ports)[number][]>();
  const warnings = ports.flatMap((port) => {
    const { place, protocol, hostPort, hostIP, containerPort } = port;
    const found = hostIP !== "" && hostPort === 0 ? [`${place}: hostIP set without hostPort`] : [];
    const key = `${protocol}/${String(containerPort)}`;
    const earlier = earlierPorts.get(key) ?? [];
    earlierPorts.set(key, earlier);
    if (earlier.length < mostCompared) earlier.push(port);
    for (const other of earlier) {
      if (other === port) continue;
      if (other.hostIP === hostIP && other.hostPort === hostPort)
        found.push(`${place}: duplicate port definition with ${other.place}`);
      else if (hostPort === 0 || other.hostPort === 0)
        found.push(`${place}: overlapping port definition with ${other.place}`);
      else if (hostPort === other.hostPort && (hostIP === "") !== (other.hostIP === ""))
        found.push(`${place}: dangerously ambiguous port definition with ${other.place}`);
    }
    return found;
  });
  const firstPlaces = new Map<string, string>();
  const named = ports.flatMap(({ place, name }) => {
    const first = name === "" ? undefined : firstPlaces.get(name);
    if (first === undefined) firstPlaces.set(name, place);
    return first === undefined ? [] : [`${place}: duplicate port name ${JSON.stringify(name)} with ${first}`];
  });
  return [...warnings, ...named];
}
