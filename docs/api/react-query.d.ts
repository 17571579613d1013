interface LiveQueryClient {
    setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
    getQueryCache(): {
        find(filters: {
            readonly queryKey: readonly unknown[];
            readonly exact: boolean;
        }): LiveQueryEntry | undefined;
        subscribe(listener: (event: {
            readonly type: string;
            readonly query: unknown;
        }) => void): () => void;
    };
}

interface LiveQueryContext {
    readonly client: LiveQueryClient;
    readonly queryKey: readonly unknown[];
}

interface LiveQueryEntry {
    getObserversCount(): number;
}

interface LiveQueryOptions<D> {
    readonly queryKey: readonly unknown[];
    readonly queryFn: (context: LiveQueryContext) => Promise<D>;
    readonly staleTime: number;
    readonly structuralSharing: false;
}

function listQuery<T>(stores: LiveStores, target: LiveTarget<T>, query?: LiveQuery): LiveQueryOptions<readonly DeepReadonly<T>[]>;

function objectQuery<T>(stores: LiveStores, kind: Kind<T>, target: ObjectTarget): LiveQueryOptions<DeepReadonly<T> | null>;
