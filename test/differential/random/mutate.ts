import type { Draw } from "./draw.js";
import type { Json } from "./kinds.js";

type Path = readonly string[];

function* paths(value: unknown, path: Path, depth: number): Generator<readonly [Path, unknown]> {
  if (path.length > 0) yield [path, value];
  if (depth > 0 && typeof value === "object" && value !== null)
    for (const [key, each] of Object.entries(value)) yield* paths(each, [...path, key], depth - 1);
}

/** Selects a place in an object, with a preference for places near the root. */
export function somewhere(draw: Draw, object: Json): readonly [Path, unknown] {
  const found = [...paths(object, [], draw.pick([2, 3, 4, 6, 9]))].filter(
    ([path]) => path[1] !== "managedFields" || draw.chance(0.02),
  );
  return found.length === 0 ? [["spec"], undefined] : draw.pick(found);
}

/** Returns another value of the same type, or occasionally of another type. */
export function otherValue(draw: Draw, value: unknown): unknown {
  if (draw.chance(0.06)) return draw.pick<unknown>([null, 0, "", "x", [], {}, true, 1.5, -1, "a\u0000b", 1e21, [null]]);
  if (typeof value === "string")
    return draw.pick<unknown>([
      "",
      "x",
      "other",
      "In valid_!",
      /^\d*$/.test(value) ? "x1" : `${value}x`,
      value,
      "1",
      "2",
    ]);
  if (typeof value === "number") return draw.pick<unknown>([0, 1, 2, value + 1, -1, value, 70_000]);
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) {
    const list = value as unknown[];
    return draw.pick<() => unknown>([
      () => [],
      () => [...list].reverse(),
      () => list.slice(1),
      () => [...list, ...list],
      () => [...list, otherValue(draw, list[0])],
      () => list.map((each) => mutated(draw, each)),
    ])();
  }
  if (typeof value === "object" && value !== null) {
    return draw.pick<() => unknown>([
      () => ({}),
      () => ({ ...value, extra: "x" }),
      () => mutated(draw, value),
      () => Object.fromEntries(draw.some(Object.entries(value))),
    ])();
  }
  return draw.pick<unknown>(["x", 1, true, {}]);
}

/** Returns the value with one change. */
export function mutated(draw: Draw, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return otherValue(draw, value);
  const [path, old] = somewhere(draw, value as Json);
  const copy = structuredClone(value) as Json;
  let holder: Json = copy;
  for (const key of path.slice(0, -1)) holder = holder[key] as Json;
  const last = path.at(-1)!;
  if (draw.chance(0.25)) {
    if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
  } else holder[last] = otherValue(draw, old);
  return copy;
}

/** Returns an object with this value at this path, for a merge. */
export function nested(path: Path, value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

const mergeKeys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  env: "name",
  ports: "containerPort",
  volumes: "name",
  volumeMounts: "mountPath",
  imagePullSecrets: "name",
  secrets: "name",
  ownerReferences: "uid",
  conditions: "type",
  tolerations: "key",
};

/** Creates a merge patch with one or two changes somewhere in the object. */
export function mergePatch(draw: Draw, object: Json): Json {
  const change = (): Json => {
    const [path, value] = somewhere(draw, object);
    // Merge patches can't change single list items.
    const list = path.findIndex((key) => /^\d+$/.test(key));
    if (list > 0) return nested(path.slice(0, list), otherValue(draw, at(object, path.slice(0, list)))) as Json;
    return nested(path, draw.chance(0.25) ? null : otherValue(draw, value)) as Json;
  };
  return merged(change(), draw.chance(0.4) ? change() : {});
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((holder, key) => (holder as Json | undefined)?.[key], value);
}

function merged(one: Json, other: Json): Json {
  const result: Json = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const mine = result[key];
    result[key] = isMap(mine) && isMap(value) ? merged(mine, value) : value;
  }
  return result;
}

const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Creates a strategic merge patch with list items by key and with directives. */
export function strategicPatch(draw: Draw, object: Json): Json {
  const build = (value: unknown, path: Path, key: string): unknown => {
    const [head, ...rest] = path;
    if (head === undefined) return directive(draw, value, key);
    if (Array.isArray(value)) {
      const item = value[Number(head)] as Json;
      const by = mergeKeys[key] ?? (key === "ports" ? "port" : undefined);
      const field = key === "ports" && isMap(item) && "port" in item ? "port" : by;
      if (field === undefined || !isMap(item)) return otherValue(draw, value);
      if (draw.chance(0.15)) return [{ [field]: item[field], $patch: draw.pick(["delete", "replace", "merge"]) }];
      const inner =
        rest.length === 0
          ? { [draw.pick(["image", "name", "x", "value"])]: draw.pick(["j", "x"]) }
          : build(item, rest, "");
      return [{ ...(draw.chance(0.95) ? { [field]: item[field] } : {}), ...(isMap(inner) ? inner : {}) }];
    }
    const inner = { [head]: build((value as Json)[head], rest, head) };
    const child = (value as Json)[head];
    if (Array.isArray(child) && draw.chance(0.25)) {
      const by = mergeKeys[head];
      const order = child.map((each: unknown) => (by !== undefined && isMap(each) ? { [by]: each[by] } : each));
      return { ...inner, [`$setElementOrder/${head}`]: draw.pick([order, [...order].reverse(), order.slice(1)]) };
    }
    if (isMap(value) && path.length <= 2 && draw.chance(0.06))
      return { ...inner, $retainKeys: draw.pick([[head], Object.keys(value), []]) };
    return inner;
  };
  const [path] = somewhere(draw, object);
  const patch = build(object, path, "") as Json;
  if (draw.chance(0.1))
    return merged(patch, {
      metadata: draw.pick<Json>([
        { "$deleteFromPrimitiveList/finalizers": ["x.example/a"] },
        { finalizers: ["x.example/b"] },
        { "$setElementOrder/finalizers": ["x.example/b", "x.example/a"], finalizers: ["x.example/b"] },
        { labels: { $patch: "replace", a: "9" } },
        { labels: { $patch: "delete" } },
        { $patch: "bogus" },
      ]),
    });
  return patch;
}

function directive(draw: Draw, value: unknown, key: string): unknown {
  if (isMap(value) && draw.chance(0.2))
    return { $patch: draw.pick(["delete", "replace", "merge"]), ...(otherValue(draw, value) as object | null) };
  if (Array.isArray(value) && draw.chance(0.3)) {
    const by = mergeKeys[key];
    return [
      ...(by === undefined
        ? []
        : value.slice(0, 1).map((each: unknown) => (isMap(each) ? { [by]: each[by], $patch: "delete" } : each))),
      ...(draw.chance(0.3) ? [{ $patch: "replace" }] : []),
    ];
  }
  return draw.chance(0.2) ? null : otherValue(draw, value);
}

const escape = (key: string): string => key.replace(/~/g, "~0").replace(/\//g, "~1");

/** Creates a JSON patch of one to three operations, some with paths that don't exist. */
export function jsonPatch(draw: Draw, object: Json): unknown {
  if (draw.chance(0.03))
    return draw.pick<unknown>([
      [],
      {},
      [{}],
      [{ op: "add" }],
      [{ op: "bogus", path: "/data" }],
      [{ op: "replace", path: "" }],
      null,
    ]);
  const pointer = (): readonly [string, unknown] => {
    const [path, value] = somewhere(draw, object);
    const text = `/${path.map(escape).join("/")}`;
    return draw.weighted<readonly [string, unknown]>([
      [8, () => [text, value]],
      [1, () => [`${text}/new`, value]],
      [1, () => [`${text}/-`, value]],
      [1, () => [text.replace(/\d+$/, "0$&"), value]],
      [1, () => [text.replace(/\d+$/, "-1"), value]],
      [0.5, () => [text.replace(/\d+$/, "99"), value]],
      [0.5, () => [text.slice(1), value]],
      [0.5, () => [`${text}/`, value]],
      [0.2, () => ["", value]],
      [0.5, () => [text.replaceAll("~1", "/"), value]],
    ]);
  };
  return Array.from({ length: draw.pick([1, 1, 1, 2, 3]) }, () => {
    const [path, value] = pointer();
    const op = draw.weighted<string>([
      [4, () => "replace"],
      [4, () => "add"],
      [3, () => "remove"],
      [2, () => "test"],
      [1, () => "copy"],
      [1, () => "move"],
    ]);
    if (op === "remove") return { op, path };
    if (op === "copy" || op === "move") return { op, from: pointer()[0], path };
    if (op === "test")
      return { op, path, ...(draw.chance(0.9) ? { value: draw.chance(0.7) ? value : otherValue(draw, value) } : {}) };
    return { op, path, ...(draw.chance(0.95) ? { value: draw.chance(0.1) ? null : otherValue(draw, value) } : {}) };
  });
}

/** Creates an apply configuration: an object without fields that the server sets, and without some others. */
export function configurationOf(draw: Draw, object: Json): Json {
  const { status: _status, ...rest } = structuredClone(object);
  const thinned = (value: unknown, depth: number): unknown => {
    if (!isMap(value) || depth > 4) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(() => draw.chance(0.85))
        .map(([key, each]) => [key, thinned(each, depth + 1)]),
    );
  };
  const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, ...parts } = rest;
  return thinned(parts, 0) as Json;
}
