function KubestreamProvider({ client, stores, children }: KubestreamProviderProps): ReactElement;

type KubestreamProviderProps = {
    readonly children?: ReactNode | undefined;
} & ({
    readonly client: Client;
    readonly stores?: undefined;
} | {
    readonly stores: LiveStores;
    readonly client?: undefined;
});

interface MutationDefinition<T, V = void> {
    readonly change: (object: T, variables: V) => T | undefined | void;
    readonly write?: ((resource: Resource<T>, name: string, variables: V) => Promise<T | undefined>) | undefined;
    readonly options?: UpdateFunctionOptions | undefined;
}

interface MutationState<T, V = void> {
    readonly mutate: (target: ObjectTarget, variables: V) => void;
    readonly mutateAsync: (target: ObjectTarget, variables: V) => Promise<T | undefined>;
    readonly isPending: boolean;
    readonly error: unknown;
    readonly reset: () => void;
}

interface SelectOptions<R> {
    readonly isEqual?: ((a: R, b: R) => boolean) | undefined;
}

interface SuspenseOptions {
    readonly suspense?: boolean | undefined;
}

interface UseAccessOptions {
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly cache?: AccessCache | undefined;
}

interface UseInformerOptions<R> extends LiveQuery, SuspenseOptions, SelectOptions<R> {
}

interface UseObjectOptions<R> extends SuspenseOptions, SelectOptions<R> {
}

interface UseTableOptions extends LiveQuery, TableView {
}

function useAccess(verb: string, resource: Kind | readonly [
    Kind,
    string
], options?: UseAccessOptions): AccessSnapshot;

function useInformer<T>(target: LiveTarget<T>, options?: UseInformerOptions<CollectionSnapshot<T>>): CollectionSnapshot<T>;
function useInformer<T, R>(target: LiveTarget<T>, options: UseInformerOptions<R>, select: (snapshot: CollectionSnapshot<T>) => R): R;

function useLiveStores(): LiveStores;

function useMutation<T, V = void>(kind: Kind<T>, definition: MutationDefinition<T, V>): MutationState<T, V>;

function useObject<T>(kind: Kind<T>, target: ObjectTarget, options?: UseObjectOptions<ObjectSnapshot<T>>): ObjectSnapshot<T>;
function useObject<T, R>(kind: Kind<T>, target: ObjectTarget, options: UseObjectOptions<R>, select: (snapshot: ObjectSnapshot<T>) => R): R;

function useStore<S>(store: ExternalStore<S>): S;
function useStore<S, R>(store: ExternalStore<S>, select: (snapshot: S) => R, options?: SelectOptions<R>): R;

function useTable(target: LiveTarget<unknown>, options?: UseTableOptions): TableSnapshot;
