import type { Container, Handler, PodSpec, SecurityContext } from "./pod.js";

/** The Pod Security Standards, from lax to strict. */
export type SecurityLevel = "privileged" | "baseline" | "restricted";

interface Subject {
  readonly spec: PodSpec;
  readonly containers: readonly Container[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** What one control forbids in a pod. */
interface Violation {
  readonly reason: string;
  readonly detail: string;
}

type Check = (subject: Subject) => Violation | undefined;

/**
 * What keeps a pod from meeting a standard, as one text; `""` if nothing does.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export function violations(level: SecurityLevel, spec: PodSpec, annotations: Readonly<Record<string, string>>): string {
  if (level === "privileged") return "";
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const checks =
    level === "baseline"
      ? [...baseline.map(([, check]) => check)]
      : [...baseline.filter(([, , replaced]) => !replaced).map(([, check]) => check), ...restricted];
  const found = checks
    .map((check) => check({ spec, containers, annotations }))
    .filter((violation) => violation !== undefined);
  return found.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}

const quote = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(", ");
const plural = (word: string, count: number, many = `${word}s`): string => (count === 1 ? word : many);
const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort();
const named = (containers: readonly Container[]): string =>
  `${plural("container", containers.length)} ${quote(containers.map(({ name }) => name))}`;
const allowedCapabilities = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);
const allowedSysctls = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
]);
const allowedSelinuxTypes = new Set(["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"]);
const allowedVolumes = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);
const safeProfile = (type: string | undefined): boolean => type === "RuntimeDefault" || type === "Localhost";

/** Who sets something forbidden: the pod, some containers, or both; `undefined` if nobody does. */
function setters({ spec, containers }: Subject, forbidden: (context: SecurityContext) => boolean): string | undefined {
  const bad = containers.filter(({ securityContext }) => securityContext !== undefined && forbidden(securityContext));
  const parts = [
    ...(spec.securityContext !== undefined && forbidden(spec.securityContext) ? ["pod"] : []),
    ...(bad.length > 0 ? [named(bad)] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(" and ");
}

function contexts({ spec, containers }: Subject): SecurityContext[] {
  return [spec.securityContext, ...containers.map(({ securityContext }) => securityContext)].filter(
    (context) => context !== undefined,
  );
}

function badContainers(
  { containers }: Subject,
  forbidden: (container: Container) => boolean,
  reason: string,
  detail: (names: string, bad: readonly Container[]) => string,
): Violation | undefined {
  const bad = containers.filter(forbidden);
  return bad.length === 0 ? undefined : { reason, detail: detail(named(bad), bad) };
}

const appArmor: Check = (subject) => {
  const who = setters(
    subject,
    ({ appArmorProfile }) => appArmorProfile !== undefined && !safeProfile(appArmorProfile.type),
  );
  const values = sorted(
    contexts(subject)
      .map(({ appArmorProfile }) => appArmorProfile?.type)
      .filter((type) => type !== undefined && !safeProfile(type)) as string[],
  );
  const annotations = Object.entries(subject.annotations)
    .filter(
      ([key, value]) =>
        key.startsWith("container.apparmor.security.beta.kubernetes.io/") &&
        value !== "" &&
        value !== "runtime/default" &&
        !value.startsWith("localhost/"),
    )
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const all = [...values, ...annotations];
  if (all.length === 0) return undefined;
  const by = [
    ...(who === undefined ? [] : [who]),
    ...(annotations.length === 0 ? [] : [plural("annotation", annotations.length)]),
  ].join(" and ");
  return {
    reason: plural("forbidden AppArmor profile", all.length),
    detail: `${by} must not set AppArmor profile type to ${quote(all)}`,
  };
};

const capabilities: Check = (subject) => {
  const extra = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !allowedCapabilities.has(name));
  return badContainers(
    subject,
    (container) => extra(container).length > 0,
    "non-default capabilities",
    (who, bad) => `${who} must not include ${quote(sorted(bad.flatMap(extra)))} in securityContext.capabilities.add`,
  );
};

const hostNamespaces: Check = ({ spec }) => {
  const set = [
    spec.hostNetwork === true && "hostNetwork=true",
    spec.hostPID === true && "hostPID=true",
    spec.hostIPC === true && "hostIPC=true",
  ].filter((text) => text !== false);
  return set.length === 0 ? undefined : { reason: "host namespaces", detail: set.join(", ") };
};

const hostPaths: Check = ({ spec }) => {
  const names = (spec.volumes ?? []).filter((volume) => volume["hostPath"] !== undefined).map(({ name }) => name);
  return names.length === 0
    ? undefined
    : { reason: "hostPath volumes", detail: `${plural("volume", names.length)} ${quote(names)}` };
};

const hostPorts: Check = (subject) => {
  const used = ({ ports }: Container): string[] =>
    (ports ?? [])
      .map(({ hostPort }) => hostPort ?? 0)
      .filter((port) => port !== 0)
      .map(String);
  return badContainers(
    subject,
    (container) => used(container).length > 0,
    "hostPort",
    (who, bad) => {
      const ports = sorted(bad.flatMap(used));
      return `${who} ${plural("uses", bad.length, "use")} ${plural("hostPort", ports.length)} ${ports.join(", ")}`;
    },
  );
};

const probeHosts: Check = (subject) => {
  const hosts = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
      .flatMap((handler: Handler | undefined) => [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""])
      .filter((host) => host !== "");
  return badContainers(
    subject,
    (container) => hosts(container).length > 0,
    "probe or lifecycle host",
    (_who, bad) => {
      const found = sorted(bad.flatMap(hosts));
      const names = sorted(bad.map(({ name }) => name));
      return `${plural("container", names.length)} ${quote(names)} ${plural("uses", names.length, "use")} ${plural("probe or lifecycle host", found.length)} ${quote(found)}`;
    },
  );
};

const privileged: Check = (subject) =>
  badContainers(
    subject,
    ({ securityContext }) => securityContext?.privileged === true,
    "privileged",
    (who) => `${who} must not set securityContext.privileged=true`,
  );

const procMount: Check = (subject) => {
  if (subject.spec.hostUsers === false) return undefined;
  const masked = ({ securityContext }: Container): boolean => (securityContext?.procMount ?? "Default") === "Default";
  return badContainers(
    subject,
    (container) => !masked(container),
    "procMount",
    (who, bad) =>
      `${who} must not set securityContext.procMount to ${quote(sorted(bad.map(({ securityContext }) => securityContext!.procMount!)))}`,
  );
};

const seLinux: Check = (subject) => {
  const who = setters(
    subject,
    ({ seLinuxOptions: options }) =>
      options !== undefined &&
      (!allowedSelinuxTypes.has(options.type ?? "") || (options.user ?? "") !== "" || (options.role ?? "") !== ""),
  );
  if (who === undefined) return undefined;
  const all = contexts(subject).map(({ seLinuxOptions }) => seLinuxOptions ?? {});
  const types = sorted(all.map(({ type }) => type ?? "").filter((type) => !allowedSelinuxTypes.has(type)));
  const data = [
    ...(types.length === 0 ? [] : [`${plural("type", types.length)} ${quote(types)}`]),
    ...(all.some(({ user }) => (user ?? "") !== "") ? ["user may not be set"] : []),
    ...(all.some(({ role }) => (role ?? "") !== "") ? ["role may not be set"] : []),
  ];
  return {
    reason: "seLinuxOptions",
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`,
  };
};

function badSeccomp(subject: Subject): Violation | undefined {
  const who = setters(
    subject,
    ({ seccompProfile }) => seccompProfile !== undefined && !safeProfile(seccompProfile.type),
  );
  if (who === undefined) return undefined;
  const values = sorted(
    contexts(subject)
      .map(({ seccompProfile }) => seccompProfile?.type)
      .filter((type) => type !== undefined && !safeProfile(type)) as string[],
  );
  return {
    reason: "seccompProfile",
    detail: `${who} must not set securityContext.seccompProfile.type to ${quote(values)}`,
  };
}

const sysctls: Check = ({ spec }) => {
  const names = (spec.securityContext?.sysctls ?? [])
    .map(({ name }) => name)
    .filter((name) => !allowedSysctls.has(name));
  return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") };
};

const hostProcess: Check = (subject) => {
  const who = setters(subject, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
  return who === undefined
    ? undefined
    : { reason: "hostProcess", detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** Controls of the baseline in the order of their names, and whether the restricted standard has a stricter one instead. */
const baseline: readonly (readonly [name: string, check: Check, replaced: boolean])[] = [
  ["appArmorProfile", appArmor, false],
  ["capabilities", capabilities, true],
  ["hostNamespaces", hostNamespaces, false],
  ["hostPathVolumes", hostPaths, true],
  ["hostPorts", hostPorts, false],
  ["hostProbesAndHostLifecycle", probeHosts, false],
  ["privileged", privileged, false],
  ["procMount", procMount, false],
  ["seLinuxOptions", seLinux, false],
  ["seccompProfile", badSeccomp, true],
  ["sysctls", sysctls, false],
  ["windowsHostProcess", hostProcess, false],
];

const isWindows = ({ spec }: Subject): boolean => spec.os?.name === "windows";

const escalation: Check = (subject) =>
  isWindows(subject)
    ? undefined
    : badContainers(
        subject,
        ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
        "allowPrivilegeEscalation != false",
        (who) => `${who} must set securityContext.allowPrivilegeEscalation=false`,
      );

const strictCapabilities: Check = (subject) => {
  if (isWindows(subject)) return undefined;
  const extra = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => name !== "NET_BIND_SERVICE");
  const keeping = subject.containers.filter(
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true,
  );
  const adding = subject.containers.filter((container) => extra(container).length > 0);
  const details = [
    ...(keeping.length === 0 ? [] : [`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [
          `${named(adding)} must not include ${quote(sorted(adding.flatMap(extra)))} in securityContext.capabilities.add`,
        ]),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const strictVolumes: Check = ({ spec }) => {
  const typeOf = (volume: Record<string, unknown>): string =>
    Object.keys(volume).find((key) => key !== "name" && volume[key] !== undefined) ?? "unknown";
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.has(typeOf(volume)));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map(typeOf));
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", bad.length)} ${quote(bad.map(({ name }) => name))} ${plural("uses", bad.length, "use")} ${plural("restricted volume type", types.length)} ${quote(types)}`,
  };
};

const nonRoot: Check = (subject) => {
  const { spec, containers } = subject;
  if (spec.hostUsers === false) return undefined;
  const who = setters(subject, ({ runAsNonRoot }) => runAsNonRoot === false);
  if (who !== undefined)
    return { reason: "runAsNonRoot != true", detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (spec.securityContext?.runAsNonRoot === true) return undefined;
  const open = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return open.length === 0
    ? undefined
    : { reason: "runAsNonRoot != true", detail: `pod or ${named(open)} must set securityContext.runAsNonRoot=true` };
};

const notRootUser: Check = (subject) => {
  if (subject.spec.hostUsers === false) return undefined;
  const who = setters(subject, ({ runAsUser }) => runAsUser === 0);
  return who === undefined ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
};

const strictSeccomp: Check = (subject) => {
  if (isWindows(subject)) return undefined;
  const explicit = badSeccomp(subject);
  if (explicit !== undefined || subject.spec.securityContext?.seccompProfile !== undefined) return explicit;
  const open = subject.containers.filter(({ securityContext }) => securityContext?.seccompProfile === undefined);
  return open.length === 0
    ? undefined
    : {
        reason: "seccompProfile",
        detail: `pod or ${named(open)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
      };
};

/** Controls of the restricted standard in the order of their names. */
const restricted: readonly Check[] = [
  escalation,
  strictCapabilities,
  strictVolumes,
  nonRoot,
  notRootUser,
  strictSeccomp,
];
