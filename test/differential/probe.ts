/** One request of a probe; `${name}` in any text is replaced by a variable of the run: `ns`, and what earlier steps captured. */
export interface Step {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  readonly path: string;
  /** Bearer token; `""` for none. Default: the administrator's. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body as JSON; a content type other than `application/json` stands in `headers`. */
  readonly json?: unknown;
  /** The body `json` goes in this encoding instead. */
  readonly encode?: "protobuf" | "cbor";
  /** Before the request all history before this revision is forgotten. */
  readonly compact?: string;
  /** Body as it is. */
  readonly raw?: string | Uint8Array;
  /** Variables to set from JSON pointers into the answer. */
  readonly capture?: Readonly<Record<string, string>>;
  /** The answer is not compared: a step on the way. */
  readonly silent?: boolean;
  /** Values of the answer that are not compared, as JSON pointers with `*` for any key. */
  readonly ignore?: readonly string[];
  /** Milliseconds to wait before the request: policies take a moment until a real server holds requests against them. */
  readonly pauseMs?: number;
  /** The request is made again, for some seconds, until both servers answer with this status. */
  readonly until?: number;
  /** Names of headers to compare besides the usual ones. */
  readonly compareHeaders?: readonly string[];
}

/** Requests that both servers get in the same order. */
export interface Probe {
  /** `topic/name`. */
  readonly id: string;
  readonly steps: readonly Step[];
}

/** Probes of one topic, with what must stand before the first of them. */
export interface Topic {
  readonly name: string;
  readonly setup?: readonly Step[];
  readonly probes: readonly Probe[];
}
