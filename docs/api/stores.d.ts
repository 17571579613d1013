interface AccessCache {
    check(query: AccessQuery): Promise<boolean>;
    store(query: AccessQuery): ExternalStore<AccessSnapshot>;
    invalidate(): void;
}

interface AccessCacheOptions {
    readonly lifetimeMs?: number | undefined;
    readonly clock?: Clock | undefined;
}

interface AccessQuery {
    readonly verb: string;
    readonly kind: Kind;
    readonly subresource?: string | undefined;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
}

interface AccessSnapshot {
    readonly allowed: boolean | undefined;
    readonly error: unknown;
}

interface CollectionSnapshot<T> {
    readonly items: readonly DeepReadonly<T>[];
    readonly isSynced: boolean;
    readonly status: StoreStatus;
}

interface CollectionStore<T> extends ExternalStore<CollectionSnapshot<T>> {
    readonly description: string;
    ready(): Promise<void>;
}

interface DehydratedStores {
    readonly collections: Readonly<Record<string, readonly unknown[]>>;
}

interface ExternalStore<S> {
    getSnapshot(): S;
    getServerSnapshot(): S;
    subscribe(onChange: () => void): () => void;
}

interface LiveQuery {
    readonly namespace?: string | undefined;
    readonly labelSelector?: string | undefined;
    readonly fieldSelector?: string | undefined;
}

interface LiveStores extends AsyncDisposable {
    readonly client: Client;
    readonly settings: StoreSettings;
    informer<T>(target: LiveTarget<T>, query?: LiveQuery): Informer<T>;
    collection<T>(target: LiveTarget<T>, query?: LiveQuery): CollectionStore<T>;
    object<T>(kind: Kind<T>, target: ObjectTarget): ObjectStore<T>;
    mutate<T>(kind: Kind<T>, target: ObjectTarget, mutation: Mutation<T>): Promise<T | undefined>;
    prefetch<T>(target: LiveTarget<T>, query?: LiveQuery): Promise<void>;
    dehydrate(): DehydratedStores;
    close(): Promise<void>;
}

interface LiveStoresOptions {
    readonly lingerMs?: number | undefined;
    readonly intervalMs?: number | undefined;
    readonly dehydrated?: DehydratedStores | undefined;
    readonly informer?: Omit<InformerOptions<unknown>, "transform" | "indexes" | "shard" | "clock" | "onError"> | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
    readonly clock?: Clock | undefined;
}

interface LiveTable extends ExternalStore<TableSnapshot> {
    setView(view: TableView): void;
    ready(): Promise<void>;
}

type LiveTableRow = DeepReadonly<TableItem>;

type LiveTarget<T> = Kind<T> | ListWatch<T>;

interface Mutation<T> {
    readonly change: (object: T) => T | undefined | void;
    readonly write?: ((resource: Resource<T>, name: string) => Promise<T | undefined>) | undefined;
    readonly options?: UpdateFunctionOptions | undefined;
}

interface ObjectSnapshot<T> {
    readonly object: DeepReadonly<T> | undefined;
    readonly isSynced: boolean;
    readonly status: StoreStatus;
}

interface ObjectStore<T> extends ExternalStore<ObjectSnapshot<T>> {
    ready(): Promise<void>;
}

interface ObjectTarget {
    readonly namespace?: string | undefined;
    readonly name: string;
}

interface StoreSettings {
    readonly clock: Clock;
    readonly intervalMs: number;
    readonly lingerMs: number;
    readonly onError: (error: unknown) => void;
}

interface StoreStatus {
    readonly type: "idle" | "listing" | "watching" | "backingOff" | "refused" | "closed";
    readonly error?: unknown;
}

interface TableSnapshot {
    readonly columns: readonly TableColumnDefinition[];
    readonly rows: readonly LiveTableRow[];
    readonly offset: number;
    readonly matching: number;
    readonly total: number;
    readonly isSynced: boolean;
    readonly status: StoreStatus;
}

interface TableView {
    readonly sortBy?: {
        readonly column: string;
        readonly descending?: boolean | undefined;
    } | undefined;
    readonly filter?: string | ((row: LiveTableRow) => boolean) | undefined;
    readonly offset?: number | undefined;
    readonly limit?: number | undefined;
}

function createAccessCache(client: Client, options?: AccessCacheOptions): AccessCache;

function createLiveStores(client: Client, options?: LiveStoresOptions): LiveStores;

function createLiveTable(stores: LiveStores, target: LiveTarget<unknown>, query?: LiveQuery, view?: TableView): LiveTable;

function selectStore<S, R>(store: ExternalStore<S>, select: (snapshot: S) => R, isEqual?: (a: R, b: R) => boolean): ExternalStore<R>;

function shallowEqual(a: unknown, b: unknown): boolean;
