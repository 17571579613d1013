/** Options for a single call, for all verbs. */
export interface RequestOptions {
  /** Signal that aborts the call. The call rejects with `signal.reason`, and the connection is closed. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Time limit in milliseconds, including retries and the waits between them. Also sent to the server as `timeout`.
   * Default: the client's limit, if it has one.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum pause within a response body in milliseconds; 0 disables the limit. Default: the client's, 60,000; none for
   * watches and other open-ended responses.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** `false` disables retries for this call, for callers with their own retry policy. Default: the client's policy. */
  readonly retry?: false | undefined;
  /**
   * Additional headers, which override the client's. `Authorization` is rejected: configure credentials on the client.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Requests indented JSON, which only interceptors, recordings and proxies see; the decoded result is the same.
   * Default: the server's choice.
   */
  readonly pretty?: boolean | undefined;
  /**
   * Callback for each warning in the response, instead of the client's handler. If it throws, the call fails although
   * the server carried it out.
   */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

/** A warning that the server sent with a response. */
export interface Warning {
  /** Warn code; 299 from a kube-apiserver. */
  readonly code: number;
  /** Source of the warning; `-` from a kube-apiserver. */
  readonly agent: string;
  /** Text of the warning. */
  readonly text: string;
}

/**
 * Interpretation of `resourceVersion`: exactly this version, or this version or newer.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter
 */
export type ResourceVersionMatch = "Exact" | "NotOlderThan";

/**
 * Options that reduce decoding work. The defaults keep everything; caches that don't read some fields can skip or defer
 * them.
 */
export interface DecodeOptions {
  /**
   * Handling of `metadata.managedFields`: `keep` (default) parses it, `drop` omits it, `lazy` parses it on first
   * access. Informers and `lazy: true` default to `lazy`.
   */
  readonly managedFields?: "keep" | "drop" | "lazy" | undefined;
  /** True to decode metadata immediately and `spec`, `status` and other fields on first access. Default `false`. */
  readonly lazy?: boolean | undefined;
  /**
   * Lookup of the previous version of an object. The decoder reuses its unchanged subtrees, so
   * `previous.spec === next.spec` if the spec didn't change.
   */
  readonly previous?: ((namespace: string | undefined, name: string) => object | undefined) | undefined;
  /**
   * Identity of a pool, any object. Objects decoded with the same one and `lazy: true` store only the bytes in which they
   * differ and share equal values, which suits caches of many similar objects. If the object has a method `get`, such as
   * an informer's store, it's called with `namespace/name`, or `name` for cluster-scoped objects. The last version that it
   * returns makes storing the next one faster. Shared and deferred parts are frozen. A deferred part is decoded again if
   * it's read after the garbage collector has removed an unused value. Supported by Protobuf and by the codec that
   * `connect` loads for large caches of custom resources; ignored with `previous` and with `managedFields: "keep"`.
   */
  readonly pool?: object | undefined;
}

/** Selectors for a list, watch or deleteCollection. */
export interface SelectorOptions {
  /** Label selector, such as `app=web,tier!=db`. */
  readonly labelSelector?: string | undefined;
  /** Field selector, such as `status.phase=Running`. */
  readonly fieldSelector?: string | undefined;
  /** Shard selector, which selects a subset of the objects by hash (Kubernetes 1.36, alpha). */
  readonly shardSelector?: string | undefined;
}

/** Options for `get`. */
export interface GetOptions extends RequestOptions {
  /** `"0"` allows any cached version; another value allows that version or newer. Default: the latest state. */
  readonly resourceVersion?: string | undefined;
  /** True to read an object that can't be decrypted or decoded, in order to delete it. Unsafe; not for normal use. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
  /** Decoding options. */
  readonly decode?: DecodeOptions | undefined;
}

/** Options for `list`, `pages` and `items`. */
export interface ListOptions extends RequestOptions, SelectorOptions {
  /** Maximum number of objects per response. Default: all for `list`, 500 for `pages` and `items`. */
  readonly limit?: number | undefined;
  /** Token from the previous page. */
  readonly continue?: string | undefined;
  /** Version of the collection to read; see `resourceVersionMatch`. Default: the latest state. */
  readonly resourceVersion?: string | undefined;
  /** Interpretation of `resourceVersion`. */
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** Server-side time limit in seconds. */
  readonly timeoutSeconds?: number | undefined;
  /** Decoding options. */
  readonly decode?: DecodeOptions | undefined;
}

/** Options for `watch`. */
export interface WatchOptions extends RequestOptions, SelectorOptions {
  /**
   * Version after which the watch starts, usually that of a list. Default: the current state, sent as one ADDED event
   * per existing object.
   */
  readonly resourceVersion?: string | undefined;
  /** Must be `NotOlderThan` if `sendInitialEvents` is set. */
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** True to request BOOKMARK events. Default `false`. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /**
   * True to start with an ADDED event per existing object, followed by a bookmark that marks their end (a streaming
   * list).
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** Server-side limit for the watch in seconds. Default: the server's, 30 to 60 minutes. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * Maximum wait for the response headers in milliseconds. An open watch isn't limited. Default: the client's limit, if
   * it has one.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum time without received data in milliseconds, after which the watch fails with a `TransportError`; 0 disables
   * the limit. Default: none.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Decoding options. */
  readonly decode?: DecodeOptions | undefined;
}

/** Server-side handling of unknown and duplicate fields. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Options for all verbs that write. */
export interface WriteOptions extends RequestOptions {
  /** `All`: the server processes the write in full but stores nothing. */
  readonly dryRun?: "All" | undefined;
  /**
   * Field manager that owns the written fields; at most 128 bytes of printable characters. Default: derived from the
   * User-Agent.
   */
  readonly fieldManager?: string | undefined;
  /** Server-side handling of unknown and duplicate fields. Default: the server's, `Warn`. */
  readonly fieldValidation?: FieldValidation | undefined;
}

/** Options for `create`. */
export type CreateOptions = WriteOptions;

/** Options for `update`. */
export type UpdateOptions = WriteOptions;

/** Options for `patch`. */
export type PatchOptions = WriteOptions;

/** Options for `apply`. */
export interface ApplyOptions extends WriteOptions {
  /** Field manager that owns the applied fields. Server-side apply requires one. */
  readonly fieldManager: string;
  /** True to take over fields that other managers own. Default `false`: such fields are a conflict. */
  readonly force?: boolean | undefined;
}

/** Preconditions for a deletion. */
export interface Preconditions {
  /** Required UID. */
  readonly uid?: string | undefined;
  /** Required version. */
  readonly resourceVersion?: string | undefined;
}

/** Options for `delete`. */
export interface DeleteOptions extends RequestOptions {
  /** `All`: the server processes the deletion in full but deletes nothing. */
  readonly dryRun?: "All" | undefined;
  /** Grace period in seconds; 0 deletes immediately. Default: the kind's. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Handling of dependents. Default: the kind's, usually `Background`. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /**
   * `true` means `propagationPolicy: "Orphan"`, `false` leaves no orphans. The server rejects both options together.
   * @deprecated Use `propagationPolicy` (since Kubernetes 1.7).
   */
  readonly orphanDependents?: boolean | undefined;
  /** Conditions that the object must meet; otherwise the call rejects with 409 Conflict. */
  readonly preconditions?: Preconditions | undefined;
  /**
   * True to delete an object that can't be decrypted or decoded, ignoring finalizers and preconditions. Unsafe; not for
   * normal use.
   */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
}
