import { type CelProgram, compileCel } from "./cel.js";
import { CelCompileError } from "./checker/check.js";
import { opaqueType } from "./checker/declarations.js";
import { type CelStaticType, dynType, fullTypeName, objectType } from "./checker/types.js";

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
