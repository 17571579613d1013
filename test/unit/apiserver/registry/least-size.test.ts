import { expect, it } from "vitest";
import { leastProtobuf } from "../../../../src/apiserver/registry/write/least-size.js";
import { printGoObject } from "../../../../src/apiserver/schema/go-decode.js";
import { protobuf } from "../../../../src/codec/protobuf/protobuf.js";
import type { GoField } from "../../../../src/gen/go-types.js";
import { goStruct } from "../../../../src/gen/go-types.js";
import { groupVersions } from "../../../../src/gen/resources.js";
import type { Random } from "../../../simulation/random.js";
import { createRandom } from "../../../simulation/random.js";
import { chooseSeed } from "../../../support/seed.js";

const kinds = groupVersions.flatMap(({ group, version, resources }) =>
  resources
    .filter(({ definition }) => definition !== undefined)
    .map(({ kind, definition }) => ({ apiVersion: group === "" ? version : `${group}/${version}`, kind, definition })),
);

const texts = ["", "a", "é", "😀", "x".repeat(130)];
const scalars: Readonly<Record<string, readonly unknown[]>> = {
  string: texts,
  bool: [true, false],
  int32: [0, 1, -1, 2147483647],
  int64: [0, 1, -1, 2 ** 52],
  float64: [0, 1.5],
  bytes: ["", "AA==", "AAA=", "AAAA", "A".repeat(400)],
  Time: ["2026-01-02T03:04:05Z", null],
  MicroTime: ["2026-01-02T03:04:05.000000Z", null],
  Quantity: ["0", "1", "100m", "1Gi"],
  IntOrString: [0, 8080, "", "http"],
  Duration: ["0s", "1m0s"],
  strings: [[], ["a", ""]],
};

/** Returns a random value of a field, in the form that Go prints. */
function valueOf(random: Random, field: GoField, depth: number): unknown {
  const one = (): unknown =>
    field.kind === "struct" ? structOf(random, field.struct!, depth + 1) : random.pick(scalars[field.kind] ?? [null]);
  const many = depth > 3 ? 0 : random.int(4);
  if (field.list) return Array.from({ length: many }, one);
  if (field.map) return Object.fromEntries(Array.from({ length: many }, (_, at) => [texts[at]! + String(at), one()]));
  return one();
}

function structOf(random: Random, definition: string, depth: number): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const field of goStruct(definition)!) {
    const known = field.kind === "struct" || field.kind in scalars;
    if (known && random.chance(depth > 5 ? 0.05 : 0.4)) {
      const value = valueOf(random, field, depth);
      if (value !== null) object[field.name] = value;
    }
  }
  return object;
}

it("size limit never expects more bytes than an object takes in Protobuf", () => {
  const random = createRandom(chooseSeed(7), "least size");
  const codec = protobuf();
  const wrong: string[] = [];
  let [least, actual] = [0, 0];
  for (const { apiVersion, kind, definition } of kinds)
    for (let round = 0; round < 6; round++) {
      const { apiVersion: _version, kind: _kind, ...object } = round === 0 ? {} : structOf(random, definition!, 0);
      const size = codec.encode({ ...printGoObject(definition!, object), apiVersion, kind }).length;
      const bound = leastProtobuf(definition!, object, Infinity);
      if (bound > size)
        wrong.push(`${kind}: ${String(bound)} > ${String(size)}: ${JSON.stringify(object).slice(0, 400)}`);
      least += bound;
      actual += size;
    }
  expect(wrong).toEqual([]);
  // Most of the bytes are known, so that hostile objects are recognized.
  expect(least / actual).toBeGreaterThan(0.6);
});
