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

interface StoreStatus {
    readonly type: "idle" | "listing" | "watching" | "backingOff" | "refused" | "closed";
    readonly error?: unknown;
}

function createLiveStores(client: Client, options?: LiveStoresOptions): LiveStores;

function selectStore<S, R>(store: ExternalStore<S>, select: (snapshot: S) => R, isEqual?: (a: R, b: R) => boolean): ExternalStore<R>;

function shallowEqual(a: unknown, b: unknown): boolean;
