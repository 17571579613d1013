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

/** An informer over a scripted collection under a virtual clock. */
export interface Harness {
  /** The collection. */
  readonly source: ScriptedSource;
  /** The time. */
  readonly clock: VirtualClock;
  /** The informer. */
  readonly informer: Informer<Thing>;
  /** The changes told so far, in short: `+a@1`, `~a@1>2`, `-a@2`, `-a@2?` for an unknown end. */
  readonly changes: string[];
  /** The types of the statuses so far. */
  readonly statuses: InformerStatus[];
  /** Adds the handler that notes the changes. */
  listen(): { remove(): void };
  /** The store in short, in the order of keys. */
  store(): string;
  /** The changes since the last call. */
  news(): string[];
  /** Answers the last list, lets things settle. */
  answer(version: string, objects: string[], more?: Parameters<ScriptedList["answer"]>[2]): Promise<void>;
  /** Sends events on the last watch, lets things settle. */
  send(...events: string[]): Promise<void>;
  /** The last watch. */
  watch(): ScriptedWatch;
}

/** A change in short. */
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

/** Makes an informer that lists, over a scripted collection. */
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

/** Gives a test file the function that makes its informers: each is closed after its test, and nothing of it may wait or stay open then. */
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
