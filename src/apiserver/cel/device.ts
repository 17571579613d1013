import type { Device, DeviceAttribute } from "../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { type CelProgram, compileCel, evaluateCel } from "./cel.js";
import { CelCompileError } from "./checker/check.js";
import { opaqueType } from "./checker/declarations.js";
import { type CelStaticType, dynType, fullTypeName, objectType } from "./checker/types.js";
import { Quantity } from "./evaluator/libraries/quantity.js";
import { Semver } from "./evaluator/libraries/semver.js";
import { CelError, type CelMap, type CelValue, celTypeName, LiteralMap } from "./values/values.js";

const text: CelStaticType = { kind: "string" };
const byDomain = (value: CelStaticType): CelStaticType => ({
  kind: "map",
  key: text,
  value: { kind: "map", key: text, value },
});

/** Variables of device selectors. */
const variables = new Map([
  [
    "device",
    objectType("kubernetes.DRADevice", {
      driver: text,
      allowMultipleAllocations: { kind: "bool" },
      attributes: byDomain(dynType),
      capacity: byDomain(opaqueType("Quantity")),
    }),
  ],
]);

/** Compiles an expression that selects devices. Throws a `CelCompileError`. */
export function compileDeviceCel(expression: string): CelProgram {
  let program: CelProgram;
  try {
    program = compileCel(expression, variables);
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    throw new CelCompileError(`compilation failed: ${error.message}`, { cause: error });
  }
  // The type of an attribute is only known at run time.
  if (program.type.kind === "bool" || program.type.kind === "dyn") return program;
  throw new CelCompileError(`must evaluate to bool or the unknown type, not ${fullTypeName(program.type)}`);
}

/** Returns the value of `device` in expressions. */
export function deviceToCel(driver: string, device: DeepReadonly<Device>): CelMap {
  const { attributes = {}, capacity = {}, allowMultipleAllocations = false } = device;
  return new LiteralMap([
    ["driver", driver],
    ["allowMultipleAllocations", allowMultipleAllocations],
    ["attributes", byDomainOf(driver, Object.entries(attributes), attributeToCel)],
    ["capacity", byDomainOf(driver, Object.entries(capacity), ({ value }) => new Quantity(value))],
  ]);
}

/** Returns true if an expression selects a device. Throws a `CelError`. */
export function selectsDevice(program: CelProgram, device: CelMap): boolean {
  const { value } = evaluateCel(program, { device });
  if (typeof value === "boolean") return value;
  throw new CelError(`CEL result of type ${celTypeName(value)} could not be converted to bool`);
}

/** Map whose missing entries are empty maps, so that an attribute of another driver is merely a missing key. */
class DomainMap extends LiteralMap {
  override get(key: CelValue): CelValue {
    return super.get(key) ?? noEntries;
  }

  has(key: CelValue): boolean {
    return super.get(key) !== undefined;
  }
}

const noEntries = new LiteralMap([]);

/** Groups values by the domain of their names. Names without one belong to the driver. */
function byDomainOf<T>(
  driver: string,
  entries: readonly (readonly [string, T])[],
  toCel: (value: T) => CelValue,
): CelMap {
  const domains = new Map<string, (readonly [CelValue, CelValue])[]>();
  for (const [name, value] of entries) {
    const slash = name.indexOf("/");
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const entry = [name.slice(slash + 1), toCel(value)] as const;
    domains.set(domain, [...(domains.get(domain) ?? []), entry]);
  }
  return new DomainMap([...domains].map(([domain, values]) => [domain, new LiteralMap(values)] as const));
}

function attributeToCel({ bool, int, string, version }: DeepReadonly<DeviceAttribute>): CelValue {
  if (version !== undefined) return new Semver(version);
  return int === undefined ? (bool ?? string ?? null) : BigInt(int);
}
