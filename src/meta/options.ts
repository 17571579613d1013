/** How a single call is to be carried out, whatever its verb. */
export interface RequestOptions {
  /** Ends the call: it rejects with the signal's reason, and the connection is closed. */
  readonly signal?: AbortSignal;
  /** Time limit in milliseconds, retries and the waits between them included; also sent to the server as `timeout`. Default: the client's, which is none. */
  readonly timeoutMs?: number;
  /** Longest pause in the middle of an answer in milliseconds, 0 for no limit. Default: the client's, 60,000; none for what has no end of its own. */
  readonly idleTimeoutMs?: number;
  /** `false` sends the request once: the caller has a retry policy of its own. Default: the client's policy. */
  readonly retry?: false;
  /** More headers, over those of the client. `Authorization` is refused: credentials belong to the client. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Indented JSON, for who sees the bytes: an interceptor, a recording, a proxy. What is decoded is the same. Default: as the server likes. */
  readonly pretty?: boolean;
  /** Called with every warning of the answer instead of the client's handler. What it throws fails the call, though the server carried it out. */
  readonly onWarning?: (warning: Warning) => void;
}

/** A warning that the server sent with a response. */
export interface Warning {
  /** Warn code; 299 from a kube-apiserver. */
  readonly code: number;
  /** Who warned; `-` from a kube-apiserver. */
  readonly agent: string;
  /** The text. */
  readonly text: string;
}

/**
 * How `resourceVersion` is to be understood.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter
 */
export type ResourceVersionMatch = "Exact" | "NotOlderThan";

/** What is kept of the bytes that arrive. Only caches that know what they do without should ask for less. */
export interface DecodeOptions {
  /** What becomes of `metadata.managedFields`: parsed (`keep`, default), left out (`drop`), parsed on first access (`lazy`; default with `lazy: true`, and of informers). */
  readonly managedFields?: "keep" | "drop" | "lazy";
  /** Decode metadata at once, and `spec`, `status` and the rest on first access. Default `false`. */
  readonly lazy?: boolean;
  /** The object last seen under this name: unchanged subtrees of it are used again, so `previous.spec === next.spec`. */
  readonly previous?: (namespace: string | undefined, name: string) => object | undefined;
}

/** What selects the objects of a list, watch or deleteCollection. */
export interface SelectorOptions {
  /** Label selector, as `app=web,tier!=db`. */
  readonly labelSelector?: string;
  /** Field selector, as `status.phase=Running`. */
  readonly fieldSelector?: string;
  /** Selects a part of the objects by a hash (Kubernetes 1.36, alpha). */
  readonly shardSelector?: string;
}

/** Options of `get`. */
export interface GetOptions extends RequestOptions {
  /** `"0"`: whatever the server has cached; another version: not older than it. Default: the latest state. */
  readonly resourceVersion?: string;
  /** Reads an object although it cannot be decrypted or decoded, so that it can be deleted; not for normal use. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  /** What is kept of the bytes that arrive. */
  readonly decode?: DecodeOptions;
}

/** Options of `list`, `pages` and `items`. */
export interface ListOptions extends RequestOptions, SelectorOptions {
  /** Largest number of objects in an answer. Default: all, for `list`; 500 for `pages` and `items`. */
  readonly limit?: number;
  /** Token of the page before. */
  readonly continue?: string;
  /** The version of the collection to read; see `resourceVersionMatch`. Default: the latest state. */
  readonly resourceVersion?: string;
  /** How `resourceVersion` is to be understood. */
  readonly resourceVersionMatch?: ResourceVersionMatch;
  /** Seconds after which the server gives up. */
  readonly timeoutSeconds?: number;
  /** What is kept of the bytes that arrive. */
  readonly decode?: DecodeOptions;
}

/** Options of `watch`. */
export interface WatchOptions extends RequestOptions, SelectorOptions {
  /** The version after which to begin. Default: the present, with an ADDED event for each object there is. */
  readonly resourceVersion?: string;
  /** Must be `NotOlderThan` where `sendInitialEvents` is set. */
  readonly resourceVersionMatch?: ResourceVersionMatch;
  /** Ask for BOOKMARK events. Default `false`. */
  readonly allowWatchBookmarks?: boolean;
  /** Begin with an ADDED event for each object there is, then a bookmark that ends them. */
  readonly sendInitialEvents?: boolean;
  /** Seconds after which the server ends the watch. Default: the server's, 30 to 60 minutes. */
  readonly timeoutSeconds?: number;
  /** Longest wait for the answer to begin in milliseconds; once open, a watch lasts as long as it may. Default: the client's, which is none. */
  readonly timeoutMs?: number;
  /** Milliseconds without a byte after which the watch ends with a `TransportError`, 0 for no limit. Default: none. */
  readonly idleTimeoutMs?: number;
  /** What is kept of the bytes that arrive. */
  readonly decode?: DecodeOptions;
}

/** What the server does about unknown and duplicate fields. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** What all verbs that write can be told. */
export interface WriteOptions extends RequestOptions {
  /** `All`: go through every step and store nothing. */
  readonly dryRun?: "All";
  /** Name under which the written fields are owned; at most 128 printable characters. Default: from the User-Agent. */
  readonly fieldManager?: string;
  /** What the server does about unknown and duplicate fields. Default: the server's, `Warn`. */
  readonly fieldValidation?: FieldValidation;
}

/** Options of `create`. */
export type CreateOptions = WriteOptions;

/** Options of `update`. */
export type UpdateOptions = WriteOptions;

/** Options of `patch`. */
export type PatchOptions = WriteOptions;

/** Options of `apply`. */
export interface ApplyOptions extends WriteOptions {
  /** Name under which the applied fields are owned; required by server-side apply. */
  readonly fieldManager: string;
  /** Take fields over that other managers own. Default `false`: a conflict. */
  readonly force?: boolean;
}

/** What must hold of an object for it to be deleted. */
export interface Preconditions {
  /** The object's UID. */
  readonly uid?: string;
  /** The object's version. */
  readonly resourceVersion?: string;
}

/** Options of `delete`. */
export interface DeleteOptions extends RequestOptions {
  /** `All`: go through every step and delete nothing. */
  readonly dryRun?: "All";
  /** Seconds the object is given to end; 0 is at once. Default: the kind's. */
  readonly gracePeriodSeconds?: number;
  /** What becomes of dependents. Default: the kind's, mostly `Background`. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  /**
   * `true` is `propagationPolicy` "Orphan", `false` leaves no orphans; the server refuses both options together.
   * @deprecated Since Kubernetes 1.7, for `propagationPolicy`.
   */
  readonly orphanDependents?: boolean;
  /** Delete only if these hold; otherwise 409 Conflict. */
  readonly preconditions?: Preconditions;
  /** Deletes an object that cannot be decrypted or decoded, without finalizers or preconditions; not for normal use. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}
