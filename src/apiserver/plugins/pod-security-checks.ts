import { words } from "../internal/words.js";
import type { Container, Handler, PodSpec, SecurityContext } from "./pod.js";

/** Pod Security Standards, from least to most strict. */
export type SecurityLevel = "privileged" | "baseline" | "restricted";

/** A level with the version of the standards, as in the labels of a namespace: `v1.30` or `latest`. */
export interface SecurityPolicy {
  readonly level: SecurityLevel;
  readonly version: string;
}

interface Subject {
  /** Minor version of the standards to check against. */
  readonly minor: number;
  readonly spec: PodSpec;
  readonly containers: readonly Container[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** Returns the parts of a pod that violate a control, as messages name them: `pod`, `container "a"`, `volume "v"`. */
type Finder = (subject: Subject) => readonly string[];

/** A control: the message and the check. */
type Control = readonly [reason: string, broken: Finder];

/**
 * Returns the violations of a standard as one text, or `""`.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export function violations(
  { level, version }: SecurityPolicy,
  spec: PodSpec,
  annotations: Readonly<Record<string, string>>,
): string {
  if (level === "privileged") return "";
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const controls = level === "baseline" ? [...shared, ...baselineOnly] : [...shared, ...restrictedOnly];
  const minor = Number(/^v1\.(\d+)$/.exec(version)?.[1] ?? Infinity);
  return controls
    .map(([reason, broken]) => [reason, broken({ minor, spec, containers, annotations })] as const)
    .filter(([, parts]) => parts.length > 0)
    .map(([reason, parts]) => `${reason} (${parts.join(", ")})`)
    .join(", ");
}

const allowedCapabilities = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(
    " ",
  ),
);
/** Allowed sysctls by the minor version that added them. */
const allowedSysctls: readonly (readonly [minor: number, names: ReadonlySet<string>])[] = [
  [
    0,
    new Set(
      words(
        "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start",
      ),
    ),
  ],
  [27, new Set(["net.ipv4.ip_local_reserved_ports"])],
  [
    29,
    new Set(
      words(
        "net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
      ),
    ),
  ],
  [32, new Set(["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"])],
];
const allowedSelinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];
const allowedVolumes = new Set(
  "configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret".split(" "),
);
const safeProfile = (type: string | undefined): boolean => type === "RuntimeDefault" || type === "Localhost";

/** Finds containers with a violation. */
function inContainers(wrong: (container: Container) => boolean): Finder {
  return ({ containers }) => containers.filter(wrong).map(({ name }) => `container ${JSON.stringify(name)}`);
}

/** Finds the pod and containers whose security context sets something forbidden. */
function inContexts(forbidden: (context: SecurityContext) => boolean): Finder {
  const containers = inContainers(({ securityContext }) => securityContext !== undefined && forbidden(securityContext));
  return (subject) => {
    const own = subject.spec.securityContext;
    return [...(own !== undefined && forbidden(own) ? ["pod"] : []), ...containers(subject)];
  };
}

/** Finds volumes with a violation. */
function inVolumes(wrong: (volume: Record<string, unknown>) => boolean): Finder {
  return ({ spec }) => (spec.volumes ?? []).filter(wrong).map(({ name }) => `volume ${JSON.stringify(name)}`);
}

/** Finds containers with a violation, unless the pod's security context already covers it. */
function unlessPod(settled: (pod: SecurityContext) => boolean, wrong: (own: SecurityContext) => boolean): Finder {
  const containers = inContainers(({ securityContext }) => wrong(securityContext ?? {}));
  return (subject) => (settled(subject.spec.securityContext ?? {}) ? [] : containers(subject));
}

const either =
  (...finders: readonly Finder[]): Finder =>
  (subject) =>
    finders.map((find) => find(subject)).find((parts) => parts.length > 0) ?? [];
const none: Finder = () => [];
/** Applies a check since a minor version, and before it another. */
const since =
  (minor: number, find: Finder, before: Finder = none): Finder =>
  (subject) =>
    (subject.minor >= minor ? find : before)(subject);
const unlessWindows =
  (find: Finder): Finder =>
  (subject) =>
    subject.minor >= 25 && subject.spec.os?.name === "windows" ? [] : find(subject);
const unlessUserNamespace =
  (find: Finder): Finder =>
  (subject) =>
    subject.minor >= 35 && subject.spec.hostUsers === false ? [] : find(subject);

const seccompContainerPrefix = "container.seccomp.security.alpha.kubernetes.io/";
const appArmorAnnotations: Finder = ({ annotations }) =>
  Object.entries(annotations)
    .filter(([key]) => key.startsWith("container.apparmor.security.beta.kubernetes.io/"))
    .filter(([, value]) => value !== "" && value !== "runtime/default" && !value.startsWith("localhost/"))
    .map(([key]) => `annotation ${key}`);

const seccompAnnotations: Finder = ({ annotations, containers }) =>
  ["seccomp.security.alpha.kubernetes.io/pod", ...containers.map(({ name }) => seccompContainerPrefix + name)]
    .filter((key) => {
      const profile = annotations[key] ?? "runtime/default";
      return profile !== "runtime/default" && profile !== "docker/default" && !profile.startsWith("localhost/");
    })
    .map((key) => `annotation ${key}`);

const hostNamespaces: Finder = ({ spec }) =>
  (["hostNetwork", "hostPID", "hostIPC"] as const).filter((key) => spec[key] === true).map((key) => `${key}=true`);

const probeHosts = inContainers(({ livenessProbe, readinessProbe, startupProbe, lifecycle }) =>
  [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].some(
    (handler: Handler | undefined) => (handler?.httpGet?.host ?? "") !== "" || (handler?.tcpSocket?.host ?? "") !== "",
  ),
);

const badSeccomp = inContexts(
  ({ seccompProfile }) => seccompProfile !== undefined && !safeProfile(seccompProfile.type),
);

const procMounts = inContainers(({ securityContext }) => (securityContext?.procMount ?? "Default") !== "Default");

const addedCapabilities = inContainers(({ securityContext }) =>
  (securityContext?.capabilities?.add ?? []).some((name) => !allowedCapabilities.has(name)),
);

/** Finds SELinux options other than one of some types. */
const seLinuxOtherThan = (types: readonly string[]): Finder =>
  inContexts(
    ({ seLinuxOptions: options }) =>
      options !== undefined &&
      (!types.includes(options.type ?? "") || (options.user ?? "") !== "" || (options.role ?? "") !== ""),
  );

/** Controls of both standards. */
const shared: readonly Control[] = [
  [
    "forbidden AppArmor profile",
    either(
      inContexts(({ appArmorProfile }) => appArmorProfile !== undefined && !safeProfile(appArmorProfile.type)),
      appArmorAnnotations,
    ),
  ],
  ["host namespaces", hostNamespaces],
  ["hostPort", inContainers(({ ports }) => (ports ?? []).some(({ hostPort }) => (hostPort ?? 0) !== 0))],
  ["probe or lifecycle host", since(34, probeHosts)],
  ["privileged", inContainers(({ securityContext }) => securityContext?.privileged === true)],
  [
    "seLinuxOptions",
    since(31, seLinuxOtherThan([...allowedSelinuxTypes, "container_engine_t"]), seLinuxOtherThan(allowedSelinuxTypes)),
  ],
  [
    "forbidden sysctls",
    ({ spec, minor }) =>
      (spec.securityContext?.sysctls ?? [])
        .map(({ name }) => name)
        .filter((name) => !allowedSysctls.some(([added, names]) => minor >= added && names.has(name))),
  ],
  ["hostProcess", inContexts(({ windowsOptions }) => windowsOptions?.hostProcess === true)],
];

/** Baseline controls that the restricted standard replaces. */
const baselineOnly: readonly Control[] = [
  ["non-default capabilities", addedCapabilities],
  ["procMount", unlessUserNamespace(procMounts)],
  ["hostPath volumes", inVolumes((volume) => volume["hostPath"] !== undefined)],
  ["seccompProfile", since(19, badSeccomp, seccompAnnotations)],
];

/** Controls of the restricted standard only. */
const restrictedOnly: readonly Control[] = [
  ["seccompProfile", since(19, none, seccompAnnotations)],
  ["procMount", procMounts],
  [
    "allowPrivilegeEscalation != false",
    since(8, unlessWindows(inContainers(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false))),
  ],
  ["non-default capabilities", since(22, none, addedCapabilities)],
  [
    'unrestricted capabilities: must drop "ALL" and may add "NET_BIND_SERVICE" alone',
    since(
      22,
      unlessWindows(
        inContainers(
          ({ securityContext }) =>
            securityContext?.capabilities?.drop?.includes("ALL") !== true ||
            (securityContext.capabilities.add ?? []).some((name) => name !== "NET_BIND_SERVICE"),
        ),
      ),
    ),
  ],
  [
    "restricted volume types",
    inVolumes((volume) => {
      const type = Object.keys(volume).find((key) => key !== "name" && volume[key] !== undefined);
      return !allowedVolumes.has(type ?? "unknown");
    }),
  ],
  [
    "runAsNonRoot != true",
    unlessUserNamespace(
      either(
        inContexts(({ runAsNonRoot }) => runAsNonRoot === false),
        unlessPod(
          ({ runAsNonRoot }) => runAsNonRoot === true,
          ({ runAsNonRoot }) => runAsNonRoot === undefined,
        ),
      ),
    ),
  ],
  ["runAsUser=0", since(23, unlessUserNamespace(inContexts(({ runAsUser }) => runAsUser === 0)))],
  [
    'seccompProfile: the type must be "RuntimeDefault" or "Localhost"',
    since(
      19,
      unlessWindows(
        either(
          badSeccomp,
          unlessPod(
            ({ seccompProfile }) => seccompProfile !== undefined,
            ({ seccompProfile }) => seccompProfile === undefined,
          ),
        ),
      ),
    ),
  ],
];
