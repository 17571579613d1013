import { createInformer } from "../../src/cache/informer/create-informer.js";
import type { HandlerRegistration, Informer, InformerOptions } from "../../src/cache/informer/informer.js";
import type { Change } from "../../src/cache/store/change.js";
import { createClient } from "../../src/client/client.js";
import type { ListWatch } from "../../src/client/resource/collection.js";
import type { Codec } from "../../src/codec/codec.js";
import { json } from "../../src/codec/json/json.js";
import { sharedJson } from "../../src/codec/json/shared-json.js";
import { protobuf } from "../../src/codec/protobuf/protobuf.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import { compareResourceVersions } from "../../src/meta/resource-version.js";
import { codecInWorker } from "../../src/node/worker/delta-reader.js";
import { newHandles, openHandles } from "../support/open-handles.js";
import type { VirtualClock } from "../support/virtual-clock.js";
import { createVirtualClock, settle } from "../support/virtual-clock.js";
import type { FaultyTransport } from "./faulty-transport.js";
import { createFaultyTransport } from "./faulty-transport.js";
import type { Mirror } from "./mirror.js";
import { createMirror } from "./mirror.js";
import type { Random } from "./random.js";
import { createRandom } from "./random.js";
import { sendTo } from "./serve-transport.js";
import { throughWorker } from "./worker-transport.js";
import type { World } from "./world.js";
import { createWorld } from "./world.js";

/** Intentional bug that the simulation must find. */
export interface Plant {
  /** Name. */
  readonly name: string;
  /** Description of the bug and the clients that had it. */
  readonly about: string;
  /** Changes the informer's options. */
  options?(options: InformerOptions<ConfigMap>): InformerOptions<ConfigMap>;
  /** Wraps the client's collection. */
  source?(source: ListWatch<ConfigMap>, random: Random): ListWatch<ConfigMap>;
  /** Wraps the codec. */
  codec?(codec: Codec): Codec;
}

/** Result of one seed. */
export interface Outcome {
  /** Errors that were found; empty on success. */
  readonly faults: readonly string[];
  /** Number of requests that were sent. */
  readonly requests: number;
  /** Log of the run, for debugging. */
  readonly story: readonly string[];
}

const minute = 60_000;
/** Maximum virtual time for recovery after the last fault. */
const recoveryMs = 40 * minute;
/** Maximum number of new requests per second, not counting further pages. */
const mostPerSecond = 12;

/**
 * Runs one seed: minutes of changes and faults, then a reliable network. In the end everything must match the server.
 */
export async function runSeed(seed: number, plant?: Plant): Promise<Outcome> {
  const handles = openHandles();
  const clock = createVirtualClock();
  const chance = createRandom(seed, "plan");
  const world = await createWorld(clock, createRandom(seed, "world"));
  const transport = createFaultyTransport(
    (request) => sendTo(world.server, request),
    clock,
    createRandom(seed, "network"),
  );
  const codec = json();
  const clientRandom = createRandom(seed, "client");
  const encodingChance = createRandom(seed, "encoding");
  const adapts = plant === undefined && encodingChance.chance(0.6);
  // Custom resources are read with this JSON codec.
  const shared = encodingChance.chance(0.3) ? sharedJson() : protobuf();
  const inWorker = adapts && createRandom(seed, "worker").chance(0.5);
  const bulk = inWorker ? codecInWorker(shared) : shared;
  // The client's own timeout would hide a plant that disables the reflector's.
  const deadline = plant === undefined ? {} : { idleTimeoutMs: 0 };
  const client = createClient({
    transport: inWorker ? throughWorker(transport) : transport,
    clock,
    random: clientRandom.next,
    codecs: [plant?.codec?.(codec) ?? codec],
    ...(adapts ? { bulkCodec: () => Promise.resolve(bulk) } : {}),
    ...deadline,
  });
  const handle = client.resource(ConfigMap) as unknown as ListWatch<ConfigMap>;
  const source = plant?.source?.(handle, createRandom(seed, "plant")) ?? handle;
  const options: InformerOptions<ConfigMap> = {
    ...informerOptions(chance, clock, clientRandom),
    ...(adapts
      ? {
          bulkEncoding: { objects: encodingChance.pick([0, 1, 3, 8]), eventsPerSecond: encodingChance.pick([0.2, 1]) },
          // Equal parts of objects are shared unless the one or the other is set.
          ...(encodingChance.chance(0.6) ? { freeze: undefined, shareStructure: false } : {}),
        }
      : {}),
  };
  const informer = createInformer(source, plant?.options?.(options) ?? options);
  const story: string[] = [];
  const tell = (what: string): void => void story.push(`${(clock.monotonic() / 1_000).toFixed(3)} ${what}`);
  const faults: string[] = [];
  /** Length of the log of requests when the informer last had a complete list, or was stopped. */
  let requestsBefore = 0;
  let shown: string | undefined;
  /** The visible version of the collection may stay the same, and go back only if the server did. */
  const lookAtVersion = (): void => {
    const { resourceVersion } = informer.store;
    if (resourceVersion === shown) return;
    if (shown !== undefined && !world.historyLost && (compareResourceVersions(resourceVersion ?? "", shown) ?? -1) < 0)
      faults.push(`the store's version went back from ${shown} to ${String(resourceVersion)}`);
    shown = resourceVersion;
  };
  informer.onStatus((status) => {
    lookAtVersion();
    tell(`status ${status.type}${"error" in status ? ` ${String(status.error)}` : ""}`);
    if (["listing", "streaming", "backingOff", "refused"].includes(status.type)) return;
    if (status.type === "synced") {
      // A failure stays visible until the server answers, so the request says when the list began.
      const { at = 0 } = transport.log.slice(requestsBefore).find(({ path }) => beginsList(path)) ?? {};
      for (const [key, { since }] of world.truth)
        if (since < at && !informer.store.has(key)) faults.push(`synced without ${key}, which existed before`);
    }
    requestsBefore = transport.log.length;
  });
  const subscription = createSubscription(informer, world, tell);
  subscription.join();

  transport.faultiness = chance.pick([0, 0.1, 0.3, 0.6]);
  for (let step = 5 + chance.int(45); step > 0; step--) {
    await clock.advance(chance.chance(0.06) ? chance.int(12 * minute) : chance.int(4_000));
    await act(chance, world, transport, clock, subscription, informer, tell);
    lookAtVersion();
  }
  transport.faultiness = 0;
  transport.setOutage(false);
  subscription.join();
  tell("the network is reliable");

  const isRight = (): boolean =>
    informer.status.type === "watching" && differences(informer, world, subscription.mirror).length === 0;
  for (const round of ["after the faults", "after one more change"]) {
    if (!(await clock.runUntil(isRight, recoveryMs))) {
      faults.push(
        `${round}: not converged within ${String(recoveryMs / minute)} minutes: ${[`status ${informer.status.type}`, ...differences(informer, world, subscription.mirror)].join("; ")}`,
      );
      break;
    }
    if (round === "after the faults") {
      await canWrite(world, informer, clock);
      await world.write();
    }
  }
  faults.push(...subscription.faults());
  faults.push(...tooManyRequests(transport));
  await informer.close();
  await client.close();
  await world.close();
  await settle();
  if (transport.open > 0) faults.push(`${String(transport.open)} connections are still open`);
  // Timers of the process belong to the test runner; those of the client are on the clock.
  for (const handle of newHandles(handles).filter((name) => name.endsWith("Wrap"))) faults.push(`left open: ${handle}`);
  if (clock.pending > 0) faults.push(`${String(clock.pending)} timers are still pending`);
  for (const { at, path, fault, status } of transport.log)
    story.push(`${(at / 1_000).toFixed(3)} ${path} -> ${String(status)} ${fault}`);
  story.sort((a, b) => parseFloat(a) - parseFloat(b));
  return { faults, requests: transport.log.length, story };
}

function informerOptions(chance: Random, clock: VirtualClock, random: Random): InformerOptions<ConfigMap> {
  return {
    clock,
    random: random.next,
    freeze: chance.chance(0.1),
    initialList: chance.pick(["auto", "auto", "list", "list", "stream"]),
    ...(chance.chance(0.5) ? { pageSize: 1 + chance.int(4) } : {}),
    ...(chance.chance(0.3) ? { initialConsistency: "any" as const } : {}),
    ...(chance.chance(0.3) ? { watchTimeoutSeconds: { min: 5, max: 20 } } : {}),
    ...(chance.chance(0.3) ? { resyncMs: 30_000 } : {}),
    ...(chance.chance(0.5) ? { shareStructure: true } : {}),
    ...(chance.chance(0.2) ? { decode: { lazy: true } } : {}),
  };
}

/** True for the first page of a list, and for a watch that begins with the current objects. */
function beginsList(path: string): boolean {
  return !path.includes("continue=") && (!path.includes("watch=") || path.includes("sendInitialEvents="));
}

/** Subscriber that may leave and return, each time with a new mirror. */
function createSubscription(informer: Informer<ConfigMap>, world: World, tell: (what: string) => void) {
  const done: Mirror[] = [];
  let mirror = createMirror(
    () => world.historyLost,
    (key) => world.truth.get(key)?.life,
  );
  let registration: HandlerRegistration | undefined;
  return {
    get mirror(): Mirror {
      return mirror;
    },
    join() {
      if (registration !== undefined) return;
      tell("a subscriber joins");
      mirror = createMirror(
        () => world.historyLost,
        (key) => world.truth.get(key)?.life,
      );
      done.push(mirror);
      const own = mirror;
      registration = informer.addHandler((change: Change<ConfigMap>) => {
        tell(`${change.type} ${change.key} ${change.object.metadata!.resourceVersion!} ${change.cause}`);
        if (change.cause !== "resync") own.take(change);
      });
    },
    leave() {
      if (registration === undefined) return;
      tell("the subscriber leaves");
      registration.remove();
      registration = undefined;
    },
    faults: () => done.flatMap(({ faults }) => faults),
  };
}

async function act(
  chance: Random,
  world: World,
  transport: FaultyTransport,
  clock: VirtualClock,
  subscription: ReturnType<typeof createSubscription>,
  informer: Informer<ConfigMap>,
  tell: (what: string) => void,
): Promise<void> {
  const what = chance.next();
  if (what < 0.78) {
    const burst = chance.chance(0.15) ? 1 + chance.int(12) : 1;
    for (let i = 0; i < burst; i++) if (mayWrite(world, informer)) await world.write();
    tell(`${String(burst)} writes, revision ${String(world.revision)}`);
  } else if (what < 0.86) {
    world.compact();
    tell("compaction");
  } else if (what < 0.88) {
    if (!mayWrite(world, informer)) return;
    await world.saveOrRestore();
    tell("saved or restored");
  } else if (what < 0.9) {
    // The client also can't detect a server change if a list continues at a version that the new server has as well.
    if (Math.min(Number(informer.store.resourceVersion ?? 0), world.revision) < world.restartRevision + 8) return;
    await world.restart();
    tell(`restart with lost history, revision ${String(world.revision)}`);
  } else if (what < 0.93) {
    clock.jump(chance.int(48 * 60) * minute - 24 * 60 * minute);
    tell("the clock jumps");
  } else if (what < 0.97) {
    subscription.leave();
    if (chance.chance(0.5)) await settle();
    if (chance.chance(0.7)) subscription.join();
  } else if (what < 0.985) transport.faultiness = chance.pick([0, 0.2, 0.9]);
  else {
    transport.setOutage(true);
    tell("an outage begins");
    await clock.advance(chance.int(chance.chance(0.2) ? 10 * minute : minute));
    transport.setOutage(false);
  }
}

/** A server that lost its history and then overtook the client can't be detected: the API offers no way. */
function mayWrite(world: World, informer: Informer<ConfigMap>): boolean {
  const known = Number(informer.store.resourceVersion ?? 0);
  const { revision } = world;
  return known <= revision || revision + 4 < known;
}

async function canWrite(world: World, informer: Informer<ConfigMap>, clock: VirtualClock): Promise<void> {
  await clock.runUntil(() => mayWrite(world, informer), recoveryMs);
}

/** Lists the differences of the store and the mirror from the server. */
function differences(informer: Informer<ConfigMap>, world: World, mirror: Mirror): string[] {
  const found: string[] = [];
  for (const [name, objects] of [
    ["store", informer.store],
    ["mirror", mirror.objects],
  ] as const) {
    for (const [key, { version, life, text }] of world.truth) {
      const object = objects.get(key);
      if (object === undefined) found.push(`${name} lacks ${key}`);
      else if (object.metadata!.resourceVersion !== version)
        found.push(`${name} has ${key} at ${String(object.metadata!.resourceVersion)}, not ${version}`);
      else if (object.data?.["life"] !== life || object.data["text"] !== text)
        found.push(`${name} has outdated data for ${key}`);
    }
    for (const key of objects.keys()) if (!world.truth.has(key)) found.push(`${name} still has ${key}`);
  }
  return found;
}

function tooManyRequests({ log }: FaultyTransport): string[] {
  const begins = log.filter(({ path }) => !path.includes("continue="));
  for (let i = mostPerSecond; i < begins.length; i++) {
    if (begins[i]!.at - begins[i - mostPerSecond]!.at < 1_000)
      return [`more than ${String(mostPerSecond)} requests within a second`];
  }
  return [];
}
