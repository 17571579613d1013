import { expect, test } from "vitest";

import {
  decodeFieldSet,
  encodeFieldSet,
  type FieldSet,
  intersectSets,
  pathsOf,
  sharedSet,
  subtractSets,
  unionSets,
} from "../../../../src/apiserver/managedfields/field-set.js";

/** All sets of six fields on three levels. */
const sets = Array.from({ length: 64 }, (_, bits) => {
  const node = (at: number, children: Record<string, unknown>): Record<string, unknown> | undefined => {
    const member = ((bits >> at) & 1) === 1;
    const empty = Object.keys(children).length === 0;
    if (empty) return member ? {} : undefined;
    return member ? { ".": {}, ...children } : children;
  };
  const below = (members: Record<string, Record<string, unknown> | undefined>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const inner = below({ "f:a": node(0, {}), 'k:{"name":"b"}': node(1, {}) });
  return below({ "f:x": node(2, inner), "f:y": node(3, below({ "f:z": node(4, {}) })), "f:w": node(5, {}) });
});

const pathTexts = (set: FieldSet): string[] => pathsOf(set).map((path) => path.join("/"));

test("operations on shared field sets give the members that the operations define", () => {
  const all = sets.map((fields) => decodeFieldSet(fields)).map((set) => ({ set, paths: pathTexts(set) }));
  const textOf = (paths: readonly string[]): string => [...new Set(paths)].sort().join(" ");
  for (const { set: a, paths } of all) {
    const results = all.map(({ set: b }) => [unionSets(a, b), intersectSets(a, b), subtractSets(a, b)]);
    const expected = all.map(({ paths: others }) => [
      [...paths, ...others],
      paths.filter((path) => others.includes(path)),
      paths.filter((path) => !others.includes(path)),
    ]);
    expect(results.map((row) => row.map((set) => textOf(pathTexts(set))))).toEqual(
      expected.map((row) => row.map(textOf)),
    );
  }
});

test("field sets of the same content share one frozen encoding", () => {
  const create = (): FieldSet => sharedSet({ "f:spec": { "f:replicas": {} }, "f:status": { ".": {}, "f:phase": {} } });
  const encoded = encodeFieldSet(create());
  expect(encodeFieldSet(create())).toBe(encoded);
  expect(Object.isFrozen(encoded)).toBe(true);
  expect(encoded).toEqual({ "f:spec": { "f:replicas": {} }, "f:status": { ".": {}, "f:phase": {} } });
});

test("a field set with thousands of members isn't shared", () => {
  const create = (): FieldSet => Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`f:${at}`, {}]));
  const large = create();
  expect(sharedSet(large)).toBe(large);
  const other = create();
  expect(sharedSet(other)).toBe(other);
});
