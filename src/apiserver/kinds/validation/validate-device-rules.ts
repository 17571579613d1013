import { utf8Encode } from "../../../internal/bytes.js";
import type { ResourcePoolStatusRequest } from "../../../kinds/resource/v1alpha3.js";
import type { DeviceTaintRule } from "../../../kinds/resource/v1beta2.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { internalForm } from "../../schema/internal-form.js";
import {
  dnsLabel,
  dnsSubdomain,
  duplicate,
  invalid,
  nonNegative,
  required,
  sameValue,
  tooLong,
  tooMany,
} from "../shared/field-errors.js";
import { conditionsErrors } from "../shared/selectors.js";
import { driverErrors, poolErrors, taintErrors } from "./validate-device-names.js";

const MOST_POOLS = 1000;

/** Errors of a DeviceTaintRule. */
export function validateTaintRule({ spec }: DeviceTaintRule): FieldError[] {
  return taintRuleErrors(spec, undefined);
}

/** Errors of a changed DeviceTaintRule. */
export function validateTaintRuleUpdate({ spec }: DeviceTaintRule, old: DeviceTaintRule): FieldError[] {
  return taintRuleErrors(spec, old.spec);
}

function taintRuleErrors(
  spec: DeviceTaintRule["spec"] | undefined,
  old: DeviceTaintRule["spec"] | undefined,
): FieldError[] {
  const { driver, pool, device } = spec?.deviceSelector ?? {};
  return [
    ...(driver === undefined ? [] : driverErrors("spec.deviceSelector.driver", driver)),
    ...(pool === undefined ? [] : poolErrors("spec.deviceSelector.pool", pool)),
    ...(device === undefined ? [] : dnsLabel("spec.deviceSelector.device", device)),
    ...taintErrors(spec?.taint ?? {}, old?.taint, "spec.taint"),
  ];
}

/** Errors of a ResourcePoolStatusRequest. */
export function validatePoolRequest({ spec }: ResourcePoolStatusRequest): FieldError[] {
  const { driver = "", poolName, limit } = (spec ?? {}) as Partial<typeof spec>;
  const errors = driver === "" ? [required("spec.driver")] : anyCaseErrors("spec.driver", driver);
  if (poolName !== undefined) errors.push(...segmentErrors("spec.poolName", poolName));
  if (limit !== undefined && limit < 1) errors.push(invalid("spec.limit", limit, "must be greater than or equal to 1"));
  if (limit !== undefined && limit > MOST_POOLS)
    errors.push(invalid("spec.limit", limit, `must be less than or equal to ${String(MOST_POOLS)}`));
  return errors;
}

const SUBDOMAIN = String.raw`[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`;
const LONGEST = 253;

/** Errors of a name in letters of any case, in the words of rules that come with the type. */
function anyCaseErrors(field: string, name: string): FieldError[] {
  if (name.length > LONGEST) return [invalid(field, name, `must be no more than ${String(LONGEST)} bytes`)];
  return nameErrors(name.toLowerCase(), "subdomain").length === 0
    ? []
    : [
        invalid(
          field,
          name,
          `an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '${SUBDOMAIN}')`,
        ),
      ];
}

function segmentErrors(field: string, pool: string): FieldError[] {
  const errors = pool.split("/").flatMap((part, index) => {
    const wrong =
      part === ""
        ? ["must not be empty"]
        : part.length > LONGEST
          ? [`must be no more than ${String(LONGEST)} bytes`]
          : nameErrors(part, "subdomain");
    return wrong.map((detail) => invalid(field, pool, `segment ${String(index)}: ${detail}`));
  });
  return [...(pool.length > LONGEST ? [tooLong(field, LONGEST)] : []), ...errors];
}

/** Errors of the answer to a ResourcePoolStatusRequest: it is given once. What did not change is not looked at again. */
export function validatePoolAnswer(
  { status }: ResourcePoolStatusRequest,
  { status: old }: ResourcePoolStatusRequest,
): FieldError[] {
  const errors = status === undefined ? [] : poolAnswerErrors(status, old);
  if (old === undefined) return [...conditionsErrors(status?.conditions ?? [], "status.conditions"), ...errors];
  return sameValue(status, old)
    ? errors
    : [
        ...errors,
        invalid(
          "status",
          status === undefined ? null : internalForm("resource.ResourcePoolStatusRequestStatus", status),
          "field is immutable",
        ),
      ];
}

type PoolAnswer = NonNullable<ResourcePoolStatusRequest["status"]>;

function poolAnswerErrors(
  { poolCount, pools = [], conditions = [] }: PoolAnswer,
  old: PoolAnswer | undefined,
): FieldError[] {
  const count = (poolCount as number | null | undefined) ?? undefined;
  const errors = count === undefined ? [required("status.poolCount")] : nonNegative("status.poolCount", count);
  if (pools.length > MOST_POOLS) errors.push(tooMany("status.pools", pools.length, MOST_POOLS));
  else if (!sameValue(pools, old?.pools))
    errors.push(...pools.flatMap((pool, index) => poolStatusErrors(pool, `status.pools[${String(index)}]`)));
  for (const [index, condition] of conditions.entries()) {
    if (conditions.findIndex(({ type }) => type === condition.type) < index)
      errors.push(duplicate(`status.conditions[${String(index)}]`, condition));
  }
  return errors;
}

const MOST_ERROR = 256;

function poolStatusErrors(pool: NonNullable<PoolAnswer["pools"]>[number], at: string): FieldError[] {
  const {
    driver = "",
    poolName = "",
    generation = 0,
    resourceSliceCount,
    nodeName,
    validationError,
  } = pool as Partial<typeof pool>;
  const errors = driver === "" ? [required(`${at}.driver`)] : anyCaseErrors(`${at}.driver`, driver);
  errors.push(...(poolName === "" ? [required(`${at}.poolName`)] : segmentErrors(`${at}.poolName`, poolName)));
  errors.push(...(generation === 0 ? [required(`${at}.generation`)] : nonNegative(`${at}.generation`, generation)));
  if (resourceSliceCount !== undefined && resourceSliceCount < 1)
    errors.push(invalid(`${at}.resourceSliceCount`, resourceSliceCount, "must be greater than or equal to 1"));
  for (const key of ["totalDevices", "allocatedDevices", "availableDevices", "unavailableDevices"] as const)
    errors.push(...nonNegative(`${at}.${key}`, pool[key]));
  if (nodeName !== undefined)
    errors.push(
      ...(nodeName.length > LONGEST
        ? [invalid(`${at}.nodeName`, nodeName, `must be no more than ${String(LONGEST)} bytes`)]
        : dnsSubdomain(`${at}.nodeName`, nodeName)),
    );
  if (validationError !== undefined && utf8Encode(validationError).length > MOST_ERROR)
    errors.push(tooLong(`${at}.validationError`, MOST_ERROR));
  return errors;
}

/** Errors of a changed ResourcePoolStatusRequest. */
export function validatePoolRequestUpdate(
  { spec }: ResourcePoolStatusRequest,
  old: ResourcePoolStatusRequest,
): FieldError[] {
  return sameValue(spec, old.spec) ? [] : [invalid("spec", null, "field is immutable")];
}
