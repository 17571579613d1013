import type { Service } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Returns the variables by which a container finds Services that have a cluster IP, such as `WEB_SERVICE_HOST`. */
export function serviceEnvironment(services: readonly DeepReadonly<Service>[]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { metadata, spec } of services) {
    const { clusterIP = "", ports = [] } = spec ?? {};
    const [first] = ports;
    if (clusterIP === "" || clusterIP === "None" || first === undefined) continue;
    const prefix = variableName(metadata!.name!);
    const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP;
    const url = ({ port, protocol = "TCP" }: (typeof ports)[number]): string =>
      `${protocol.toLowerCase()}://${host}:${String(port)}`;
    env[`${prefix}_SERVICE_HOST`] = clusterIP;
    env[`${prefix}_SERVICE_PORT`] = String(first.port);
    env[`${prefix}_PORT`] = url(first);
    for (const each of ports) {
      const { name = "", port, protocol = "TCP" } = each;
      if (name !== "") env[`${prefix}_SERVICE_PORT_${variableName(name)}`] = String(port);
      // The variables of Docker's links.
      const link = `${prefix}_PORT_${String(port)}_${protocol}`;
      env[link] = url(each);
      env[`${link}_PROTO`] = protocol.toLowerCase();
      env[`${link}_PORT`] = String(port);
      env[`${link}_ADDR`] = clusterIP;
    }
  }
  return env;
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}
