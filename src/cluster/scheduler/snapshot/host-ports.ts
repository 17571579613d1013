import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Port of the node that a pod uses. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** Returns the ports of its node that a pod uses. */
export function hostPortsOf({ spec }: DeepReadonly<Pod>): HostPort[] {
  const { containers = [], initContainers = [] } = spec ?? {};
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...sidecars, ...containers].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostIP = "0.0.0.0", protocol = "TCP", hostPort }) => ({ ip: hostIP, protocol, port: hostPort! })),
  );
}

/** Returns true if one of the ports is used already. */
export function portsClash(ports: readonly HostPort[], used: readonly HostPort[]): boolean {
  return ports.some(({ ip, protocol, port }) =>
    used.some(
      (other) =>
        other.port === port &&
        other.protocol === protocol &&
        (ip === other.ip || ip === "0.0.0.0" || other.ip === "0.0.0.0"),
    ),
  );
}
