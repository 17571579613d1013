import { expect, test } from "vitest";

import {
  decodeFieldSet,
  encodeFieldSet,
  type FieldSet,
  intersectSets,
  pathsOf,
  sharedSet,
  subtractSets,
  subtractSubtrees,
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

/** Returns the fields of a pod's status: equal for all pods but for the address. */
function statusFields(ip: string): FieldSet {
  const condition = { ".": {}, "f:status": {}, "f:type": {} };
  const conditions = { 'k:{"type":"Ready"}': condition, 'k:{"type":"Initialized"}': condition };
  return { "f:status": { "f:conditions": conditions, "f:podIPs": { ".": {}, [`k:{"ip":"${ip}"}`]: {} } } };
}

test("field sets that differ in one element share the encodings of all others", () => {
  const encode = (ip: string): Record<string, Record<string, unknown>> =>
    encodeFieldSet(sharedSet(statusFields(ip))) as Record<string, Record<string, unknown>>;
  const first = encode("10.0.0.1");
  // Enough other sets to evict what isn't used any more.
  for (let at = 0; at < 2_000; at += 1) encode(`10.1.${at >> 8}.${at & 255}`);
  const last = encode("10.0.0.2");
  expect(last["f:status"]!["f:conditions"]).toBe(first["f:status"]!["f:conditions"]);
  expect(last["f:status"]!["f:podIPs"]).toEqual({ ".": {}, 'k:{"ip":"10.0.0.2"}': {} });
  expect(encode("10.0.0.1")).toEqual(first);
});

test("an operation on field sets that changes nothing returns the first set", () => {
  const set = statusFields("10.0.0.1");
  const other = { "f:spec": { "f:replicas": {} } };
  expect(subtractSets(set, other)).toBe(set);
  expect(subtractSubtrees(set, other)).toBe(set);
  expect(intersectSets(set, { ...other, ...set })).toBe(set);
  expect(unionSets(set, { "f:status": { "f:podIPs": {} } })).toBe(set);
});

test("keys of elements with the characters of a separator don't make different field sets equal", () => {
  const one = sharedSet({ 'v:"a0,3:v:b"': {}, "f:c": {} });
  const two = sharedSet({ 'v:"a': {}, '0,3:v:b"': {}, "f:c": {} });
  expect(two).not.toBe(one);
  expect(pathTexts(two)).not.toEqual(pathTexts(one));
});

test("a field set with thousands of members isn't shared", () => {
  const create = (): FieldSet => Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`f:${at}`, {}]));
  const large = create();
  expect(sharedSet(large)).toBe(large);
  const other = create();
  expect(sharedSet(other)).toBe(other);
});
