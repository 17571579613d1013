import type { Probe, Step, Topic } from "../probe.js";
import { deletionSteps, objectOf } from "./fuzz.js";
import { kindFixtures } from "./kinds.js";
import { changed, leadingTo, places, unlike } from "./places.js";
import { subjects } from "./statuses.js";
import { patchFor } from "./writes.js";

type Json = Record<string, unknown>;

const nameOf = (object: Json): string => (object["metadata"] as Json)["name"] as string;
const by = (path: string, manager: string, body: unknown, query = ""): Step =>
  patchFor(path, "apply", body, `&fieldManager=${manager}${query}`);
const quiet = (step: Step): Step => ({ ...step, silent: true });

/** Values that a second manager may apply to a list or map of another. */
function appliedValues(value: unknown[] | Json): readonly (readonly [name: string, value: unknown])[] {
  if (!Array.isArray(value))
    return [
      ["same", value],
      ["none", {}],
      ["null", null],
      ["other", unlike(value)],
      ["more", { ...value, another: "x" }],
    ];
  const [first] = value;
  if (first === undefined) return [];
  return [
    ["same", value],
    ["reversed", [...value].reverse()],
    ["none", []],
    ["null", null],
    ["first", [first]],
    ["last", value.slice(-1)],
    ["twice", [first, first]],
    ["another", [...value, unlike(first)]],
    ["another-first", [unlike(first), ...value]],
    ...changed(first).map((item, at) => [`changed-${String(at)}`, [item]] as const),
  ];
}

function* probesAt(
  name: string,
  target: string,
  type: Json,
  owned: Json,
  value: unknown,
  at: readonly string[],
): Generator<Probe> {
  const body = (other: unknown): Json => ({ ...type, ...(leadingTo(owned, at, other) as Json) });
  const place = at.join(".");
  for (const [said, other] of appliedValues(value as Json))
    yield {
      id: `${name}/${place} ${said}`,
      steps: [by(target, "b", body(other), "&dryRun=All"), by(target, "b", body(other), "&dryRun=All&force=true")],
    };
  const without = structuredClone(owned) as Json;
  let holder: unknown = without;
  for (const key of at.slice(0, -1)) holder = (holder as Json)[key];
  if (Array.isArray(holder)) holder.splice(Number(at.at(-1)), 1);
  else delete (holder as Json)[at.at(-1)!];
  yield { id: `${name}/${place} left`, steps: [by(target, "a", { ...type, ...without }, "&dryRun=All")] };
  yield {
    id: `${name}/${place} shared`,
    steps: [
      by(target, "b", body(value), "&force=true"),
      by(target, "a", { ...type, ...without }, "&dryRun=All"),
      by(target, "b", { ...type }, "&dryRun=All"),
      quiet(by(target, "b", { ...type })),
    ],
  };
}

/** Two managers on every list and every map of every kind. */
export const managers: Topic = {
  name: "managers",
  probes: kindFixtures.flatMap((fixture): Probe[] => {
    const object = objectOf(fixture, fixture.rich, "owned");
    const path = `${fixture.collection}/${nameOf(object)}`;
    const type = { apiVersion: fixture.apiVersion, kind: fixture.kind, metadata: { name: nameOf(object) } };
    const owned = Object.fromEntries(
      Object.entries(object).filter(([key]) => !["apiVersion", "kind", "metadata", "status"].includes(key)),
    );
    return [
      { id: `${fixture.name}/first`, steps: [by(path, "a", object)] },
      ...[...places(owned, [])]
        .filter((place) => place.path.length > 0)
        .flatMap((place) => [...probesAt(fixture.name, path, type, owned, place.value, place.path)]),
      { id: `${fixture.name}/last`, steps: [...deletionSteps(fixture, path)] },
    ];
  }),
};

/** Two managers on every list and every map of the status of every kind. */
export const statusManagers: Topic = {
  name: "status-managers",
  probes: subjects.flatMap(({ fixture, object, path, status }): Probe[] => {
    const type = { apiVersion: fixture.apiVersion, kind: fixture.kind, metadata: { name: nameOf(object) } };
    const target = `${path}/status`;
    const owned = { status };
    return [
      {
        id: `${fixture.name}/first`,
        steps: [
          { method: "POST", path: fixture.collection, json: object, silent: true },
          by(target, "a", { ...type, status }),
        ],
      },
      ...[...places(owned, [])]
        .filter((place) => place.path.length > 0)
        .flatMap((place) => [...probesAt(fixture.name, target, type, owned, place.value, place.path)]),
      { id: `${fixture.name}/last`, steps: [...deletionSteps(fixture, path)] },
    ];
  }),
};
