import { utf8Encode } from "../../../internal/bytes.js";
import { pushAll } from "../../../internal/push-all.js";
import type { AllocatedDeviceStatus, AllocationResult, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { Condition } from "../../../meta/condition.js";
import type { FieldError } from "../../errors/field-error.js";
import { interfaceAddressProblem } from "../../objects/addresses.js";
import { validateNodeSelector } from "../shared/affinity.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, required, tooLong, tooMany } from "../shared/field-errors.js";
import { conditionsErrors } from "../shared/selectors.js";
import type { StrategyContext } from "../shared/strategy-context.js";
import {
  adminNamespaceErrors,
  opaqueErrors,
  type RequestNames,
  rawErrors,
  referenceErrors,
  requestNamesOf,
} from "./claim-errors.js";
import { claimRightsErrors } from "./claim-rights.js";
import { bindingErrors, driverErrors, poolErrors, setErrors } from "./device-errors.js";
import { deviceKey, type SharedDevice } from "./shared-device.js";

type Status = NonNullable<ResourceClaim["status"]>;
type Allocated = NonNullable<NonNullable<AllocationResult["devices"]>["results"]>[number];
type Configuration = NonNullable<NonNullable<AllocationResult["devices"]>["config"]>[number];

const mostConsumers = 256;
const mostResults = 32;
const mostConfigurations = 64;
const mostRequests = 32;
const mostConditions = 8;
const mostAddresses = 16;
const longestInterface = 256;
const longestHardwareAddress = 128;
const configurationSources = ["FromClaim", "FromClass"];

/** Validates a change of a claim's status. */
export function validateClaimStatus(claim: ResourceClaim, old: ResourceClaim, about?: StrategyContext): FieldError[] {
  const [status, before] = [claim.status ?? {}, old.status ?? {}];
  const { allocation, reservedFor = [], devices } = status;
  const known = new Set((allocation?.devices?.results ?? []).map(deviceKey));
  const errors = [
    ...adminErrors(status, before, claim.metadata?.namespace ?? "", about),
    ...claimRightsErrors(status, before, about),
    ...setErrors(reservedFor, { most: mostConsumers, keyOf: ({ uid }) => uid }, "status.reservedFor", (consumer, at) =>
      (["resource", "name", "uid"] as const).flatMap((field) =>
        consumer[field] === "" ? [required(`${at}.${field}`)] : [],
      ),
    ),
    ...setErrors(devices, { most: Infinity, keyOf: deviceKey }, "status.devices", (device, at) =>
      deviceErrors(device, known, at),
    ),
  ];
  if (reservedFor.length > 0) {
    const kept = before.reservedFor ?? [];
    if (allocation === undefined)
      errors.push(forbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
    else if (
      claim.metadata?.deletionTimestamp != null &&
      reservedFor.some((consumer) => !kept.some((other) => check.sameValue(consumer, other)))
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
  return [...errors, ...check.immutable("status.allocation", allocation, before.allocation)];
}

/** Returns an error if admin access is new and the namespace isn't for administrators. */
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
    ...setErrors(devices?.results, { most: mostResults }, `${at}.devices.results`, (result, place) =>
      resultErrors(result, names, place),
    ),
    ...setErrors(devices?.config, { most: mostConfigurations }, `${at}.devices.config`, (config, place) =>
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
    ...check.dnsLabel(`${at}.device`, device),
    ...bindingErrors(result, at),
    ...(shareID === undefined ? [] : uuidErrors(`${at}.shareID`, shareID)),
  ];
}

function configurationErrors(config: Configuration, names: RequestNames, at: string): FieldError[] {
  const { source, requests } = config;
  return [
    ...check.requiredOneOf(`${at}.source`, source, configurationSources),
    ...setErrors(requests, { most: mostRequests, keyOf: (name) => name }, `${at}.requests`, (name, place) =>
      referenceErrors(name, names, place),
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
    ...check.dnsLabel(`${at}.device`, device),
    ...(shareID === undefined ? [] : uuidErrors(`${at}.shareID`, shareID)),
  ];
  if (!known.has(deviceKey(status))) errors.push(invalid(at, device, "must be an allocated device in the claim"));
  if (conditions.length > mostConditions) errors.push(tooMany(`${at}.conditions`, conditions.length, mostConditions));
  pushAll(errors, conditionsErrors(conditions, `${at}.conditions`));
  if (data !== undefined && data !== null) pushAll(errors, rawErrors(`${at}.data`, data));
  return networkData === undefined ? errors : [...errors, ...networkErrors(networkData, `${at}.networkData`)];
}

function networkErrors(
  { interfaceName = "", hardwareAddress = "", ips }: NonNullable<AllocatedDeviceStatus["networkData"]>,
  at: string,
): FieldError[] {
  const bounded = (field: string, value: string, most: number): FieldError[] =>
    utf8Encode(value).length > most ? [tooLong(`${at}.${field}`, most)] : [];
  const address = (given: string, field: string): FieldError[] => {
    const problem = interfaceAddressProblem(given);
    return problem === undefined ? [] : [invalid(field, given, problem)];
  };
  return [
    ...bounded("interfaceName", interfaceName, longestInterface),
    ...bounded("hardwareAddress", hardwareAddress, longestHardwareAddress),
    ...setErrors(ips, { most: mostAddresses, keyOf: (given) => given }, `${at}.ips`, address),
  ];
}

/** Returns an error unless the text is a UUID in lower case. */
function uuidErrors(field: string, id: string): FieldError[] {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
    ? []
    : [invalid(field, id, "must be a UUID of lowercase hexadecimal characters")];
}

/** Removes the status of devices that have been deallocated. */
export function dropDeallocated({ status }: ResourceClaim, old: ResourceClaim): void {
  if (status?.devices === undefined) return;
  const allocated = (of: Status | undefined): string[] =>
    (of?.allocation?.devices?.results ?? []).map((result: SharedDevice) => deviceKey(result));
  const kept = new Set(allocated(status));
  const gone = new Set(allocated(old.status).filter((key) => !kept.has(key)));
  status.devices = status.devices.filter((device) => !gone.has(deviceKey(device)));
  if (status.devices.length === 0) delete status.devices;
}
