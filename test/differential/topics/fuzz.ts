import type { Probe, Step, Topic } from "../probe.js";
import type { KindFixture } from "./kinds.js";
import { kindFixtures } from "./kinds.js";

type Json = Record<string, unknown>;

/** Returns the object of a fixture with a name and a type. */
export function objectOf({ apiVersion, kind }: KindFixture, body: Readonly<Json>, name: string): Json {
  const metadata = body["metadata"] as Json | undefined;
  return { apiVersion, kind, ...structuredClone(body), metadata: { name, ...metadata } };
}

const asDeleted = Symbol("deleted");

/** Returns replacements for a value. */
function alternatives(value: unknown): readonly (readonly [string, unknown])[] {
  const common: (readonly [string, unknown])[] = [["absent", asDeleted]];
  if (typeof value === "string")
    return [
      ...common,
      ["empty", ""],
      ["bad", "In valid_!"],
      ["other", /^[a-z]/.test(value) ? "other" : "Other"],
      ["long", "x".repeat(260)],
      ["number", 7],
      ["hard", 'a<b&\u0001\u007f\u2028"é'],
    ];
  if (typeof value === "number")
    return [
      ...common,
      ["zero", 0],
      ["negative", -1],
      ["big", 70_000],
      ["text", "abc"],
      ["huge", 5_000_000_000],
      ["other", value + 1],
    ];
  if (typeof value === "boolean") return [...common, ["flipped", !value], ["text", "yes"]];
  if (Array.isArray(value))
    return [
      ...common,
      ["empty", []],
      ["twice", [...(value as unknown[]), ...(value as unknown[])]],
      ["null-item", [null]],
      ["map", {}],
    ];
  return [...common, ["empty", {}], ["unknown", { ...(value as Json), bogusField: 1 }], ["list", []]];
}

function* paths(value: unknown, path: readonly string[]): Generator<readonly [readonly string[], unknown]> {
  if (path.length > 0) yield [path, value];
  if (typeof value === "object" && value !== null)
    for (const [key, each] of Object.entries(value)) yield* paths(each, [...path, key]);
}

function replaced(object: Json, path: readonly string[], value: unknown): Json {
  const copy = structuredClone(object);
  let holder: unknown = copy;
  for (const key of path.slice(0, -1)) holder = (holder as Json)[key];
  const last = path.at(-1)!;
  if (value !== asDeleted) (holder as Json)[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Json)[last];
  return copy;
}

/** Returns objects that differ from this one in one place. */
export function variants(object: Json): readonly (readonly [name: string, object: Json])[] {
  const found: (readonly [string, Json])[] = [];
  for (const [path, value] of paths(object, [])) {
    if (path[0] === "apiVersion" || path[0] === "kind" || path[0] === "metadata") continue;
    for (const [name, other] of alternatives(value))
      found.push([`${path.join(".")}=${name}`, replaced(object, path, other)]);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [key, each] of [
        ["In valid_!", "x"],
        ["", "y"],
      ] as const)
        if (Object.values(value).every((one) => typeof one === "string"))
          found.push([`${path.join(".")}+${JSON.stringify(key)}`, replaced(object, [...path, key], each)]);
    }
  }
  return found;
}

function create(fixture: KindFixture, object: Json): Step {
  return { method: "POST", path: `${fixture.collection}?dryRun=All`, json: object };
}

function fuzzTopic(name: string, probesOf: (fixture: KindFixture) => Probe[]): Topic {
  return { name, setup: [], probes: kindFixtures.flatMap(probesOf) };
}

/** Defaults of each kind's minimal object and of a rich one. */
export const creates = fuzzTopic("create", (fixture) => [
  { id: `${fixture.name}/minimal`, steps: [create(fixture, objectOf(fixture, fixture.minimal, "probe"))] },
  { id: `${fixture.name}/rich`, steps: [create(fixture, objectOf(fixture, fixture.rich, "probe"))] },
  {
    id: `${fixture.name}/nothing`,
    steps: [create(fixture, { apiVersion: fixture.apiVersion, kind: fixture.kind, metadata: { name: "probe" } })],
  },
  {
    id: `${fixture.name}/bad-names`,
    steps: ["Bad_Name", "a.b", "a".repeat(64), "1-2", "a/b", "x%y"].map((bad) =>
      create(fixture, { ...objectOf(fixture, fixture.minimal, bad), metadata: { name: bad } }),
    ),
  },
]);

/** New objects with one change. */
export const creations = fuzzTopic("fuzz", (fixture) =>
  variants(objectOf(fixture, fixture.rich, "probe")).map(([name, object]) => ({
    id: `${fixture.name}/${name}`,
    steps: [create(fixture, object)],
  })),
);

/** Deletes an object, after removing everything that would keep it. */
export function deletionSteps(fixture: KindFixture, path: string): Step[] {
  const free: Step =
    fixture.kind === "Namespace"
      ? {
          method: "PUT",
          path: `${path}/finalize`,
          json: {
            apiVersion: "v1",
            kind: "Namespace",
            metadata: { name: path.slice(path.lastIndexOf("/") + 1) },
            spec: { finalizers: [] },
          },
          silent: true,
        }
      : {
          method: "PATCH",
          path,
          headers: { "content-type": "application/merge-patch+json" },
          json: { metadata: { finalizers: null } },
          silent: true,
        };
  const gone: Step = { method: "DELETE", path: `${path}?gracePeriodSeconds=0`, silent: true };
  return fixture.kind === "Namespace" ? [gone, free] : [free, gone];
}

/** Updates of an existing object with one change. */
export const updates = fuzzTopic("update", (fixture) => {
  const object = objectOf(fixture, fixture.rich, "probe");
  const path = `${fixture.collection}/${(object["metadata"] as Json)["name"] as string}`;
  const withVersion = (json: Json): Json => ({
    ...json,
    metadata: { ...(json["metadata"] as Json), resourceVersion: "${rv}" },
  });
  const first: Step = { method: "POST", path: fixture.collection, json: object, silent: true };
  return [
    { id: `${fixture.name}/first`, steps: [first] },
    ...variants(object).map(([name, changed]) => ({
      id: `${fixture.name}/${name}`,
      steps: [
        { method: "GET", path, silent: true, capture: { rv: "/metadata/resourceVersion" } },
        { method: "PUT", path: `${path}?dryRun=All`, json: withVersion(changed) },
      ] satisfies Step[],
    })),
    { id: `${fixture.name}/last`, steps: deletionSteps(fixture, path) },
  ];
});
