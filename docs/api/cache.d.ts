interface Added<T> {
    readonly type: "added";
    readonly key: string;
    readonly object: DeepReadonly<T>;
    readonly cause: ChangeCause;
    readonly initial: boolean;
}

interface BackoffOptions {
    readonly initialMs: number;
    readonly factor: number;
    readonly capMs: number;
    readonly jitter: number;
}

interface BufferOptions {
    readonly policy?: "unbounded" | "conflate" | "dropOldest" | "error" | undefined;
    readonly capacity?: number | undefined;
}

interface BulkEncodingOptions {
    readonly objects?: number | undefined;
    readonly eventsPerSecond?: number | undefined;
}

type Change<T> = Added<T> | Updated<T> | Deleted<T>;

type ChangeCause = "live" | "list" | "relist" | "resync";

type ChangeHandler<T> = (change: Change<T>) => void;

interface ChangeStream<T> extends AsyncIterableIterator<Change<T>>, AsyncDisposable {
    readonly lag: number;
    readonly dropped: number;
    return(): Promise<IteratorResult<Change<T>>>;
}

interface CheckConsistencyOptions extends WaitOptions, SelectorOptions {
}

interface ConsistentReads<T> {
    write<R>(name: string, write: () => Promise<R>): Promise<R>;
    get(name: string, options?: WaitOptions): Promise<DeepReadonly<T> | undefined>;
    list(query?: StoreQuery, options?: WaitOptions): Promise<DeepReadonly<T>[]>;
}

interface Deleted<T> {
    readonly type: "deleted";
    readonly key: string;
    readonly object: DeepReadonly<T>;
    readonly finalStateUnknown: boolean;
    readonly cause: ChangeCause;
    readonly initial: false;
}

interface Difference {
    readonly key: string;
    readonly cached: string | undefined;
    readonly listed: string | undefined;
}

interface EncryptionKey {
    readonly algorithm: {
        readonly name: string;
    };
}

type FailureKind = "expired" | "tooLarge" | "throttled" | "unauthorized" | "forbidden" | "notFound" | "unsupported" | "server" | "transport" | "protocol" | "other";

interface HandlerOptions {
    readonly replay?: boolean | undefined;
}

interface HandlerRegistration {
    readonly lag: number;
    synced(options?: WaitOptions): Promise<void>;
    remove(): void;
}

type IndexFunction<T> = (object: T) => readonly string[];

interface IndexedDbFactory {
    open(name: string, version?: number): unknown;
}

interface IndexedDbStorageOptions {
    readonly database?: string | undefined;
    readonly indexedDB?: IndexedDbFactory | undefined;
}

interface Informer<T> extends AsyncDisposable {
    readonly description: string;
    readonly store: StoreReader<T>;
    readonly status: InformerStatus;
    readonly hasSynced: boolean;
    readonly lastError: unknown;
    readonly metrics: InformerMetrics;
    start(): void;
    synced(options?: WaitOptions): Promise<void>;
    waitForResourceVersion(version: string, options?: WaitOptions): Promise<void>;
    addHandler(handler: ChangeHandler<T>, options?: HandlerOptions): HandlerRegistration;
    onStatus(handler: (status: InformerStatus) => void): {
        remove(): void;
    };
    close(): Promise<void>;
}

interface InformerEncoding {
    readonly state: "fixed" | "client" | "loading" | "bulk";
    readonly reason: "pinned" | "list" | "watch" | undefined;
    readonly error: unknown;
    readonly objects: number;
    readonly eventsPerSecond: number;
}

interface InformerFactory extends AsyncDisposable {
    readonly size: number;
    readonly informers: readonly Informer<unknown>[];
    informer<T, R = T>(source: ListerWatcher<T>, options?: SharedInformerOptions<T, R>): Informer<R>;
    close(): Promise<void>;
}

interface InformerMetrics {
    readonly lists: number;
    readonly listsDone: number;
    readonly pages: number;
    readonly lastListMs: number;
    readonly watches: number;
    readonly streams: number;
    readonly shortWatches: number;
    readonly stalls: number;
    readonly events: Readonly<Record<"ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK", number>>;
    readonly failures: Readonly<Record<FailureKind, number>>;
    readonly objectsDropped: number;
    readonly handlerErrors: number;
    readonly lastContactAt: number | undefined;
    readonly lastEventAt: number | undefined;
    readonly encoding: InformerEncoding;
    readonly size: number;
    readonly handlers: number;
    readonly lag: number;
}

interface InformerOptions<T, R = T> extends ReflectorOptions {
    readonly shard?: Shard | undefined;
    readonly transform?: Transform<T, R> | undefined;
    readonly indexes?: Readonly<Record<string, IndexFunction<DeepReadonly<R>>>> | undefined;
    readonly resyncMs?: number | undefined;
    readonly shareStructure?: boolean | undefined;
    readonly bulkEncoding?: BulkEncodingOptions | false | undefined;
    readonly freeze?: boolean | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
    readonly persistence?: Persistence | undefined;
    readonly clock?: Clock | undefined;
    readonly random?: (() => number) | undefined;
}

type InformerStatus = {
    readonly type: "idle";
} | {
    readonly type: "listing";
    readonly received: number;
    readonly remaining: number | undefined;
} | {
    readonly type: "streaming";
    readonly received: number;
} | {
    readonly type: "synced";
    readonly resourceVersion: string;
    readonly size: number;
} | {
    readonly type: "connecting";
    readonly resourceVersion: string;
} | {
    readonly type: "watching";
    readonly resourceVersion: string;
} | {
    readonly type: "backingOff";
    readonly error: unknown;
    readonly kind: FailureKind;
    readonly delayMs: number;
    readonly attempt: number;
} | {
    readonly type: "refused";
    readonly error: unknown;
    readonly kind: "unauthorized" | "forbidden" | "notFound";
    readonly delayMs: number;
    readonly attempt: number;
} | {
    readonly type: "closed";
    readonly error?: unknown;
};

interface JoinChange<L, R> {
    readonly type: "added" | "updated" | "deleted";
    readonly key: string;
    readonly left: DeepReadonly<L>;
    readonly right: readonly DeepReadonly<R>[];
}

interface JoinOptions<L, R> {
    readonly name: string;
    readonly left: IndexFunction<DeepReadonly<L>>;
    readonly right: IndexFunction<DeepReadonly<R>>;
    readonly onError?: ((error: unknown) => void) | undefined;
}

interface Persistence {
    open<R>(source: ListerWatcher<unknown>, form: StoredForm, clock: Clock): SnapshotKeeper<R>;
}

interface PersistenceOptions {
    readonly storage: SnapshotStorage;
    readonly identity: string | (() => Promise<string>);
    readonly encryptionKey?: EncryptionKey | undefined;
    readonly version?: string | undefined;
    readonly intervalMs?: number | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}

interface ReadYourWritesOptions {
    readonly timeoutMs?: number | undefined;
}

interface ReflectorOptions extends SelectorOptions {
    readonly initialList?: "auto" | "stream" | "list" | undefined;
    readonly initialConsistency?: "latest" | "any" | undefined;
    readonly pageSize?: number | undefined;
    readonly backoff?: BackoffOptions | undefined;
    readonly refusedBackoff?: BackoffOptions | undefined;
    readonly retryAfterCapMs?: number | undefined;
    readonly watchTimeoutSeconds?: {
        readonly min: number;
        readonly max: number;
    } | undefined;
    readonly bookmarks?: boolean | undefined;
    readonly idleTimeoutMs?: number | undefined;
    readonly listIdleTimeoutMs?: number | undefined;
    readonly bookmarkDeadlineMs?: number | undefined;
    readonly streamingRetryAfterMs?: number | undefined;
    readonly maxStreamingAttempts?: number | undefined;
    readonly decode?: DecodeOptions | undefined;
}

interface RestoredStore<R> {
    readonly objects: Map<string, R>;
    readonly resourceVersion: string;
}

interface Shard {
    readonly shardSelector: string;
    readonly matches: (object: unknown) => boolean;
}

interface ShardOptions {
    readonly index: number;
    readonly count: number;
    readonly by?: "uid" | "namespace" | undefined;
}

interface SharedInformerOptions<T, R = T> extends InformerOptions<T, R> {
    readonly projection?: string | undefined;
}

interface SnapshotKeeper<R> {
    load(signal: AbortSignal): Promise<RestoredStore<R> | undefined>;
    follow(store: StoreReader<R>): () => Promise<void>;
}

interface SnapshotStorage {
    read(name: string): Promise<Uint8Array | undefined>;
    write(name: string, bytes: Uint8Array): Promise<void>;
    remove(name: string): Promise<void>;
}

interface StoreQuery {
    readonly namespace?: string | undefined;
    readonly labelSelector?: string | undefined;
    readonly fieldSelector?: string | undefined;
}

interface StoreReader<T> {
    readonly size: number;
    readonly resourceVersion: string | undefined;
    get(key: string): DeepReadonly<T> | undefined;
    has(key: string): boolean;
    keys(): IterableIterator<string>;
    values(): IterableIterator<DeepReadonly<T>>;
    list(query?: StoreQuery): DeepReadonly<T>[];
    byIndex(index: string, value: string): DeepReadonly<T>[];
    indexValues(index: string): string[];
    addIndex(name: string, valuesOf: IndexFunction<DeepReadonly<T>>): void;
    removeIndex(name: string): void;
}

interface StoredForm extends SelectorOptions {
    readonly transform?: unknown;
    readonly shard?: unknown;
    readonly decode?: DecodeOptions | undefined;
}

type Transform<T, R = T> = (object: T) => R;

interface Updated<T> {
    readonly type: "updated";
    readonly key: string;
    readonly object: DeepReadonly<T>;
    readonly old: DeepReadonly<T>;
    readonly cause: ChangeCause;
    readonly initial: false;
}

interface WaitForOptions<T> extends WaitOptions, Omit<InformerOptions<T>, "fieldSelector" | "transform" | "resyncMs"> {
}

interface WaitOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
}

interface WatchChangesOptions extends HandlerOptions, BufferOptions {
    readonly signal?: AbortSignal | undefined;
}

interface WritableHandle<T> {
    readonly namespaceName?: string | undefined;
    get(name: string, options?: {
        readonly signal?: AbortSignal | undefined;
    }): Promise<T>;
}

function checkConsistency<T>(informer: Informer<unknown>, source: ListWatch<T>, options?: CheckConsistencyOptions): Promise<readonly Difference[]>;

function createIndexedDbStorage(options?: IndexedDbStorageOptions): SnapshotStorage;

function createInformer<T, R = T>(source: ListerWatcher<T>, options?: InformerOptions<T, R>): Informer<R>;

function createInformerFactory(defaults?: Omit<InformerOptions<unknown>, "transform" | "indexes">): InformerFactory;

function createPersistence(options: PersistenceOptions): Persistence;

function createShard({ index, count, by }: ShardOptions): Shard;

function getClusterIdentity(client: Client): Promise<string>;

function hasCondition(type: string, status?: "True" | "False" | "Unknown"): (object: unknown) => boolean;

function isDeleted(uid?: string): (object: unknown) => boolean;

function joinInformers<L, R>(left: Informer<L>, right: Informer<R>, options: JoinOptions<L, R>, handler: (change: JoinChange<L, R>) => void): {
    remove(): void;
};

function mergeInformers<T>(informers: readonly Informer<T>[] | Readonly<Record<string, Informer<T>>>): Informer<T>;

function objectKey(object: unknown): string;

function parseObjectKey(key: string): {
    readonly namespace: string | undefined;
    readonly name: string;
    readonly cluster?: string | undefined;
};

function readYourWrites<T>(handle: WritableHandle<T>, informer: Informer<T>, options?: ReadYourWritesOptions): ConsistentReads<T>;

function stripManagedFields<T extends KubernetesObject>(object: T): T;

function waitFor<T>(source: ListWatch<T>, name: string, condition: (object: DeepReadonly<T> | undefined) => boolean, options?: WaitForOptions<T>): Promise<DeepReadonly<T> | undefined>;

function waitForStore<T>(informer: Informer<T>, condition: (store: StoreReader<T>) => boolean, options?: WaitOptions & Pick<InformerOptions<T>, "clock">): Promise<void>;

function watchChanges<T>(informer: Informer<T>, options?: WatchChangesOptions): ChangeStream<T>;
