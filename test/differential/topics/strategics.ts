import type { Probe, Topic } from "../probe.js";
import { deletionSteps, objectOf } from "./fuzz.js";
import type { KindFixture } from "./kinds.js";
import { kindFixtures } from "./kinds.js";
import { changed, keysOf, leadingTo, places, unlike } from "./places.js";
import { subjects } from "./statuses.js";
import { patchFor } from "./writes.js";

type Json = Record<string, unknown>;

const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns strategic merge patches for a map. */
function mapPatches(value: Json): readonly (readonly [name: string, value: unknown])[] {
  const keys = Object.keys(value);
  const [first] = keys;
  return [
    ["same", value],
    ["other", unlike(value)],
    ["null", null],
    ["none", {}],
    ["replaced", { $patch: "replace", ...value }],
    ["emptied", { $patch: "replace" }],
    ["deleted", { $patch: "delete" }],
    ["merged", { $patch: "merge", another: "x" }],
    ["bogus", { $patch: "bogus" }],
    ["retained", { $retainKeys: keys.slice(0, 1), ...(first === undefined ? {} : { [first]: value[first] }) }],
    ["retained-none", { $retainKeys: [] }],
    ["retained-other", { $retainKeys: keys.slice(0, 1), another: 1 }],
    ...keys.map((key) => [`null-${key}`, { [key]: null }] as const),
  ];
}

/** Returns strategic merge patches for a list. */
function listPatches(value: readonly unknown[]): readonly (readonly [name: string, value: unknown])[] {
  const [first] = value;
  if (!isMap(first))
    return [
      ["same", value],
      ["reversed", [...value].reverse()],
      ["other", value.map(unlike)],
      ["twice", [...value, ...value]],
      ["null", null],
      ["none", []],
    ];
  return [
    ["same", value],
    ["reversed", [...value].reverse()],
    ["other", [unlike(first)]],
    ["twice", [first, first]],
    ["null", null],
    ["none", []],
    ["emptied", [{ $patch: "replace" }]],
    ["replaced", [unlike(first), { $patch: "replace" }]],
    ["merged", [{ $patch: "merge" }, first]],
    ["bogus", [{ ...first, $patch: "bogus" }]],
    ["keyless", [{ another: "x" }]],
    ["mixed", [first, "x"]],
    ["deleted", [{ ...(keysOf(first) as Json), $patch: "delete" }]],
    ["deleted-whole", [{ ...first, $patch: "delete" }]],
    ["replaced-item", [{ ...(keysOf(first) as Json), $patch: "replace" }]],
    ["retained", [{ ...(keysOf(first) as Json), $retainKeys: Object.keys(first).slice(0, 1) }]],
    ...Object.entries(first)
      .filter(([, each]) => typeof each !== "object")
      .flatMap(
        ([key, each]) =>
          [
            [`by-${key}`, [{ [key]: each }]],
            [`gone-by-${key}`, [{ [key]: each, $patch: "delete" }]],
          ] as const,
      ),
    ...changed(first).map((item, at) => [`changed-${String(at)}`, [item]] as const),
  ];
}

/** Returns the directives of a list: its order and its deletions. */
function listDirectives(key: string, value: readonly unknown[]): readonly (readonly [name: string, parts: Json])[] {
  const turned = [...value].reverse();
  const order = (items: readonly unknown[]): Json => ({ [`$setElementOrder/${key}`]: items.map(keysOf) });
  return [
    ["order", order(turned)],
    ["order-same", { ...order(value), [key]: value }],
    ["order-turned", { ...order(turned), [key]: value.slice(0, 1) }],
    ["order-less", { ...order([]), [key]: value.slice(0, 1) }],
    ["order-more", { ...order([...turned, unlike(value[0])]), [key]: [unlike(value[0])] }],
    ["order-text", { [`$setElementOrder/${key}`]: "x" }],
    ["order-texts", { [`$setElementOrder/${key}`]: ["x"] }],
    ["left", { [`$deleteFromPrimitiveList/${key}`]: value.slice(0, 1) }],
    ["left-other", { [`$deleteFromPrimitiveList/${key}`]: ["x"] }],
    ["left-text", { [`$deleteFromPrimitiveList/${key}`]: "x" }],
  ];
}

function probesOf(fixture: KindFixture, owned: Json, target: string): Probe[] {
  const probe = (name: string, body: unknown): Probe => ({
    id: `${fixture.name}/${name}`,
    steps: [patchFor(target, "strategic", body, "&dryRun=All&fieldManager=b")],
  });
  return [...places(owned, [])]
    .filter(({ path }) => path.length > 0)
    .flatMap(({ path, value }): Probe[] => {
      const place = path.join(".");
      const said = (Array.isArray(value) ? listPatches(value) : mapPatches(value)).map(([name, other]) =>
        probe(`${place} ${name}`, leadingTo(owned, path, other)),
      );
      if (!Array.isArray(value)) return said;
      const key = path.at(-1)!;
      return [
        ...said,
        ...listDirectives(key, value).map(([name, parts]) =>
          probe(`${place} ${name}`, leadingTo(owned, path.slice(0, -1), parts)),
        ),
      ];
    });
}

const nameOf = (object: Json): string => (object["metadata"] as Json)["name"] as string;
/** Fields that all objects have in common. */
const common = {
  labels: { a: "b", c: "d" },
  annotations: { e: "f" },
  finalizers: ["x.example/a", "x.example/b"],
  ownerReferences: [
    { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true },
    { apiVersion: "v1", kind: "Pod", name: "q", uid: "v" },
  ],
};

/** Strategic merge patches of every list and every map of every kind. */
export const strategics: Topic = {
  name: "strategic",
  probes: kindFixtures.flatMap((fixture): Probe[] => {
    const given = objectOf(fixture, fixture.rich, "owned");
    const object = { ...given, metadata: { ...common, ...(given["metadata"] as Json) } };
    const path = `${fixture.collection}/${nameOf(object)}`;
    const owned = Object.fromEntries(
      Object.entries(object).filter(([key]) => !["apiVersion", "kind", "metadata", "status"].includes(key)),
    );
    return [
      {
        id: `${fixture.name}/first`,
        steps: [{ method: "POST", path: fixture.collection, json: object, silent: true }],
      },
      ...probesOf(fixture, fixture.name === "configmaps" ? { ...owned, metadata: common } : owned, path),
      { id: `${fixture.name}/last`, steps: deletionSteps(fixture, path) },
    ];
  }),
};

/** Strategic merge patches of the status of every kind. */
export const statusStrategics: Topic = {
  name: "status-strategic",
  probes: subjects.flatMap(({ fixture, object, path, status }): Probe[] => [
    {
      id: `${fixture.name}/first`,
      steps: [
        { method: "POST", path: fixture.collection, json: object, silent: true },
        { method: "PUT", path: `${path}/status`, json: { ...object, status }, silent: true },
      ],
    },
    ...probesOf(fixture, { status }, `${path}/status`),
    { id: `${fixture.name}/last`, steps: deletionSteps(fixture, path) },
  ]),
};
