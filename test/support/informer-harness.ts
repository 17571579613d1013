import { afterEach, expect } from "vitest";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import type { Informer, InformerOptions } from "../../src/cache/informer/informer.js";
import type { InformerStatus } from "../../src/cache/informer/informer-status.js";
import type { Change } from "../../src/cache/store/change.js";
import { metadataOf } from "../../src/cache/store/object-key.js";
import type { ScriptedList, ScriptedSource, ScriptedWatch, Thing } from "./scripted-source.js";
import { createScriptedSource } from "./scripted-source.js";
import type { VirtualClock } from "./virtual-clock.js";
import { createVirtualClock, settle } from "./virtual-clock.js";

/** Informer over a scripted collection with a virtual clock. */
export interface Harness {
  /** Scripted collection. */
  readonly source: ScriptedSource;
  /** Virtual clock. */
  readonly clock: VirtualClock;
  /** Informer under test. */
  readonly informer: Informer<Thing>;
  /** Changes so far, in short: `+a@1`, `~a@1>2`, `-a@2`, `-a@2?` for an unknown final state. */
  readonly changes: string[];
  /** Types of the statuses so far. */
  readonly statuses: InformerStatus[];
  /** Adds the handler that records changes. */
  listen(): { remove(): void };
  /** Content of the store in short, sorted by key. */
  store(): string;
  /** Changes since the last call. */
  news(): string[];
  /** Answers the last list and lets promises settle. */
  answer(version: string, objects: string[], more?: Parameters<ScriptedList["answer"]>[2]): Promise<void>;
  /** Sends events on the last watch and lets promises settle. */
  send(...events: string[]): Promise<void>;
  /** Returns the last watch. */
  watch(): ScriptedWatch;
}

/** Formats a change in short. */
export function describeChange(change: Change<Thing>): string {
  const version = (object: unknown): string => metadataOf(object)?.resourceVersion ?? "";
  switch (change.type) {
    case "added":
      return `+${change.key}@${version(change.object)}`;
    case "updated":
      return `~${change.key}@${version(change.old)}>${version(change.object)}`;
    case "deleted":
      return `-${change.key}@${version(change.object)}${change.finalStateUnknown ? "?" : ""}`;
  }
}

/** Creates an informer over a scripted collection, which lists and watches. */
export function createHarness(
  options: InformerOptions<Thing> = {},
  onRequest?: Parameters<typeof createScriptedSource>[0],
): Harness {
  const clock = createVirtualClock();
  const source = createScriptedSource(onRequest);
  const informer = createInformer(source, { initialList: "list", clock, random: () => 0, ...options });
  const changes: string[] = [];
  const statuses: InformerStatus[] = [];
  informer.onStatus((status) => statuses.push(status));
  let told = 0;
  const harness: Harness = {
    source,
    clock,
    informer,
    changes,
    statuses,
    listen: () => informer.addHandler((change) => changes.push(describeChange(change))),
    store: () =>
      informer.store
        .list()
        .map(
          (object) =>
            `${[object.metadata?.namespace, object.metadata?.name].filter(Boolean).join("/")}@${object.metadata?.resourceVersion ?? ""}`,
        )
        .sort()
        .join(" "),
    news() {
      const news = changes.slice(told);
      told = changes.length;
      return news;
    },
    async answer(version, objects, more) {
      await settle();
      source.lists.at(-1)!.answer(version, objects, more);
      await settle();
    },
    async send(...events) {
      harness.watch().send(...events);
      await settle();
    },
    watch: () => source.watches.at(-1)!,
  };
  return harness;
}

/**
 * Returns the function that creates a test file's informers. Each is closed after its test and must leave nothing open.
 */
export function harnesses(defaults: InformerOptions<Thing> = {}): typeof createHarness {
  const open: Harness[] = [];
  afterEach(async () => {
    for (const { informer, clock, source } of open.splice(0)) {
      await informer.close();
      expect(clock.pending).toBe(0);
      for (const { closed } of [...source.lists, ...source.watches]) expect(closed).toBe(true);
    }
  });
  return (options, onRequest) => {
    const harness = createHarness({ ...defaults, ...options }, onRequest);
    open.push(harness);
    return harness;
  };
}
