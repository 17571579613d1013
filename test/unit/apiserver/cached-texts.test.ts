import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { compileCel } from "../../../src/apiserver/cel/cel.js";
import { fieldElement } from "../../../src/apiserver/managedfields/path-element.js";
import { canonicalQuantity } from "../../../src/apiserver/schema/go-scalars.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function usedBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it.each([
  ["names of fields", 300, (i: number) => fieldElement(`${i}${"x".repeat(100_000)}`)],
  ["quantities", 300, (i: number) => canonicalQuantity(`${"0".repeat(100_000)}${i}`)],
  ["CEL expressions", 80, (i: number) => compileCel(`[${"1,".repeat(4_000)}${i}] == []`, new Map())],
])("long %s that clients send don't stay in memory", (_, count, use) => {
  use(count);
  const before = usedBytes();
  for (let i = 0; i < count; i++) use(i);
  expect(usedBytes() - before).toBeLessThan(20 * 1024 * 1024);
});
