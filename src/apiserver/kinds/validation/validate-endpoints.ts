import type { EndpointAddress, Endpoints, EndpointPort as OldPort } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { endpointAddress } from "../shared/endpoint-addresses.js";
import {
  dnsLabel,
  dnsSubdomain,
  ipAddress,
  notSupported,
  PROTOCOLS,
  portNumber,
  qualifiedName,
  required,
  sameValue,
} from "../shared/field-errors.js";

/** Errors of Endpoints. */
export function validateEndpoints({ subsets = [] }: Endpoints): FieldError[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const at = `subsets[${String(index)}]`;
    return [
      ...(addresses.length + notReadyAddresses.length === 0
        ? [required(at, "must specify `addresses` or `notReadyAddresses`")]
        : []),
      ...addresses.flatMap((address, position) => oldAddress(address, `${at}.addresses[${String(position)}]`)),
      ...notReadyAddresses.flatMap((address, position) =>
        oldAddress(address, `${at}.notReadyAddresses[${String(position)}]`),
      ),
      ...ports.flatMap((port, position) => oldPort(port, ports.length > 1, `${at}.ports[${String(position)}]`)),
    ];
  });
}

/** Errors of changed Endpoints: subsets that stay as they are may be wrong. */
export function validateEndpointsUpdate(endpoints: Endpoints, old: Endpoints): FieldError[] {
  return sameValue(endpoints.subsets, old.subsets) ? [] : validateEndpoints(endpoints);
}

function oldAddress({ ip, hostname = "", nodeName }: EndpointAddress, at: string): FieldError[] {
  return [
    ...ipAddress(`${at}.ip`, ip),
    ...(hostname === "" ? [] : dnsLabel(`${at}.hostname`, hostname)),
    ...(nodeName === undefined ? [] : dnsSubdomain(`${at}.nodeName`, nodeName)),
    ...endpointAddress(`${at}.ip`, ip),
  ];
}

function oldPort({ name = "", port, protocol, appProtocol }: OldPort, named: boolean, at: string): FieldError[] {
  const errors = name === "" ? (named ? [required(`${at}.name`)] : []) : dnsLabel(`${at}.name`, name);
  errors.push(...portNumber(`${at}.port`, port));
  if (((protocol as string | undefined) ?? "") === "") errors.push(required(`${at}.protocol`));
  else if (!PROTOCOLS.includes(protocol!)) errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
  return appProtocol === undefined ? errors : [...errors, ...qualifiedName(`${at}.appProtocol`, appProtocol)];
}
