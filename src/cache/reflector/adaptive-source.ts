import type { ListChunk, ListerWatcher, Watch } from "../../client/resource/collection.js";
import { linkAbort } from "../../internal/abort.js";
import { type Clock, sleep } from "../../internal/clock.js";
import type { DecodeOptions, ListOptions, WatchOptions } from "../../meta/options.js";
import { classifyFailure } from "./failure.js";
import type { ReflectorStep } from "./reflector.js";
import type { ReflectorState } from "./reflector-state.js";

/** When an informer switches to the client's bulk codec. A threshold of 0 selects it for the first request. */
export interface BulkEncodingOptions {
  /** Objects of a list that have arrived (streaming list) or are still to come (pages). Default 2,000. */
  readonly objects?: number | undefined;
  /** Events per second of a watch, averaged over five seconds. Default 200. */
  readonly eventsPerSecond?: number | undefined;
}

/** Encoding that an informer requests, and the reason. */
export interface InformerEncoding {
  /**
   * Current state.
   *
   * - `fixed`: the client's codecs; a bulk codec isn't available or not wanted.
   * - `client`: the client's codecs so far.
   * - `loading`: the bulk codec is being loaded.
   * - `bulk`: the bulk codec, from the next request on.
   */
  readonly state: "fixed" | "client" | "loading" | "bulk";
  /** Reason for leaving the client's codecs: a threshold of 0, a long list or a busy watch. Absent before. */
  readonly reason: "pinned" | "list" | "watch" | undefined;
  /** Last error of loading the bulk codec, tried again after a minute, or of decoding with it, after which it's fixed. */
  readonly error: unknown;
  /** Threshold in objects of a list. */
  readonly objects: number;
  /** Threshold in events per second. */
  readonly eventsPerSecond: number;
}

type Requests<T> = Pick<ListerWatcher<T>, "listChunks" | "watch" | "loadBulk">;

/** Period over which events are averaged. */
const windowMs = 5_000;
/** Time that a streaming list waits for the codec. */
const streamWaitMs = 500;
/** Time that the first request waits for the codec if a threshold is 0. */
const firstWaitMs = 10_000;
/** Time until another attempt to load the codec. */
const reloadMs = 60_000;
/** Responses that can't be decoded, without a complete list between them, until the client's codecs are used again. */
const mostFailures = 3;

/**
 * Source that sends requests with the client's codecs, and with its bulk codec once a list or watch turns out large.
 * Versions and continue tokens don't depend on the encoding, so only later requests differ.
 */
export class AdaptiveSource<T> {
  readonly #plain: Requests<T>;
  readonly #clock: Clock;
  readonly #objects: number;
  readonly #eventsPerSecond: number;
  #bulk: Requests<T> | undefined;
  #state: InformerEncoding["state"];
  #reason: InformerEncoding["reason"];
  #error: unknown;
  /** True if the bulk codec is ready and the current request doesn't use it. */
  #outdated = false;
  #loading: Promise<void> | undefined;
  #hasWaited = false;
  #failures = 0;
  #notBefore = -Infinity;
  #windowStart = -Infinity;
  #events = 0;

  /** Throws a `RangeError` for a negative threshold. */
  constructor(source: Requests<T>, clock: Clock, options: BulkEncodingOptions | false = {}) {
    this.#plain = source;
    this.#clock = clock;
    this.#state = options === false || source.loadBulk === undefined ? "fixed" : "client";
    const { objects = 2_000, eventsPerSecond = 200 } = options === false ? {} : options;
    this.#objects = atLeastZero("objects", objects);
    this.#eventsPerSecond = atLeastZero("eventsPerSecond", eventsPerSecond);
  }

  get encoding(): InformerEncoding {
    return {
      state: this.#state,
      reason: this.#reason,
      error: this.#error,
      objects: this.#objects,
      eventsPerSecond: this.#eventsPerSecond,
    };
  }

  /** Loads the bulk codec if a threshold is 0. The first request waits for it. */
  async prepare(signal: AbortSignal): Promise<void> {
    if (this.#objects === 0 || this.#eventsPerSecond === 0) {
      this.#begin("pinned");
      await this.#wait(firstWaitMs, signal);
    }
  }

  listChunks(options: ListOptions): AsyncIterableIterator<ListChunk<T>> {
    this.#outdated = false;
    return this.#bulk?.listChunks(lazily(options)) ?? this.#plain.listChunks(options);
  }

  watch(options: WatchOptions): Watch<T> {
    this.#outdated = false;
    return this.#bulk?.watch(lazily(options)) ?? this.#plain.watch(options);
  }

  /**
   * Returns true if a request that takes long should be replaced by one with the bulk codec. While the codec is being
   * loaded, a streaming list waits for up to half a second, because its objects will be requested again.
   */
  shouldReopen({ phase }: ReflectorState, signal: AbortSignal): boolean | Promise<boolean> {
    if (phase !== "watching" && phase !== "streaming") return false;
    if (phase === "streaming" && this.#state === "loading" && !this.#hasWaited) {
      this.#hasWaited = true;
      return this.#wait(streamWaitMs, signal).then(() => this.#outdated);
    }
    return this.#outdated;
  }

  async #wait(limitMs: number, signal: AbortSignal): Promise<void> {
    const link = linkAbort(signal);
    await Promise.race([this.#loading, sleep(limitMs, this.#clock, link.signal).catch(() => undefined)]);
    link.abort();
  }

  /** Inspects a step of the reflector. */
  observe({ input, transition: { state, events }, now }: ReflectorStep<T>): void {
    if (this.#state === "bulk") {
      if (events.at(-1)?.type === "initDone") this.#failures = 0;
      if (input.type === "failed" && classifyFailure(input.error) === "protocol" && ++this.#failures >= mostFailures)
        this.#leave(input.error);
    } else if (this.#state === "client" && now >= this.#notBefore) {
      if (state.phase === "listing" && (state.list.remaining ?? 0) >= this.#objects) this.#begin("list");
      else if (state.phase === "streaming" && state.received >= this.#objects) this.#begin("list");
      else if (state.phase === "watching" && input.type === "event" && this.#isBusy(now)) this.#begin("watch");
    }
  }

  #isBusy(now: number): boolean {
    if (now - this.#windowStart > windowMs) {
      this.#windowStart = now;
      this.#events = 0;
    }
    return ++this.#events > (this.#eventsPerSecond * windowMs) / 1_000;
  }

  #begin(reason: InformerEncoding["reason"]): void {
    if (this.#state !== "client") return;
    this.#state = "loading";
    this.#reason = reason;
    this.#loading = this.#load();
  }

  async #load(): Promise<void> {
    try {
      this.#bulk = await this.#plain.loadBulk!();
      this.#state = this.#bulk === undefined ? "fixed" : "bulk";
      this.#outdated = this.#bulk !== undefined;
      this.#error = undefined;
    } catch (error) {
      this.#state = "client";
      this.#error = error;
      this.#notBefore = this.#clock.monotonic() + reloadMs;
    }
  }

  #leave(error: unknown): void {
    this.#bulk = undefined;
    this.#state = "fixed";
    this.#error = error;
    this.#outdated = false;
  }
}

function lazily<O extends { readonly decode?: DecodeOptions | undefined }>(options: O): O {
  return options.decode?.lazy === undefined ? { ...options, decode: { ...options.decode, lazy: true } } : options;
}

function atLeastZero(name: string, value: number): number {
  if (!(value >= 0)) throw new RangeError(`bulkEncoding.${name} must be at least 0, not ${value}`);
  return value;
}
