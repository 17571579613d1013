import type { Clock } from "../../../internal/clock.js";

/** Line of a container's log. */
export interface LogLine {
  /** Time in milliseconds since the epoch. */
  readonly atMs: number;
  /** Stream that the line was written to. */
  readonly stream: "stdout" | "stderr";
  /** Text, with the line break if there is one. */
  readonly text: string;
}

/** Lines kept of one container. Older ones are dropped. */
const mostLines = 10_000;

const noText = { stdout: "", stderr: "" };

/** Log of one run of a container. */
export class ContainerLog {
  readonly #clock: Pick<Clock, "now">;
  // Most containers write nothing and have no readers.
  #followers: Set<() => void> | undefined;
  #partial: Readonly<Record<LogLine["stream"], string>> = noText;
  #lines: LogLine[] = [];
  #dropped = 0;
  #ended = false;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Returns an independent log that starts with the lines so far. */
  copy(clock: Pick<Clock, "now">): ContainerLog {
    const copy = new ContainerLog(clock);
    copy.#lines = [...this.#lines];
    copy.#dropped = this.#dropped;
    copy.#ended = this.#ended;
    copy.#partial = this.#partial;
    return copy;
  }

  /** True if nothing will be added. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Number of lines so far, those that were dropped included. */
  get length(): number {
    return this.#dropped + this.#lines.length;
  }

  /** Returns the lines from a position on that are still kept. */
  from(position: number): readonly LogLine[] {
    return this.#lines.slice(Math.max(0, position - this.#dropped));
  }

  /** Returns the text of the last 80 lines, at most 2,048 characters; `undefined` for an empty log. */
  tail(): string | undefined {
    const lines = this.#lines.slice(-80).map(({ text }) => text);
    return lines.length === 0 ? undefined : lines.join("").slice(-2_048);
  }

  /** Appends text to a stream. */
  write(stream: "stdout" | "stderr", text: string): void {
    if (this.#ended) return;
    const [rest, ...others] = text.split("\n");
    const lines = [this.#partial[stream] + rest!, ...others];
    this.#partial = { ...this.#partial, [stream]: lines.pop()! };
    for (const line of lines) this.#lines.push({ atMs: this.#clock.now(), stream, text: `${line}\n` });
    this.#trim();
    if (lines.length > 0) this.#notify();
  }

  /** Ends the log. */
  end(): void {
    if (this.#ended) return;
    for (const stream of ["stdout", "stderr"] as const) {
      const text = this.#partial[stream];
      if (text !== "") this.#lines.push({ atMs: this.#clock.now(), stream, text });
    }
    this.#ended = true;
    this.#notify();
  }

  /** Calls back after each change. Returns a function that ends this. */
  follow(callback: () => void): () => void {
    const followers = (this.#followers ??= new Set());
    followers.add(callback);
    return () => followers.delete(callback);
  }

  #trim(): void {
    // Dropping a tenth at a time keeps the cost of a line constant.
    if (this.#lines.length < mostLines * 1.1) return;
    const excess = this.#lines.length - mostLines;
    this.#lines = this.#lines.slice(excess);
    this.#dropped += excess;
  }

  #notify(): void {
    for (const callback of [...(this.#followers ?? [])]) callback();
  }
}
