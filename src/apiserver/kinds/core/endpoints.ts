import type { EndpointAddress, EndpointPort, Endpoints } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { addressWarnings } from "../shared/address-warnings.js";
import * as check from "../shared/checks.js";
import { endpointAddress } from "../shared/endpoint-addresses.js";
import { required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { firstFew } from "../shared/kind-printer.js";

function validate({ subsets = [] }: Endpoints): FieldError[] {
  return check.eachItem(subsets, "subsets", ({ addresses = [], notReadyAddresses = [], ports = [] }, at) => [
    ...(addresses.length + notReadyAddresses.length === 0
      ? [required(at, "must specify `addresses` or `notReadyAddresses`")]
      : []),
    ...check.eachItem(addresses, `${at}.addresses`, addressErrors),
    ...check.eachItem(notReadyAddresses, `${at}.notReadyAddresses`, addressErrors),
    ...check.eachItem(ports, `${at}.ports`, (port, path) => portErrors(port, ports.length > 1, path)),
  ]);
}

function addressErrors({ ip, hostname = "", nodeName }: EndpointAddress, at: string): FieldError[] {
  return [
    ...check.ipAddress(`${at}.ip`, ip),
    ...(hostname === "" ? [] : check.dnsLabel(`${at}.hostname`, hostname)),
    ...(nodeName === undefined ? [] : check.dnsSubdomain(`${at}.nodeName`, nodeName)),
    ...endpointAddress(`${at}.ip`, ip),
  ];
}

function portErrors(
  { name = "", port, protocol, appProtocol }: EndpointPort,
  needsName: boolean,
  at: string,
): FieldError[] {
  return [
    ...(name !== "" ? check.dnsLabel(`${at}.name`, name) : needsName ? [required(`${at}.name`)] : []),
    ...check.portNumber(`${at}.port`, port),
    ...check.requiredOneOf(`${at}.protocol`, protocol, check.protocols),
    ...(appProtocol === undefined ? [] : check.qualifiedName(`${at}.appProtocol`, appProtocol)),
  ];
}

function endpointsCell({ subsets }: Endpoints): string {
  if ((subsets ?? []).length === 0) return "<none>";
  const list = (subsets ?? []).flatMap(({ addresses, ports }) => {
    const hosts = (addresses ?? []).map((each) => each.ip);
    if ((ports ?? []).length === 0) return hosts;
    return (ports ?? []).flatMap((port) =>
      hosts.map((host) => `${host.includes(":") ? `[${host}]` : host}:${String(port.port)}`),
    );
  });
  return firstFew(list, 3);
}

export const endpoints: KindDefinition = defineBuiltin<Endpoints>({
  resource: "/endpoints",
  createOnUpdate: true,
  metadata: { checksOnUpdate: 2 },
  deprecations: { v1: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice" },
  defaults: {
    "io.k8s.api.core.v1.EndpointPort": (port: { protocol?: string | undefined }) => {
      port.protocol ||= "TCP";
    },
  },
  validate: {
    create: validate,
    // Unchanged subsets may stay invalid.
    update: (object, old) => (check.sameValue(object.subsets, old.subsets) ? [] : validate(object)),
  },
  warnings: ({ subsets = [] }) =>
    check.eachItem(subsets, "subsets", (subset, at) =>
      (["addresses", "notReadyAddresses"] as const).flatMap((key) =>
        check.eachItem(subset[key], `${at}.${key}`, ({ ip }, path) => addressWarnings(`${path}.ip`, ip)),
      ),
    ),
  printer: { columns: "Endpoints,Age", cells: (object, age) => [endpointsCell(object), age] },
});
