import type { Informer } from "../../cache/informer/informer.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { type Kind, parseApiVersion } from "../../meta/kind.js";
import type { KubernetesObject } from "../../meta/object.js";
import { compareResourceVersions, isComparableResourceVersion } from "../../meta/resource-version.js";

/** An informer that a controller watches, with the kind of its objects. */
export interface SourceInformer {
  /** Group and kind of its objects. */
  readonly kind: Pick<Kind, "group" | "kind">;
  /** The informer. */
  readonly informer: Informer<unknown>;
}

/** Writes of earlier reconciles that the caches must show before the next call for the same request. */
export interface Expectations {
  /** Records writes. Throws a `TypeError` for objects that lack the required fields. */
  record(key: string, objects: readonly object[]): void;
  /** Returns true if the caches show the writes recorded under a key, and forgets them then. True without any. */
  areShown(key: string): boolean;
  /** Waits until the caches show the writes recorded under a key, then forgets them. They are kept if the signal aborts the wait. */
  wait(key: string, signal: AbortSignal): Promise<void>;
}

/** Creates an empty set of expectations. The wait for each informer is limited to `timeoutMs`. */
export function createExpectations(informers: () => readonly SourceInformer[], timeoutMs: number): Expectations {
  const byKey = new Map<string, Map<Informer<unknown>, string>>();
  return {
    record(key, objects) {
      for (const { apiVersion, kind, metadata } of objects as readonly KubernetesObject[]) {
        const version = metadata?.resourceVersion;
        if (!apiVersion || !kind || !version)
          throw new TypeError(
            "recordWrite: apiVersion, kind and metadata.resourceVersion are required: pass the object that the server returned",
          );
        if (!isComparableResourceVersion(version)) continue;
        for (const source of informers()) {
          if (source.kind.kind !== kind || source.kind.group !== parseApiVersion(apiVersion).group) continue;
          const expected = byKey.get(key) ?? new Map<Informer<unknown>, string>();
          byKey.set(key, expected);
          const before = expected.get(source.informer);
          if (before === undefined || (compareResourceVersions(version, before) ?? 0) > 0)
            expected.set(source.informer, version);
        }
      }
    },
    areShown(key) {
      const expected = byKey.get(key);
      if (expected === undefined) return true;
      for (const [{ store }, version] of expected) {
        const shown = store.resourceVersion;
        if (shown === undefined || (compareResourceVersions(shown, version) ?? -1) < 0) return false;
      }
      byKey.delete(key);
      return true;
    },
    async wait(key, signal) {
      const expected = byKey.get(key);
      if (expected === undefined) return;
      await Promise.all(
        Array.from(expected, async ([informer, version]) => {
          try {
            await informer.waitForResourceVersion(version, { signal, timeoutMs });
          } catch (error) {
            if (signal.aborted) throw error;
            // The source was removed, so its cache is no longer read.
            if (informers().every((source) => source.informer !== informer)) return;
            byKey.delete(key);
            throw new KubestreamError(
              `the cache of ${informer.description} did not show the earlier write (version ${version}) within ${timeoutMs} ms`,
              { cause: error },
            );
          }
        }),
      );
      byKey.delete(key);
    },
  };
}
