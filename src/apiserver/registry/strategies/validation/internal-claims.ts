import type { DeviceSelector, ResourceClaim, ResourceClaimTemplate } from "../../../../kinds/resource/v1.js";

type Claim = NonNullable<ResourceClaim["spec"]>;
type Devices = NonNullable<Claim["devices"]>;
type Request = NonNullable<Devices["requests"]>[number];
type Exact = NonNullable<Request["exactly"]>;

/** A claim as the server shows it: its own form, with every field. */
export function internalClaim({ devices = {} }: Partial<Claim>): unknown {
  const { requests, constraints, config } = devices;
  return {
    Devices: {
      Requests: requests?.map(internalRequest) ?? null,
      Constraints: constraints?.map((each) => ({ Requests: each.requests ?? null, MatchAttribute: each.matchAttribute ?? null, DistinctAttribute: each.distinctAttribute ?? null })) ?? null,
      Config: config?.map(({ requests: names, opaque }) => ({ Requests: names ?? null, Opaque: opaque === undefined ? null : { Driver: opaque.driver, Parameters: opaque.parameters ?? null } })) ?? null,
    },
  };
}

/** A template of claims as the server shows it. */
export function internalTemplate({ metadata, spec }: Partial<NonNullable<ResourceClaimTemplate["spec"]>>): unknown {
  return { ...metadata, Spec: internalClaim(spec ?? {}) };
}

function internalRequest({ name, exactly, firstAvailable }: Request): unknown {
  return {
    Name: name,
    Exactly: exactly === undefined ? null : { ...choice(exactly), AdminAccess: exactly.adminAccess ?? null, ...rest(exactly) },
    FirstAvailable: firstAvailable?.map((sub) => ({ Name: sub.name, ...choice(sub), ...rest(sub) })) ?? null,
  };
}

type Choice = Pick<Exact, "deviceClassName" | "selectors" | "allocationMode" | "count" | "tolerations" | "capacity">;

function choice({ deviceClassName, selectors, allocationMode, count }: Choice): object {
  return { DeviceClassName: deviceClassName, Selectors: selectors?.map(({ cel }: DeviceSelector) => ({ CEL: cel === undefined ? null : { Expression: cel.expression } })) ?? null, AllocationMode: allocationMode ?? "", Count: count ?? 0 };
}

function rest({ tolerations, capacity }: Choice): object {
  return {
    Tolerations: tolerations?.map(({ key, operator, value, effect, tolerationSeconds }) => ({ Key: key ?? "", Operator: operator ?? "", Value: value ?? "", Effect: effect ?? "", TolerationSeconds: tolerationSeconds ?? null })) ?? null,
    Capacity: capacity === undefined ? null : { Requests: capacity.requests ?? null },
  };
}
