/**
 * Request of a probe. `${name}` in any text is replaced with a variable of the run: `ns`, or a value that an earlier
 * step captured.
 */
export interface Step {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  readonly path: string;
  /** Bearer token; `""` sends none. Default: the administrator's. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body as JSON. Set a content type other than `application/json` in `headers`. */
  readonly json?: unknown;
  /** Encoding of the body in `json`, if it isn't JSON. */
  readonly encode?: "protobuf" | "cbor";
  /** Discards the history before this revision before the request. */
  readonly compact?: string;
  /** Raw body. */
  readonly raw?: string | Uint8Array;
  /** Variables to set, with JSON pointers into the answer. */
  readonly capture?: Readonly<Record<string, string>>;
  /** True for an intermediate step whose answer isn't compared. */
  readonly silent?: boolean;
  /** Values of the answer to ignore, as JSON pointers with `*` for any key. */
  readonly ignore?: readonly string[];
  /** Milliseconds to wait before the request. A real server takes a moment to apply new policies. */
  readonly pauseMs?: number;
  /** Status to wait for: the request is repeated for some seconds until both servers answer with it. */
  readonly until?: number;
  /** Names of additional headers to compare. */
  readonly compareHeaders?: readonly string[];
}

/** Requests that both servers receive in the same order. */
export interface Probe {
  /** Id of the form `topic/name`. */
  readonly id: string;
  readonly steps: readonly Step[];
}

/**
 * Kind of server: with the admission plugins ServiceAccount and NodeRestriction, or with `--feature-gates=WatchList=false
 * --watch-cache=false` and without CBOR and other than the default API versions.
 */
export type ServerKind = "optional-plugins" | "older";

/** Probes of one topic, with the setup they need. */
export interface Topic {
  readonly name: string;
  readonly setup?: readonly Step[];
  /** Kind of server that both must be, if it isn't the usual one. */
  readonly server?: ServerKind;
  readonly probes: readonly Probe[];
}
