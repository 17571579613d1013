import { utf8Encode } from "../../../internal/bytes.js";
import type { PoolStatus, ResourcePoolStatusRequest } from "../../../kinds/resource/v1alpha3.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import * as check from "../shared/checks.js";
import { duplicate, invalid, required, tooLong, tooMany } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { isSet } from "../shared/kind-printer.js";
import { allMetadata } from "../shared/metadata-rules.js";
import { formatAge } from "../shared/print-age.js";
import { conditionsErrors } from "../shared/selectors.js";

type Request = ResourcePoolStatusRequest;
type Status = NonNullable<Request["status"]>;

const mostPools = 1000;
const mostName = 253;
const mostError = 256;

function validate({ spec }: Request): FieldError[] {
  const { driver, poolName, limit } = (spec ?? {}) as Partial<typeof spec>;
  return [
    ...check.requiredText("spec.driver", driver, anyCaseErrors),
    ...(poolName === undefined ? [] : segmentErrors("spec.poolName", poolName)),
    ...check.between("spec.limit", limit, 1, mostPools),
  ];
}

/** Returns an error unless the name is a subdomain, in lower or upper case. */
function anyCaseErrors(field: string, name: string): FieldError[] {
  return nameErrors(name.toLowerCase(), "subdomain").length === 0
    ? []
    : [invalid(field, name, "must be a DNS subdomain")];
}

function segmentErrors(field: string, pool: string): FieldError[] {
  const errors = pool.split("/").flatMap((part, index) => {
    const problems = part === "" ? ["must not be empty"] : nameErrors(part, "subdomain").slice(0, 1);
    return problems.map((problem) => invalid(field, pool, `segment ${String(index)}: ${problem}`));
  });
  return [...(pool.length > mostName ? [tooLong(field, mostName)] : []), ...errors];
}

/** Validates a response, which can be set once. Unchanged pools aren't validated again. */
function validateStatus({ status }: Request, { status: old }: Request): FieldError[] {
  return [
    ...(old === undefined ? conditionsErrors(status?.conditions ?? [], "status.conditions") : []),
    ...(status === undefined ? [] : answerErrors(status, old)),
    ...(old === undefined ? [] : check.immutable("status", status, old)),
  ];
}

function answerErrors({ poolCount, pools = [], conditions = [] }: Status, old: Status | undefined): FieldError[] {
  const repeated = check.repeats(conditions.map(({ type }) => type));
  const count = (poolCount as number | null | undefined) ?? undefined;
  return [
    ...(count === undefined ? [required("status.poolCount")] : check.nonNegative("status.poolCount", count)),
    ...(pools.length > mostPools
      ? [tooMany("status.pools", pools.length, mostPools)]
      : check.sameValue(pools, old?.pools)
        ? []
        : check.eachItem(pools, "status.pools", poolErrors)),
    ...check.eachItem(conditions, "status.conditions", (condition, at, index) =>
      repeated.has(index) ? [duplicate(at, condition)] : [],
    ),
  ];
}

function poolErrors(pool: PoolStatus, at: string): FieldError[] {
  const {
    driver,
    poolName,
    generation = 0,
    resourceSliceCount,
    nodeName,
    validationError = "",
  } = pool as Partial<typeof pool>;
  return [
    ...check.requiredText(`${at}.driver`, driver, anyCaseErrors),
    ...check.requiredText(`${at}.poolName`, poolName, segmentErrors),
    ...(generation === 0 ? [required(`${at}.generation`)] : check.nonNegative(`${at}.generation`, generation)),
    ...check.atLeast(`${at}.resourceSliceCount`, resourceSliceCount, 1),
    ...check.nonNegativeFields(pool, at, [
      "totalDevices",
      "allocatedDevices",
      "availableDevices",
      "unavailableDevices",
    ]),
    ...(nodeName === undefined ? [] : check.dnsSubdomain(`${at}.nodeName`, nodeName).slice(0, 1)),
    ...(utf8Encode(validationError).length > mostError ? [tooLong(`${at}.validationError`, mostError)] : []),
  ];
}

/** Returns the sums over all pools for tables: devices by state, and invalid pools. */
function poolSums(pools: readonly PoolStatus[]): string[] {
  const sum = (amount: (pool: PoolStatus) => number | undefined): string =>
    String(pools.reduce((total, pool) => total + (amount(pool) ?? 0), 0));
  return [
    sum((pool) => pool.totalDevices),
    sum((pool) => pool.availableDevices),
    sum((pool) => pool.allocatedDevices),
    sum((pool) => pool.unavailableDevices),
    sum((pool) => (pool.validationError === undefined ? 0 : 1)),
  ];
}

export const resourcePoolStatusRequest: KindDefinition = defineBuiltin<Request>({
  resource: "resource.k8s.io/resourcepoolstatusrequests",
  requiresVersionOnUpdate: true,
  metadata: { keptByStatus: allMetadata },
  statusTables: false,
  deletion: { returnsObject: true },
  validate: {
    create: validate,
    update: ({ spec }, old) => check.immutable("spec", spec, old.spec),
    status: validateStatus,
    checksEnums: true,
  },
  printer: {
    columns: "Driver,Total,Available,Allocated,Unavailable,Errors,Pools:integer,Status,Completed",
    cells({ spec, status }, _, nowMs) {
      const done = status?.conditions?.find(
        ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
      );
      const { pools = [], poolCount = 0 } = (status ?? {}) as Partial<Status>;
      const complete = done?.type === "Complete";
      return [
        spec.driver,
        ...(isSet(status) && done?.type !== "Failed" ? poolSums(pools) : ["-", "-", "-", "-", "-"]),
        poolCount,
        complete && poolCount > pools.length
          ? `Complete (${String(pools.length)}/${String(poolCount)} pools)`
          : (done?.type ?? "Pending"),
        complete ? formatAge(done.lastTransitionTime, nowMs) : "<none>",
      ];
    },
  },
});
