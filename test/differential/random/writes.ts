import type { Draw } from "./draw.js";
import type { Json, RandomKind } from "./kinds.js";
import { configurationOf, jsonPatch, mergePatch, mutated, strategicPatch } from "./mutate.js";
import type { RandomRequest, SequenceState } from "./sequence.js";
import { collectionOf, liveOf, someName, someVersion } from "./sequence.js";

const accepts = [
  "application/json",
  "application/vnd.kubernetes.protobuf",
  "application/cbor",
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
  "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json",
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "*/*",
  "text/html",
  "application/json;q=0.5,application/yaml",
  "application/json;as=Table;v=v2;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/json;stream=watch",
  "application/json;pretty=1",
  "application/*",
  "application/yaml;as=Table;v=v1;g=meta.k8s.io",
  "application/cbor;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io",
];

/** Creates headers and a user: mostly the administrator with JSON. */
export function randomHeaders(draw: Draw): { headers: Record<string, string>; token?: string } {
  const headers: Record<string, string> = draw.chance(0.25) ? { accept: draw.pick(accepts) } : {};
  if (draw.chance(0.04))
    Object.assign(
      headers,
      draw.pick<object>([
        { "impersonate-user": "alice" },
        { "impersonate-user": "bob", "impersonate-group": "system:masters" },
        { "impersonate-user": "system:serviceaccount:x:y" },
        { "impersonate-group": "g" },
        { "impersonate-user": "bob", "impersonate-extra-a": "b" },
        { "impersonate-uid": "u" },
      ]),
    );
  return draw.chance(0.02) ? { headers, token: draw.pick(["alice-token", "", "wrong"]) } : { headers };
}

/** Creates query parameters of writes. */
export function writeQuery(draw: Draw, more: readonly string[] = []): string {
  const parts = [...more];
  if (draw.chance(0.12))
    parts.push(
      draw.weighted([
        [9, () => "dryRun=All"],
        [1, () => draw.pick(["dryRun=", "dryRun=None", "dryRun=All&dryRun=All"])],
      ]),
    );
  if (draw.chance(0.35)) parts.push(`fieldManager=${draw.pick(["m1", "m2", "m3", "kubectl-edit", "kubectl"])}`);
  if (draw.chance(0.2)) parts.push(`fieldValidation=${draw.pick(["Strict", "Warn", "Ignore", "strict", ""])}`);
  if (draw.chance(0.05))
    parts.push(
      draw.pick([
        "pretty=true",
        "pretty=false",
        "pretty=1",
        "timeout=30s",
        "bogus=1",
        "timeout=x",
        "timeout=-1s",
        "dryRun=all",
        "fieldManager=",
        "fieldManager=a%01b",
        `fieldManager=${"m".repeat(129)}`,
        "fieldValidation=Strict&fieldValidation=Ignore",
        "propagationPolicy=x",
        "gracePeriodSeconds=x",
        "resourceVersion=5",
        "force=true",
      ]),
    );
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Creates metadata for a new object, sometimes with unusual members. */
function newMetadata(draw: Draw, state: SequenceState, name: string): Json {
  return {
    name,
    ...draw.put(0.4, () => ({
      labels: Object.fromEntries(draw.some(["a", "b", "app"]).map((key) => [key, draw.pick(["1", "2"])])),
    })),
    ...draw.put(0.2, () => ({ annotations: { note: draw.pick(["1", "2"]) } })),
    ...draw.put(0.15, () => ({
      finalizers: draw.some(["x.example/a", "x.example/b", "orphan", "foregroundDeletion", "short"], 0.4),
    })),
    ...draw.put(0.1, () => ({ namespace: draw.pick([state.ns, state.ns, "other", ""]) })),
    ...draw.put(0.04, () => ({ uid: draw.pick(["", "u", "00000000-0000-0000-0000-000000000001"]) })),
    ...draw.put(0.04, () => ({ resourceVersion: draw.pick(["", "0", "1", "x"]) })),
    ...draw.put(0.03, () => ({ creationTimestamp: draw.pick([null, "2001-01-01T00:00:00Z"]) })),
    ...draw.put(0.03, () => ({ deletionTimestamp: "2001-01-01T00:00:00Z", deletionGracePeriodSeconds: 3 })),
    ...draw.put(0.03, () => ({ generation: draw.pick([5, 0, -1]) })),
    ...draw.put(0.02, () => ({ selfLink: "/x" })),
    ...draw.put(0.06, () => ({
      ownerReferences: draw.some([
        { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u1" },
        { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u1", controller: true },
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: "p", uid: "u2", controller: true, blockOwnerDeletion: true },
        { apiVersion: "v1", kind: "Event", name: "p", uid: "u3" },
      ]),
    })),
    ...draw.put(0.04, () => ({
      managedFields: draw.pick<unknown>([
        [],
        [{}],
        [{ manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": {} } }],
        [
          {
            manager: "x",
            operation: "Apply",
            apiVersion: "v1",
            time: "2001-01-01T00:00:00Z",
            fieldsType: "FieldsV1",
            fieldsV1: {},
          },
        ],
      ]),
    })),
  };
}

/** Creates an object for a create or a replacement. */
function newObject(draw: Draw, state: SequenceState, kind: RandomKind, name: string): Json {
  const object: Json = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: newMetadata(draw, state, name),
    ...kind.body(draw),
  };
  if (kind.status !== undefined && draw.chance(0.15)) object["status"] = kind.status(draw);
  if (draw.chance(0.04)) delete object[draw.pick(["apiVersion", "kind"])];
  if (draw.chance(0.03)) object["apiVersion"] = draw.pick(["v1", "apps/v1", "v9", ""]);
  if (draw.chance(0.02)) object["kind"] = draw.pick(["Bogus", "ConfigMap", "List"]);
  if (draw.chance(0.06)) object["bogus"] = draw.pick<unknown>([1, null, {}]);
  return draw.chance(0.12) ? ownName(state, kind, mutated(draw, object) as Json) : object;
}

/** Renames the object, so that it doesn't collide with those of other sequences. */
function ownName(state: SequenceState, kind: RandomKind, object: Json): Json {
  const metadata = object["metadata"];
  if (kind.namespaced || typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return object;
  const { name } = metadata as Json;
  return typeof name !== "string" || name === "" || name.startsWith(state.ns)
    ? object
    : { ...object, metadata: { ...metadata, name: `${state.ns}-${name}` } };
}

/** Encodes a body, occasionally not as plain JSON, or with a duplicate key. */
function bodyOf(
  draw: Draw,
  kind: RandomKind,
  object: unknown,
): Pick<RandomRequest, "json" | "raw" | "encode" | "headers"> {
  const text = JSON.stringify(object);
  return draw.weighted<Pick<RandomRequest, "json" | "raw" | "encode" | "headers">>([
    [20, () => ({ json: object })],
    [
      1,
      () =>
        draw.chance(0.5) || kind.custom || !plausible(object)
          ? { json: object, encode: "cbor" }
          : { json: object, encode: "protobuf" },
    ],
    [1, () => ({ raw: text, headers: { "content-type": "application/yaml" } })],
    [
      1,
      () => ({
        raw: duplicateMember(draw, text),
        headers: { "content-type": draw.pick(["application/json", "application/yaml"]) },
      }),
    ],
    [
      0.3,
      () => ({
        raw: text,
        headers: {
          "content-type": draw.pick([
            "application/json; charset=utf-8",
            "text/plain",
            "application/x",
            "application/vnd.kubernetes.protobuf",
            "application/merge-patch+json",
          ]),
        },
      }),
    ],
    [
      0.2,
      () => ({
        raw: draw.pick(["", "null", "[]", "{", `${text} x`, `${text}${text}`, "1"]),
        headers: { "content-type": "application/json" },
      }),
    ],
  ]);
}

/** Returns true if the values have the types of the Protobuf schema, which can't express others. */
function plausible(object: unknown): boolean {
  return !/bogus|extra|null|"x":/.test(JSON.stringify(object));
}

/** Duplicates a member of the JSON text. */
function duplicateMember(draw: Draw, text: string): string {
  const members = [...text.matchAll(/([{,])("[\w.$/-]+":(?:"[^"]*"|\d+|true|false|\{\}|\[\]))(?=[,}])/g)];
  if (members.length === 0) return text;
  const { index, 1: before, 2: member } = draw.pick(members);
  return `${text.slice(0, index)}${before!}${draw.chance(0.5) ? member! : member!.replace(/:.*/, ':"dup"')},${member!}${text.slice(index + before!.length + member!.length)}`;
}

function withHeaders(request: RandomRequest, draw: Draw): RandomRequest {
  const { headers, token } = randomHeaders(draw);
  return { ...request, headers: { ...headers, ...request.headers }, ...(token === undefined ? {} : { token }) };
}

export function create(draw: Draw, state: SequenceState, kind: RandomKind, step: number): RandomRequest {
  const name = someName(draw, state, kind);
  const object = newObject(draw, state, kind, name);
  const metadata = object["metadata"] as Json | null;
  if (draw.chance(0.1) && metadata !== null && typeof metadata === "object") {
    if (draw.chance(0.8)) delete metadata["name"];
    metadata["generateName"] = draw.pick([`${kind.namespaced ? "" : `${state.ns}-`}g${String(step)}-`, "", "UPPER"]);
  }
  const body = bodyOf(draw, kind, object);
  return withHeaders(
    { method: "POST", path: `${collectionOf(state, kind)}${writeQuery(draw)}`, ...body, kind, touches: [name] },
    draw,
  );
}

/** Sets version, uid and similar fields to the last known values, or doesn't. */
function withKnownVersions(draw: Draw, state: SequenceState, object: Json, live: Json | undefined): Json {
  const metadata = { ...(object["metadata"] as Json) };
  draw.weighted<void>([
    [4, () => undefined],
    [
      3,
      () => {
        delete metadata["resourceVersion"];
      },
    ],
    [
      1.5,
      () => {
        metadata["resourceVersion"] = someVersion(draw, state, live);
      },
    ],
  ]);
  if (draw.chance(0.06)) metadata["uid"] = draw.pick(["", "other", "00000000-0000-0000-0000-000000000002"]);
  if (draw.chance(0.1)) delete metadata["uid"];
  if (draw.chance(0.1)) delete metadata["creationTimestamp"];
  if (draw.chance(0.15))
    metadata["labels"] = Object.fromEntries(
      draw.some(["a", "b", "app"]).map((key) => [key, draw.pick(["1", "2", "3"])]),
    );
  if (draw.chance(0.12))
    metadata["finalizers"] = draw.pick<unknown>([[], ["x.example/a"], ["x.example/a", "x.example/b"], null]);
  if (draw.chance(0.1)) metadata["managedFields"] = draw.pick<unknown>([[], null, [{}], undefined]);
  if (draw.chance(0.04)) metadata["generation"] = 7;
  if (draw.chance(0.03)) metadata["name"] = draw.pick(["other", ""]);
  if (draw.chance(0.03)) metadata["namespace"] = draw.pick(["other", ""]);
  if (draw.chance(0.03)) metadata["deletionTimestamp"] = draw.pick([null, "2001-01-01T00:00:00Z"]);
  if (draw.chance(0.03)) metadata["deletionGracePeriodSeconds"] = 9;
  return { ...object, metadata };
}

export function update(draw: Draw, state: SequenceState, kind: RandomKind): RandomRequest {
  const name = someName(draw, state, kind);
  const live = liveOf(state, kind, name);
  const wanted: Json =
    live === undefined || draw.chance(0.12)
      ? newObject(draw, state, kind, name)
      : draw.weighted<Json>([
          [2, () => structuredClone(live)],
          [4, () => mutated(draw, live) as Json],
          [2, () => ({ ...structuredClone(live), ...kind.body(draw) })],
          [
            1,
            () => ({ ...structuredClone(live), ...(kind.status === undefined ? {} : { status: kind.status(draw) }) }),
          ],
        ]);
  const object =
    typeof wanted["metadata"] === "object" && wanted["metadata"] !== null
      ? withKnownVersions(draw, state, wanted, live)
      : wanted;
  const part = kind.subresources.includes("status") && draw.chance(0.15) ? "/status" : "";
  return withHeaders(
    {
      method: "PUT",
      path: `${collectionOf(state, kind)}/${name}${part}${writeQuery(draw)}`,
      ...bodyOf(draw, kind, object),
      kind,
      touches: [name],
    },
    draw,
  );
}

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

export function patch(draw: Draw, state: SequenceState, kind: RandomKind): RandomRequest {
  const name = someName(draw, state, kind);
  const live = liveOf(state, kind, name) ?? {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name },
    ...kind.body(draw),
  };
  const type = draw.pick(["merge", "json", "strategic"] as const);
  const other = draw.chance(0.3)
    ? { ...live, ...kind.body(draw), ...(kind.status === undefined ? {} : { status: kind.status(draw) }) }
    : live;
  const made = (): unknown =>
    type === "merge" ? mergePatch(draw, other) : type === "json" ? jsonPatch(draw, other) : strategicPatch(draw, other);
  let json = made();
  if (type !== "json" && draw.chance(0.15))
    json = {
      ...(json as Json),
      metadata: draw.pick<unknown>([
        { resourceVersion: someVersion(draw, state, live) },
        { finalizers: null },
        { finalizers: ["x.example/a"] },
        { labels: { a: draw.pick(["1", null]) } },
        { uid: "x" },
        { name: "other" },
        { managedFields: draw.pick<unknown>([[], null, [{}]]) },
        null,
        { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
      ]),
    };
  const part = kind.subresources.length > 0 && draw.chance(0.15) ? `/${draw.pick(kind.subresources)}` : "";
  const query = writeQuery(draw, draw.chance(0.02) ? ["force=true"] : []);
  return withHeaders(
    {
      method: "PATCH",
      path: `${collectionOf(state, kind)}/${name}${part}${query}`,
      raw: JSON.stringify(json),
      headers: { "content-type": patchTypes[type] },
      kind,
      touches: [name],
    },
    draw,
  );
}

export function apply(draw: Draw, state: SequenceState, kind: RandomKind): RandomRequest {
  const name = someName(draw, state, kind);
  const manager = draw.pick(["m1", "m2", "m3", "kubectl"]);
  const key = `${kind.name}/${name}/${manager}`;
  const last = state.applied.get(key);
  const live = liveOf(state, kind, name);
  const part = kind.subresources.includes("status") && draw.chance(0.15) ? "/status" : "";
  const content = (): Json => {
    if (part !== "" && draw.chance(0.8)) return { status: kind.status?.(draw) ?? {} };
    return draw.weighted<Json>([
      [3, () => kind.body(draw)],
      [last === undefined ? 0 : 4, () => mutated(draw, last!) as Json],
      [last === undefined ? 0 : 1, () => structuredClone(last!)],
      [last === undefined ? 0 : 1.5, () => ({ ...structuredClone(last!), ...kind.body(draw) })],
      [live === undefined ? 0 : 1.5, () => configurationOf(draw, live!)],
      [0.5, () => ({})],
    ]);
  };
  const { apiVersion: _apiVersion, kind: _kind, metadata: given, ...parts } = content();
  const metadata =
    typeof given === "object" && given !== null && draw.chance(0.7)
      ? { ...given, name }
      : {
          name,
          ...draw.put(0.4, () => ({
            labels: Object.fromEntries(draw.some(["a", "b"]).map((label) => [label, draw.pick(["1", "2"])])),
          })),
          ...draw.put(0.1, () => ({ finalizers: draw.some(["x.example/a", "x.example/b"]) })),
          ...draw.put(0.1, () => ({ annotations: { note: draw.pick(["1", "2"]) } })),
          ...draw.put(0.05, () => ({ namespace: draw.pick([state.ns, "other"]) })),
          ...draw.put(0.04, () => ({ resourceVersion: someVersion(draw, state, live) })),
          ...draw.put(0.03, () => ({
            uid: draw.pick(["", "x", ((live?.["metadata"] as Json | undefined)?.["uid"] as string | undefined) ?? "y"]),
          })),
          ...draw.put(0.03, () => ({ managedFields: draw.pick<unknown>([[], [{}], null]) })),
          ...draw.put(0.03, () => ({ creationTimestamp: null })),
        };
  const object: Json = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, ...parts };
  if (draw.chance(0.05)) object["bogus"] = 1;
  if (draw.chance(0.02)) delete object[draw.pick(["apiVersion", "kind"])];
  state.applied.set(key, object);
  const force = draw.chance(0.5)
    ? ["force=true"]
    : draw.chance(0.05)
      ? [draw.pick(["force=false", "force=x", "force="])]
      : [];
  const query = writeQuery(draw, force)
    .replace(/[?&]fieldManager=[^&]*/g, "")
    .replace(/^&/, "?");
  const named = draw.chance(0.98) ? `${query === "" ? "?" : `${query}&`}fieldManager=${manager}` : query;
  const text = JSON.stringify(object);
  return withHeaders(
    {
      method: "PATCH",
      path: `${collectionOf(state, kind)}/${name}${part}${named}`,
      raw: draw.chance(0.03) ? duplicateMember(draw, text) : text,
      headers: { "content-type": draw.chance(0.97) ? "application/apply-patch+yaml" : "application/apply-patch+cbor" },
      kind,
      touches: [name],
    },
    draw,
  );
}
