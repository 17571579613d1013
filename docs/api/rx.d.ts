interface ConcatMapBufferedOptions extends BufferOptions {
    readonly onLag?: ((lag: number, dropped: number) => void) | undefined;
}

interface SnapshotOptions {
    readonly query?: StoreQuery | undefined;
    readonly intervalMs?: number | undefined;
    readonly scheduler?: SchedulerLike | undefined;
}

function concatMapBuffered<T, V>(project: (change: Change<T>) => Promise<V>, options?: ConcatMapBufferedOptions): OperatorFunction<Change<T>, V>;

function fromInformer<T>(informer: Informer<T>, options?: HandlerOptions): Observable<Change<T>>;

function fromInformerStatus<T>(informer: Informer<T>): Observable<InformerStatus>;

function fromJoin<L, R>(left: Informer<L>, right: Informer<R>, options: JoinOptions<L, R>): Observable<JoinChange<L, R>>;

function fromObject<T>(informer: Informer<T>, key: string): Observable<DeepReadonly<T> | undefined>;

function fromPages<T>(source: {
    pages(options?: PagesOptions): AsyncIterableIterator<List<T>>;
}, options?: PagesOptions): Observable<List<T>>;

function fromQuery<T>(informer: Informer<T>, query: StoreQuery, options?: HandlerOptions): Observable<Change<T>>;

function fromReconciles(controller: Pick<Controller, "onReconcile" | "done">): Observable<ReconcileOutcome>;

function fromWatch<T>(source: ListWatch<T>, options?: WatchOptions): Observable<WatchEvent<T>>;

function observableSource(description: string, requests: Observable<ReconcileRequest>): Source;

function snapshots<T>(informer: Informer<T>, options?: SnapshotOptions): Observable<DeepReadonly<T>[]>;
