import type { Kind, PatchType, Scope } from "../../src/meta/kind.js";

/** True if both types are the same. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only for `true`. */
export type Expect<T extends true> = T;

/** Scope of a descriptor. */
export type ScopeOf<K> = K extends Kind<infer _T, infer S, infer _Sub, infer _P> ? S : never;

/** Subresources of a descriptor. */
export type SubOf<K> =
  K extends Kind<infer _T, infer _S extends Scope, infer Sub, infer _P extends PatchType> ? Sub : never;

/** Patch types of a descriptor. */
export type PatchesOf<K> = K extends Kind<infer _T, infer _S, infer _Sub, infer P> ? P : never;
