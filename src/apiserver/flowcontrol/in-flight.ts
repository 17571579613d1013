import type { Clock } from "../../internal/clock.js";
import type { RequestInfo } from "../http/request-info.js";
import type { Phase, RequestKind } from "./flow-metrics.js";

const readVerbs = new Set(["get", "list", "watch"]);
const requestKinds: readonly RequestKind[] = ["mutating", "readOnly"];

/** Returns the kind under which a request counts. */
export function kindOf(info: RequestInfo): RequestKind {
  return readVerbs.has(info.verb) ? "readOnly" : "mutating";
}

/** Highest value of a number in the last second. */
class Watermark {
  value = 0;
  #second = 0;
  #highest = 0;
  #before = 0;

  record(value: number, second: number): void {
    this.#roll(second);
    this.value = value;
    this.#highest = Math.max(this.#highest, value);
  }

  read(second: number): number {
    this.#roll(second);
    return Math.max(this.#before, this.#highest);
  }

  #roll(second: number): void {
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#highest : this.value;
    this.#highest = this.value;
    this.#second = second;
  }
}

/** Numbers of requests that wait and execute, by kind. */
export class InFlight {
  readonly #clock: Clock;
  readonly #observer: { setKind(kind: RequestKind, phase: Phase, count: number): void } | undefined;
  readonly #marks: Readonly<Record<Phase, Record<RequestKind, Watermark>>> = {
    waiting: { mutating: new Watermark(), readOnly: new Watermark() },
    executing: { mutating: new Watermark(), readOnly: new Watermark() },
  };

  constructor(clock: Clock, observer?: { setKind(kind: RequestKind, phase: Phase, count: number): void }) {
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Returns the number of requests of a kind that execute. */
  executing(kind: RequestKind): number {
    return this.#marks.executing[kind].value;
  }

  /** Counts a request that enters or leaves a phase. */
  change(kind: RequestKind, phase: Phase, delta: 1 | -1): void {
    const mark = this.#marks[phase][kind];
    mark.record(mark.value + delta, this.#second());
    this.#observer?.setKind(kind, phase, mark.value);
  }

  /** Returns the gauges for `/metrics`: the highest numbers in the last second. */
  lines(): string[] {
    const second = this.#second();
    const gauge = (name: string, phase: Phase, help: string): string[] => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...requestKinds.map((kind) => `${name}{request_kind="${kind}"} ${String(this.#marks[phase][kind].read(second))}`),
    ];
    return [
      ...gauge("apiserver_current_inflight_requests", "executing", "Most requests that executed in the last second"),
      ...gauge("apiserver_current_inqueue_requests", "waiting", "Most requests that waited in the last second"),
    ];
  }

  #second(): number {
    return Math.floor(this.#clock.monotonic() / 1000);
  }
}
