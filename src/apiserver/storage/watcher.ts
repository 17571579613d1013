import { concatBytes } from "../../internal/bytes.js";
import { ObjectBytes } from "../../internal/object-bytes.js";
import type { LogEntry, Version } from "./bucket.js";

/** Encodes changes as frames of one watch. Returns `undefined` for changes that the watch doesn't see. */
export interface FrameEncoder {
  /** Encodes a change. */
  change(entry: LogEntry): Uint8Array | undefined;
  /** Encodes an object of the initial state. */
  initial(version: Version): Uint8Array | undefined;
}

const chunkBytes = 64 * 1024;

/** Framing for watches that don't send their frames back to back. */
export interface Envelope {
  /** Wraps one frame. */
  wrap(frame: Uint8Array): Uint8Array;
  /** Bytes to send last. */
  readonly end: Uint8Array;
}

/** Queue of watch frames for one client. The reader pulls; the queue is bounded. */
export class Watcher implements AsyncIterator<Uint8Array, undefined> {
  private frames: Uint8Array[] = [];
  private marker: (() => Uint8Array) | undefined;
  private queuedBytes = 0;
  private initial: readonly Version[] = [];
  private initialAt = 0;
  private encoder: FrameEncoder | undefined;
  private waiting: ((result: IteratorResult<Uint8Array, undefined>) => void) | undefined;
  private ended = false;
  private envelope: Envelope | undefined;
  private initialized: (() => void) | undefined;
  private readonly onEnd: () => void;
  private readonly onError: (error: unknown) => void;
  private readonly maxQueued: number;

  constructor(maxQueuedBytes: number, onEnd: () => void, onError: (error: unknown) => void) {
    this.maxQueued = maxQueuedBytes;
    this.onEnd = onEnd;
    this.onError = onError;
  }

  /** Sets the initial state and its end marker. The frames are encoded when they are read. */
  begin(encoder: FrameEncoder, versions: readonly Version[], marker?: () => Uint8Array): void {
    this.encoder = encoder;
    this.initial = versions;
    this.marker = marker;
  }

  /** Calls back once the initial state has been read; at once if it is empty. */
  onceInitialized(callback: () => void): void {
    if (this.initialAt >= this.initial.length) callback();
    else this.initialized = callback;
  }

  /** Sets the framing. Call it before the first read. */
  wrapIn(envelope: Envelope): void {
    this.envelope = envelope;
  }

  /**
   * Queues a frame. A client that lets too much pile up is disconnected. Objects that are handed over count as nothing:
   * their client is in this process and reads them in the same turn of the event loop.
   */
  push(frame: Uint8Array): void {
    if (this.ended) return;
    this.frames.push(frame);
    this.queuedBytes += frame.length;
    if (this.queuedBytes > this.maxQueued) {
      this.frames = [];
      this.end();
      return;
    }
    this.deliver();
  }

  /** True if the stream has ended, even if frames are still queued. */
  get over(): boolean {
    return this.ended;
  }

  /** Ends the stream after the queued frames. */
  end(): void {
    if (this.stop()) this.deliver();
  }

  private stop(): boolean {
    if (this.ended) return false;
    this.ended = true;
    this.onEnd();
    return true;
  }

  /** Returns the next chunk of the body. */
  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    return new Promise((resolve) => {
      this.waiting = resolve;
      this.deliver();
    });
  }

  /** Ends the stream because the client left. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.frames = [];
    this.initial = [];
    this.envelope = undefined;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  private deliver(): void {
    const resolve = this.waiting;
    if (resolve === undefined) return;
    const chunk = this.take();
    if (chunk !== undefined) {
      this.waiting = undefined;
      resolve({ done: false, value: chunk });
    } else if (this.ended) {
      this.waiting = undefined;
      const last = this.envelope?.end;
      this.envelope = undefined;
      if (last !== undefined) {
        resolve({ done: false, value: last });
        return;
      }
      resolve({ done: true, value: undefined });
    }
  }

  /**
   * Encodes a frame. If the event can't be encoded, the watch ends after the frames before it, and `onError` gets the
   * error.
   */
  attempt(make: () => Uint8Array | undefined): Uint8Array | undefined {
    if (this.ended) return undefined;
    try {
      return make();
    } catch (error) {
      this.onError(error);
      this.end();
      return undefined;
    }
  }

  /** Same as `attempt`, for a frame that is encoded while it is read: everything in the queue comes after it. */
  private attemptNow(make: () => Uint8Array | undefined): Uint8Array | undefined {
    try {
      return make();
    } catch (error) {
      this.onError(error);
      this.initial = [];
      this.marker = undefined;
      this.frames = [];
      this.stop();
      return undefined;
    }
  }

  private take(): Uint8Array | undefined {
    const { envelope } = this;
    const parts: Uint8Array[] = [];
    let size = 0;
    while (this.initialAt < this.initial.length && size < chunkBytes) {
      const frame = this.attemptNow(() => this.encoder!.initial(this.initial[this.initialAt]!));
      this.initialAt += 1;
      if (frame === undefined) continue;
      parts.push(frame);
      size += frame.length;
    }
    if (this.initialAt >= this.initial.length) {
      this.initial = [];
      this.initialAt = 0;
      this.initialized?.();
      this.initialized = undefined;
      if (this.marker !== undefined) {
        const frame = this.attemptNow(this.marker);
        this.marker = undefined;
        if (frame !== undefined) parts.push(frame);
        size += frame?.length ?? 0;
      }
      let taken = 0;
      while (taken < this.frames.length && size < chunkBytes) {
        const frame = this.frames[taken]!;
        parts.push(frame);
        size += frame.length;
        this.queuedBytes -= frame.length;
        taken += 1;
      }
      if (taken === this.frames.length) this.frames = [];
      else if (taken > 0) this.frames = this.frames.slice(taken);
    }
    if (parts.length === 0) return undefined;
    const own = this.uniform(parts);
    const objects = own.filter((part) => part instanceof ObjectBytes);
    if (objects.length > 0) return new ObjectBytes(objects.map(({ value }) => value));
    return concatBytes(envelope === undefined ? own : own.map((part) => envelope.wrap(part)));
  }

  /** Returns the first frames that are all bytes or all objects. The others wait for the next read. */
  private uniform(parts: Uint8Array[]): Uint8Array[] {
    const objects = parts[0] instanceof ObjectBytes;
    const end = parts.findIndex((part) => part instanceof ObjectBytes !== objects);
    if (end < 0) return parts;
    const rest = parts.splice(end);
    this.frames = [...rest, ...this.frames];
    for (const { length } of rest) this.queuedBytes += length;
    return parts;
  }
}
