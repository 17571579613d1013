import type { AllocatedDeviceStatus, AllocationResult, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { Condition } from "../../../meta/condition.js";
import type { FieldError } from "../../errors/field-error.js";
import { interfaceAddressProblem } from "../../objects/addresses.js";
import { internalForm } from "../../schema/internal-form.js";
import { validateNodeSelector } from "../shared/affinity.js";
import {
  dnsLabel,
  forbidden,
  invalid,
  notSupported,
  required,
  sameValue,
  tooLong,
  tooMany,
} from "../shared/field-errors.js";
import { conditionsErrors } from "../shared/selectors.js";
import { sharedDevice } from "../shared-device.js";
import type { StrategyContext } from "../strategy.js";
import { claimRightsErrors } from "./claim-rights.js";
import {
  adminNamespaceErrors,
  opaqueErrors,
  type RequestNames,
  rawErrors,
  referenceErrors,
  requestNamesOf,
} from "./validate-device-claims.js";
import { bindingErrors, driverErrors, poolErrors, setErrors } from "./validate-device-names.js";

type Status = NonNullable<ResourceClaim["status"]>;
type Allocated = NonNullable<NonNullable<AllocationResult["devices"]>["results"]>[number];
type Configuration = NonNullable<NonNullable<AllocationResult["devices"]>["config"]>[number];

const MOST_CONSUMERS = 256;
const MOST_RESULTS = 32;
const MOST_CONFIGURATIONS = 64;
const MOST_REQUESTS = 32;
const MOST_CONDITIONS = 8;
const MOST_ADDRESSES = 16;
const LONGEST_INTERFACE = 256;
const LONGEST_HARDWARE_ADDRESS = 128;
const SOURCES = ["FromClaim", "FromClass"];

/** Errors of a change of what a claim was given. */
export function validateClaimStatusUpdate(
  claim: ResourceClaim,
  old: ResourceClaim,
  about?: StrategyContext,
): FieldError[] {
  const [status, before] = [claim.status ?? {}, old.status ?? {}];
  const { allocation, reservedFor = [], devices } = status;
  const known = new Set((allocation?.devices?.results ?? []).map((result) => JSON.stringify(sharedDevice(result))));
  const errors = [
    ...adminErrors(status, before, claim.metadata?.namespace ?? "", about),
    ...claimRightsErrors(status, before, about),
    ...setErrors(
      reservedFor,
      MOST_CONSUMERS,
      "status.reservedFor",
      (consumer, at) =>
        (["resource", "name", "uid"] as const).flatMap((field) =>
          consumer[field] === "" ? [required(`${at}.${field}`)] : [],
        ),
      ({ uid }) => uid,
    ),
    ...setErrors(devices, Infinity, "status.devices", (device, at) => deviceErrors(device, known, at), sharedDevice),
  ];
  if (reservedFor.length > 0) {
    const kept = before.reservedFor ?? [];
    if (allocation === undefined)
      errors.push(forbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
    else if (
      claim.metadata?.deletionTimestamp != null &&
      reservedFor.some((consumer) => !kept.some((other) => sameValue(consumer, other)))
    ) {
      errors.push(
        forbidden(
          "status.reservedFor",
          "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
        ),
      );
    }
  }
  if (allocation === undefined) return errors;
  if (before.allocation === undefined)
    return [...errors, ...allocationErrors(allocation, requestNamesOf(claim.spec?.devices), "status.allocation")];
  return sameValue(allocation, before.allocation)
    ? errors
    : [
        ...errors,
        invalid("status.allocation", internalForm("resource.AllocationResult", allocation), "field is immutable"),
      ];
}

/** An error where somebody is given all of a device for the first time, in a namespace that is not for administrators. */
function adminErrors({ allocation }: Status, before: Status, namespace: string, about?: StrategyContext): FieldError[] {
  const place = (given: AllocationResult | undefined): number =>
    (given?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess === true);
  const index = place(allocation);
  return index < 0 || place(before.allocation) >= 0
    ? []
    : adminNamespaceErrors(`status.allocation.devices.results[${String(index)}].adminAccess`, namespace, about);
}

function allocationErrors({ devices, nodeSelector }: AllocationResult, names: RequestNames, at: string): FieldError[] {
  return [
    ...setErrors(devices?.results, MOST_RESULTS, `${at}.devices.results`, (result, place) =>
      resultErrors(result, names, place),
    ),
    ...setErrors(devices?.config, MOST_CONFIGURATIONS, `${at}.devices.config`, (config, place) =>
      configurationErrors(config, names, place),
    ),
    ...(nodeSelector === undefined
      ? []
      : validateNodeSelector(nodeSelector.nodeSelectorTerms, `${at}.nodeSelector.nodeSelectorTerms`)),
  ];
}

function resultErrors(result: Allocated, names: RequestNames, at: string): FieldError[] {
  const { request, driver, pool, device, shareID } = result;
  return [
    ...referenceErrors(request, names, `${at}.request`),
    ...driverErrors(`${at}.driver`, driver),
    ...poolErrors(`${at}.pool`, pool),
    ...dnsLabel(`${at}.device`, device),
    ...bindingErrors(result, at),
    ...(shareID === undefined ? [] : uuidErrors(`${at}.shareID`, shareID)),
  ];
}

function configurationErrors(config: Configuration, names: RequestNames, at: string): FieldError[] {
  const { source, requests } = config;
  const errors =
    (source as string) === ""
      ? [required(`${at}.source`)]
      : SOURCES.includes(source)
        ? []
        : [notSupported(`${at}.source`, source, SOURCES)];
  return [
    ...errors,
    ...setErrors(
      requests,
      MOST_REQUESTS,
      `${at}.requests`,
      (name, place) => referenceErrors(name, names, place),
      (name) => name,
    ),
    ...opaqueErrors(config, at),
  ];
}

function deviceErrors(status: AllocatedDeviceStatus, known: ReadonlySet<string>, at: string): FieldError[] {
  const { driver, pool, device, shareID, conditions: given, data, networkData } = status;
  const conditions = (given as Condition[] | null | undefined) ?? [];
  const errors = [
    ...driverErrors(`${at}.driver`, driver),
    ...poolErrors(`${at}.pool`, pool),
    ...dnsLabel(`${at}.device`, device),
    ...(shareID === undefined ? [] : uuidErrors(`${at}.shareID`, shareID)),
  ];
  const shared = sharedDevice(status);
  if (!known.has(JSON.stringify(shared))) errors.push(invalid(at, shared, "must be an allocated device in the claim"));
  if (conditions.length > MOST_CONDITIONS) errors.push(tooMany(`${at}.conditions`, conditions.length, MOST_CONDITIONS));
  errors.push(...conditionsErrors(conditions, `${at}.conditions`));
  if (data !== undefined && data !== null) errors.push(...rawErrors(`${at}.data`, data));
  return networkData === undefined ? errors : [...errors, ...networkErrors(networkData, `${at}.networkData`)];
}

function networkErrors(
  { interfaceName = "", hardwareAddress = "", ips }: NonNullable<AllocatedDeviceStatus["networkData"]>,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const text = (field: string, value: string, most: number): void => {
    if (new TextEncoder().encode(value).length > most) errors.push(tooLong(`${at}.${field}`, most));
  };
  text("interfaceName", interfaceName, LONGEST_INTERFACE);
  text("hardwareAddress", hardwareAddress, LONGEST_HARDWARE_ADDRESS);
  const address = (given: string, field: string): FieldError[] => {
    const problem = interfaceAddressProblem(given);
    return problem === undefined ? [] : [invalid(field, given, problem)];
  };
  return [...errors, ...setErrors(ips, MOST_ADDRESSES, `${at}.ips`, address, (given) => given)];
}

/** Errors of a UUID, which must be in small letters, without anything around it. */
function uuidErrors(field: string, id: string): FieldError[] {
  const problem = uuidProblem(id);
  if (problem !== undefined) return [invalid(field, id, `error validating uid: ${problem}`)];
  if (id.length === UUID && id === id.toLowerCase()) return [];
  return [
    invalid(
      field,
      id,
      "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters",
    ),
  ];
}

const UUID = 36;
const PREFIX = "urn:uuid:";

function uuidProblem(id: string): string | undefined {
  const { length } = new TextEncoder().encode(id);
  if (length === UUID - 4) return /^[0-9a-f]{32}$/i.test(id) ? undefined : "invalid UUID format";
  let plain = id;
  if (length === UUID + PREFIX.length) {
    const start = id.slice(0, PREFIX.length);
    if (start.toLowerCase() !== PREFIX) return `invalid urn prefix: ${JSON.stringify(start)}`;
    plain = id.slice(PREFIX.length);
  } else if (length === UUID + 2) {
    if (!/^\{.*\}$/.test(id)) return "invalid bracketed UUID format";
    plain = id.slice(1, -1);
  } else if (length !== UUID) return `invalid UUID length: ${String(length)}`;
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(plain) ? undefined : "invalid UUID format";
}
