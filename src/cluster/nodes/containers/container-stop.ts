/** Time that a process has at least to end after its signal. */
const leastGraceMs = 2_000;

/** A running container that is being stopped. */
export interface StoppedContainer {
  /** Returns the current time. */
  now(): number;
  /** Runs the hook `preStop` for at most `limitMs`, and then calls back. */
  beforeStop(limitMs: number, then: () => void): void;
  /** Sends the signal to the process. Returns true if it may take its time to end. */
  signal(): boolean;
  kill(): void;
  /** Calls back after a delay, unless the container has ended before. */
  after(callback: () => void, ms: number): void;
}

/** Stop of a running container: first its hook `preStop`, then the signal, then its end with the grace period. */
export class ContainerStop {
  readonly #container: StoppedContainer;
  readonly #endsAtMs: number;
  /** True until the process may get its signal. */
  #held: boolean;
  /** True if the hook has ended, but the signal is held back. */
  #waits = false;

  constructor(container: StoppedContainer, graceMs: number, held: boolean) {
    this.#container = container;
    this.#endsAtMs = container.now() + graceMs;
    this.#held = held;
  }

  /** Runs the hook, after which the process gets its signal. */
  begin(): void {
    this.#container.beforeStop(this.#remainingMs, () => this.#afterHook());
  }

  /** Ends the container after another grace period, unless it ends earlier. */
  shorten(graceMs: number, held: boolean): void {
    this.#held = held;
    this.#killAfter(graceMs);
  }

  /** Lets the process get its signal, at once if the hook has ended. */
  release(): void {
    this.#held = false;
    if (!this.#waits) return;
    this.#waits = false;
    this.#signal();
  }

  #afterHook(): void {
    this.#waits = this.#held && this.#remainingMs > 0;
    if (this.#waits) this.#container.after(() => this.release(), this.#remainingMs);
    else this.#signal();
  }

  #signal(): void {
    if (this.#container.signal()) this.#killAfter(this.#remainingMs);
  }

  #killAfter(ms: number): void {
    this.#container.after(() => this.#container.kill(), Math.max(ms, leastGraceMs));
  }

  get #remainingMs(): number {
    return this.#endsAtMs - this.#container.now();
  }
}
