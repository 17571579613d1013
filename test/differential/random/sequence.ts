import type { Draw } from "./draw.js";
import type { Json, RandomKind } from "./kinds.js";

/** One request, in the words of the real server: its uids, versions and names. */
export interface RandomRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Body as it is. */
  readonly raw?: string;
  readonly encode?: "protobuf" | "cbor";
  /** The kind that it is about. */
  readonly kind: RandomKind;
  /** Names of objects to look at afterwards. */
  readonly touches: readonly string[];
  /** Before it, all history before this revision is forgotten. */
  readonly compact?: string;
}

/** What a sequence knows of the real server's answers. */
export interface SequenceState {
  readonly ns: string;
  readonly kinds: readonly RandomKind[];
  /** Objects that were there when last seen, by kind and name. */
  readonly live: Map<string, Json>;
  /** Versions of objects that were seen, oldest first. */
  readonly versions: string[];
  /** Where a list can be gone on with. */
  readonly continuations: { readonly kind: RandomKind; readonly token: string; readonly query: string }[];
  /** What each manager applied last, by kind, name and manager. */
  readonly applied: Map<string, Json>;
  /** Whether history may be forgotten: not while others run. */
  readonly alone: boolean;
}

/** Names that the objects of a sequence have. */
export function namesOf(state: SequenceState, kind: RandomKind): readonly string[] {
  return kind.namespaced ? ["a", "b", "c"] : [`${state.ns}-a`, `${state.ns}-b`];
}

export const liveKey = (kind: RandomKind, name: string): string => `${kind.name}/${name}`;
export const collectionOf = (state: SequenceState, kind: RandomKind): string =>
  kind.collection.replaceAll("${ns}", state.ns);
export const liveOf = (state: SequenceState, kind: RandomKind, name: string): Json | undefined =>
  state.live.get(liveKey(kind, name));

/** A name: of an object that is there, more often than not. */
export function someName(draw: Draw, state: SequenceState, kind: RandomKind): string {
  const there = [...state.live.keys()]
    .filter((key) => key.startsWith(`${kind.name}/`))
    .map((key) => key.slice(kind.name.length + 1));
  return there.length > 0 && draw.chance(0.85) ? draw.pick(there) : draw.pick(namesOf(state, kind));
}

/** A version: of the object, of another time, or none at all. */
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
