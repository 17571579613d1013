import type { Draw } from "./draw.js";
import type { Json, RandomKind } from "./kinds.js";

/** Request with values of the real server: its uids, versions and names. */
export interface RandomRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Raw body. */
  readonly raw?: string;
  readonly encode?: "protobuf" | "cbor";
  /** Kind that the request targets. */
  readonly kind: RandomKind;
  /** Names of objects to inspect afterwards. */
  readonly touches: readonly string[];
  /** Discards the history before this revision before the request. */
  readonly compact?: string;
}

/** State that a sequence learns from the real server's answers. */
export interface SequenceState {
  readonly ns: string;
  readonly kinds: readonly RandomKind[];
  /** Objects that existed when last seen, by kind and name. */
  readonly live: Map<string, Json>;
  /** Versions of objects seen so far, oldest first. */
  readonly versions: string[];
  /** Continue tokens of lists. */
  readonly continuations: { readonly kind: RandomKind; readonly token: string; readonly query: string }[];
  /** Last apply configuration of each manager, by kind, name and manager. */
  readonly applied: Map<string, Json>;
  /** True if history may be discarded, because no other sequence runs. */
  readonly alone: boolean;
}

/** Returns the names that the objects of a sequence use. */
export function namesOf(state: SequenceState, kind: RandomKind): readonly string[] {
  return kind.namespaced ? ["a", "b", "c"] : [`${state.ns}-a`, `${state.ns}-b`];
}

export const liveKey = (kind: RandomKind, name: string): string => `${kind.name}/${name}`;
export const collectionOf = (state: SequenceState, kind: RandomKind): string =>
  kind.collection.replaceAll("${ns}", state.ns);
export const liveOf = (state: SequenceState, kind: RandomKind, name: string): Json | undefined =>
  state.live.get(liveKey(kind, name));

/** Returns a name, usually that of an existing object. */
export function someName(draw: Draw, state: SequenceState, kind: RandomKind): string {
  const there = [...state.live.keys()]
    .filter((key) => key.startsWith(`${kind.name}/`))
    .map((key) => key.slice(kind.name.length + 1));
  return there.length > 0 && draw.chance(0.85) ? draw.pick(there) : draw.pick(namesOf(state, kind));
}

/** Returns a version: the object's, an older one, or none. */
export function someVersion(draw: Draw, state: SequenceState, live: Json | undefined): string {
  const current = (live?.["metadata"] as Json | undefined)?.["resourceVersion"] as string | undefined;
  return draw.weighted([
    [5, () => current ?? state.versions[0]!],
    [3, () => draw.pick(state.versions)],
    [1, () => "0"],
    [1, () => ""],
    [0.3, () => "abc"],
    [0.1, () => "-1"],
    [0.1, () => "99999999999"],
  ]);
}
