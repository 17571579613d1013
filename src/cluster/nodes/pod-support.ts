import type { Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { Reason } from "./pod-host.js";

const os = "linux";
const osLabel = "kubernetes.io/os";

/** Kernel parameters that a kubelet lets pods set without being configured to. */
const safeSysctls: ReadonlySet<string> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.tcp_wmem",
]);

/** Returns why no simulated node can run a pod, whatever else is on it; `undefined` if they can. */
export function findUnsupported({ metadata, spec }: DeepReadonly<Pod>): Reason | undefined {
  const unsafe = spec?.securityContext?.sysctls?.find(({ name }) => !safeSysctls.has(dotted(name)));
  if (unsafe !== undefined) {
    const message = `forbidden sysctl: ${JSON.stringify(dotted(unsafe.name))} not allowlisted`;
    return { reason: "SysctlForbidden", message };
  }
  if ((metadata?.labels?.[osLabel] ?? os) !== os) {
    const message = `Failed to admit pod as the \`${osLabel}\` label doesn't match node label`;
    return { reason: "PodOSSelectorNodeLabelDoesNotMatch", message };
  }
  if ((spec?.os?.name ?? os) === os) return undefined;
  return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
}

/** Returns the name of a kernel parameter with dots between its parts; slashes are allowed, too. */
function dotted(name: string): string {
  if (!/^[^./]*\//.test(name)) return name;
  return name.replace(/[./]/g, (separator) => (separator === "/" ? "." : "/"));
}
