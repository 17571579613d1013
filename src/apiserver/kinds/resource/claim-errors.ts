import { utf8Encode } from "../../../internal/bytes.js";
import { pushAll } from "../../../internal/push-all.js";
import type { DeviceSelector, ResourceClaim } from "../../../kinds/resource/v1.js";
import { CelCompileError } from "../../cel/checker/check.js";
import { compileDeviceCel } from "../../cel/device.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, notSupported, required, tooLong } from "../shared/field-errors.js";
import type { StrategyContext } from "../shared/strategy-context.js";
import { driverErrors, fullAttributeNameErrors, setErrors, tolerationErrors } from "./device-errors.js";

type Claim = NonNullable<ResourceClaim["spec"]>;
/** Devices that a claim requests. */
export type Devices = NonNullable<Claim["devices"]>;
type Request = NonNullable<Devices["requests"]>[number];
type Exact = NonNullable<Request["exactly"]>;
type Sub = NonNullable<Request["firstAvailable"]>[number];

/** Maximum number of requests, constraints and configurations of a claim. */
export const mostRequests: number = 32;
const mostAlternatives = 8;
const mostSelectors = 32;
const longestExpression = 10 * 1024;
const longestParameters = 10 * 1024;

const adminAccessLabel = "resource.kubernetes.io/admin-access";

/** Returns an error if a request uses admin access and the namespace isn't for administrators. */
export function adminErrors(devices: Devices | undefined, namespace = "", about?: StrategyContext): FieldError[] {
  const index = ((devices?.requests as Request[] | null | undefined) ?? []).findIndex(
    ({ exactly }) => exactly?.adminAccess === true,
  );
  return index < 0 ? [] : adminNamespaceErrors(`spec.devices.requests[${String(index)}].adminAccess`, namespace, about);
}

/** Returns an error unless a namespace is for administrators. */
export function adminNamespaceErrors(field: string, namespace: string, about?: StrategyContext): FieldError[] {
  if (about?.namespaceLabels === undefined || about.namespaceLabels(namespace)?.[adminAccessLabel] === "true")
    return [];
  return [
    forbidden(field, `admin access to devices requires the \`${adminAccessLabel}: true\` label on the namespace`),
  ];
}

/** Names of requests, with the names of their alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNamesOf(devices: Devices | undefined): RequestNames {
  const requests = (devices?.requests as Request[] | null | undefined) ?? [];
  return new Map(
    requests.map((request) => [request.name, new Set((request.firstAvailable ?? []).map(({ name }) => name))]),
  );
}

/** Validates the devices of a claim. */
export function devicesErrors(devices: Devices, at: string): FieldError[] {
  const { constraints, config } = devices;
  const requests = (devices.requests as Request[] | null | undefined) ?? [];
  const names = requestNamesOf(devices);
  const reference = (name: string, place: string): FieldError[] => referenceErrors(name, names, place);
  return [
    ...setErrors(requests, { most: mostRequests, keyOf: ({ name }) => name }, `${at}.requests`, requestErrors),
    ...setErrors(constraints, { most: mostRequests }, `${at}.constraints`, (constraint, place) => [
      ...setErrors(constraint.requests, { most: mostRequests, keyOf: (name) => name }, `${place}.requests`, reference),
      ...constraintErrors(constraint, place),
    ]),
    ...setErrors(config, { most: mostRequests }, `${at}.config`, (each, place) => [
      ...setErrors(each.requests, { most: mostRequests, keyOf: (name) => name }, `${place}.requests`, reference),
      ...opaqueErrors(each, place),
    ]),
  ];
}

function constraintErrors(
  { matchAttribute, distinctAttribute }: NonNullable<Devices["constraints"]>[number],
  at: string,
): FieldError[] {
  if (matchAttribute !== undefined) return fullAttributeNameErrors(`${at}.matchAttribute`, matchAttribute);
  if (distinctAttribute !== undefined) return fullAttributeNameErrors(`${at}.distinctAttribute`, distinctAttribute);
  return [
    required(at, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'),
  ];
}

/** Validates a reference to a request, or to one of its alternatives. */
export function referenceErrors(name: string, names: RequestNames, at: string): FieldError[] {
  const unknown = invalid(at, name, "must be the name of a request, or of a request and a subrequest ('a/b')");
  const parts = name.split("/");
  if (parts.length > 2) return [unknown];
  const known = names.has(parts[0]!) && (parts.length === 1 || names.get(parts[0]!)!.has(parts[1]!));
  return [...parts.flatMap((part) => check.dnsLabel(at, part)), ...(known ? [] : [unknown])];
}

function requestErrors({ name, exactly, firstAvailable = [] }: Request, at: string): FieldError[] {
  const errors = check.dnsLabel(`${at}.name`, name);
  const one = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly === undefined && firstAvailable.length === 0) return [...errors, required(at, one)];
  if (exactly !== undefined && firstAvailable.length > 0)
    return [...errors, invalid(at, null, `${one}, but multiple fields are set`)];
  if (exactly !== undefined) return [...errors, ...choiceErrors(exactly, `${at}.exactly`)];
  return [
    ...errors,
    ...setErrors(
      firstAvailable,
      { most: mostAlternatives, keyOf: (sub) => sub.name },
      `${at}.firstAvailable`,
      (sub, place) => [...check.dnsLabel(`${place}.name`, sub.name), ...choiceErrors(sub, place)],
    ),
  ];
}

function choiceErrors(
  { deviceClassName, selectors, allocationMode, count = 0, tolerations = [] }: Exact | Sub,
  at: string,
): FieldError[] {
  const errors = check.requiredText(`${at}.deviceClassName`, deviceClassName, check.dnsSubdomain);
  pushAll(errors, selectorsErrors(selectors, `${at}.selectors`));
  const mode = allocationMode ?? "";
  if (mode === "All") {
    if (count !== 0) errors.push(invalid(`${at}.count`, count, "must not be specified when allocationMode is 'All'"));
  } else if (mode === "ExactCount") {
    if (count <= 0) errors.push(invalid(`${at}.count`, count, "must be greater than zero"));
  } else errors.push(notSupported(`${at}.allocationMode`, mode, ["All", "ExactCount"]));
  return [...errors, ...check.eachItem(tolerations, `${at}.tolerations`, tolerationErrors)];
}

export function selectorsErrors(selectors: readonly DeviceSelector[] | undefined, at: string): FieldError[] {
  return setErrors(selectors, { most: mostSelectors }, at, ({ cel }, place) => {
    const field = `${place}.cel.expression`;
    if (cel === undefined) return [required(`${place}.cel`)];
    if (utf8Encode(cel.expression).length > longestExpression) return [tooLong(field, longestExpression)];
    try {
      compileDeviceCel(cel.expression);
      return [];
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      return [invalid(field, cel.expression, error.message)];
    }
  });
}

/** Validates a driver's own configuration. */
export function opaqueErrors(
  { opaque }: { readonly opaque?: { readonly driver: string; readonly parameters: unknown } | undefined },
  at: string,
): FieldError[] {
  if (opaque === undefined) return [required(`${at}.opaque`)];
  return [
    ...driverErrors(`${at}.opaque.driver`, opaque.driver),
    ...rawErrors(`${at}.opaque.parameters`, opaque.parameters),
  ];
}

/** Validates an object whose form the driver defines. */
export function rawErrors(field: string, value: unknown): FieldError[] {
  if (value === undefined || value === null) return [required(field)];
  if (utf8Encode(JSON.stringify(value)).length > longestParameters) return [tooLong(field, longestParameters)];
  return typeof value !== "object" || Array.isArray(value)
    ? [invalid(field, "<value omitted>", "must be a valid JSON object")]
    : [];
}
