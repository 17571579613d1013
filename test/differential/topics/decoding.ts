import type { GoField } from "../../../src/gen/go-types.js";
import { goStruct } from "../../../src/gen/go-types.js";
import { groupVersions } from "../../../src/gen/resources.js";
import type { Probe, Step, Topic } from "../probe.js";

type Json = Record<string, unknown>;

const wrong: readonly unknown[] = [
  "text",
  7,
  1.5,
  5_000_000_000,
  true,
  [],
  {},
  [7],
  ["text"],
  [[]],
  [{}],
  [true],
  { key: 7 },
  { key: "text" },
  { key: [] },
  { key: {} },
];

/** Returns true if a value has the field's type, so that decoding must succeed. */
function fits(field: GoField, value: unknown): boolean {
  if (field.list || Array.isArray(value)) return field.list && Array.isArray(value) && value.length === 0;
  if (field.map) return Object.keys(value as Json).length === 0;
  return false;
}

/** Creates a step for each field of a kind's structs. Skips structs that another kind already covers. */
function steps(definition: string, build: (inner: unknown) => Json, collection: string, seen: Set<string>): Step[] {
  if (seen.has(definition)) return [];
  seen.add(definition);
  return (goStruct(definition) ?? []).flatMap((field) => {
    if (field.name === "apiVersion" || field.name === "kind") return [];
    const put = (value: unknown): Json => build({ [field.name]: value });
    const own = wrong
      .filter((value) => !fits(field, value))
      .map((value): Step => ({ method: "POST", path: `${collection}?dryRun=All`, json: put(value) }));
    if (field.kind !== "struct" || field.struct === undefined) return own;
    const within = (inner: unknown): Json => put(field.list ? [inner] : field.map ? { key: inner } : inner);
    return [...own, ...steps(field.struct, within, collection, seen)];
  });
}

const seen = new Set<string>();
const probes = groupVersions.flatMap(({ group, version, resources }) =>
  resources.flatMap(({ name, kind, namespaced, definition, verbs }): Probe[] => {
    if (definition === undefined || name.includes("/") || !verbs.includes("create") || !verbs.includes("list"))
      return [];
    const collection = `${group === "" ? "/api" : `/apis/${group}`}/${version}/${namespaced ? "namespaces/${ns}/" : ""}${name}`;
    const body = (inner: unknown): Json => ({
      apiVersion: group === "" ? version : `${group}/${version}`,
      kind,
      ...(inner as Json),
    });
    return [
      {
        id: `${group === "" ? "core" : group.split(".")[0]!}-${version}-${name}`,
        steps: steps(definition, body, collection, seen),
      },
    ];
  }),
);

/** Values of the wrong type in each field of each struct. */
export const decoding: Topic = { name: "decoding", probes };
