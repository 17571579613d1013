type Applied<T> = T extends readonly (infer E)[] ? readonly Applied<E>[] : T extends object ? {
    readonly [K in keyof T]?: Applied<T[K]> | undefined;
} : T;

type ApplyArguments<FieldManager extends string | undefined> = [
    FieldManager
] extends [
    string
] ? [
    options?: Partial<ApplyOptions>
] : [
    options: ApplyOptions
];

type ApplyConfiguration<T> = unknown extends T ? ApplyIdentity<KubernetesObject> & Readonly<Record<string, unknown>> : ApplyIdentity<T> & Applied<Omit<T, "apiVersion" | "kind" | "metadata" | "status">>;

interface ApplyIdentity<T> {
    readonly apiVersion: TypeOf<T, "apiVersion">;
    readonly kind: TypeOf<T, "kind">;
    readonly metadata: ApplyMetadata;
}

type ApplyMetadata = Applied<Omit<ObjectMeta, "name" | "managedFields">> & {
    readonly name: string;
    readonly managedFields?: never;
};

interface ApplyOptions extends WriteOptions {
    readonly fieldManager: string;
    readonly force?: boolean | undefined;
}

interface BodyIterator extends AsyncIterator<Uint8Array, undefined>, SyncPull<Uint8Array> {
}

interface Bookmark {
    apiVersion?: string | undefined;
    kind?: string | undefined;
    metadata: {
        resourceVersion: string;
        annotations?: Record<string, string> | undefined;
    };
}

interface CallDefaults {
    readonly dryRun?: "All" | undefined;
    readonly fieldManager?: string | undefined;
    readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly multiHeaders?: Readonly<Record<string, readonly string[]>> | undefined;
    readonly timeoutMs?: number | undefined;
    readonly idleTimeoutMs?: number | undefined;
    readonly retry?: RetryOptions | false | undefined;
    readonly onWarning?: ((warning: Warning) => void) | undefined;
}

interface Client<FieldManager extends string | undefined = string | undefined> extends AsyncDisposable {
    readonly fieldManager: FieldManager;
    resource<T, S extends Scope, Sub extends object, P extends PatchType>(kind: Kind<T, S, Sub, P>): ResourceOf<T, S, Sub, P, FieldManager>;
    request(request: RawRequest): Promise<RawResponse>;
    openWebSocket(request: WebSocketRequest): Promise<TransportSocket>;
    derive(defaults: CallDefaults & {
        readonly fieldManager: string;
    }): Client<string>;
    derive(defaults: CallDefaults): Client<FieldManager>;
    close(): Promise<void>;
}

interface ClientOptions extends CallDefaults {
    readonly transport: Transport;
    readonly codecs?: readonly Codec[] | undefined;
    readonly bulkCodec?: ((kind: CodecTarget) => Promise<Codec>) | undefined;
    readonly interceptors?: readonly Interceptor[] | undefined;
    readonly userAgent?: string | undefined;
    readonly clock?: Clock | undefined;
    readonly random?: (() => number) | undefined;
}

interface Clock {
    now(): number;
    monotonic(): number;
    setTimer(callback: () => void, delayMs: number, options?: TimerOptions): Timer;
}

class ClosedError extends KubestreamError {
    readonly name = "ClosedError";
    static get className(): string;
}

interface Collection<T, S extends Scope = Scope> extends ListWatch<T> {
    readonly kind: Kind<unknown, S>;
    readonly namespaceName?: string | undefined;
    pages(options?: PagesOptions): AsyncIterableIterator<List<T>> & AsyncDisposable;
    items(options?: PagesOptions): AsyncIterableIterator<T> & AsyncDisposable;
    watch(options?: WatchOptions): Watch<T> & AsyncDisposable;
}

interface Condition {
    type: string;
    status: "True" | "False" | "Unknown" | (string & {});
    reason: string;
    message: string;
    lastTransitionTime: Time;
    observedGeneration?: number | undefined;
}

class ConfigError extends KubestreamError {
    readonly name = "ConfigError";
    readonly permanent: boolean;
    constructor(message: string, options?: ErrorOptions & {
        permanent?: boolean | undefined;
    });
    static get className(): string;
}

interface CrdManifest {
    readonly spec: {
        readonly group: string;
        readonly names: {
            readonly kind: string;
            readonly plural: string;
        };
        readonly scope: Scope;
        readonly versions: readonly CrdVersion[];
    };
}

interface CrdNames<C extends CrdManifest, V extends string> extends KindNames {
    readonly group: C["spec"]["group"];
    readonly version: V;
    readonly kind: C["spec"]["names"]["kind"];
    readonly plural: C["spec"]["names"]["plural"];
    readonly scope: C["spec"]["scope"];
    readonly scale: CrdVersionOf<C, V> extends {
        readonly subresources: {
            readonly scale: object;
        };
    } ? true : false;
}

type CrdObject<C extends CrdManifest, V extends string> = Omit<KnownObject<ValueOfSchema<SchemaOf<CrdVersionOf<C, V>>>>, "apiVersion" | "kind" | "metadata"> & Pick<CustomObject<CrdNames<C, V>, never>, "apiVersion" | "kind" | "metadata">;

interface CrdVersion {
    readonly name: string;
    readonly schema?: {
        readonly openAPIV3Schema?: object | undefined;
    } | undefined;
    readonly subresources?: {
        readonly status?: object | undefined;
        readonly scale?: object | undefined;
    } | undefined;
}

type CrdVersionOf<C extends CrdManifest, V> = Extract<C["spec"]["versions"][number], {
    readonly name: V;
}>;

type CreateOptions = WriteOptions;

type CustomKind<Names extends KindNames, T, HasStatus extends boolean> = Kind<T, Names["scope"], CustomSubresources<Names, T, HasStatus>, "json" | "merge">;

interface CustomObject<Names extends KindNames, Spec, Status = undefined> {
    apiVersion?: `${Names["group"]}/${Names["version"]}` | undefined;
    kind?: Names["kind"] | undefined;
    metadata?: ObjectMeta | undefined;
    spec?: Spec | undefined;
    status?: Status | undefined;
}

interface CustomScale {
    apiVersion?: "autoscaling/v1" | undefined;
    kind?: "Scale" | undefined;
    metadata?: ObjectMeta | undefined;
    spec?: {
        replicas?: number | undefined;
    } | undefined;
    status?: {
        replicas: number;
        selector?: string | undefined;
    } | undefined;
}

type CustomSubresources<Names extends KindNames, T, HasStatus extends boolean> = (HasStatus extends true ? {
    status: T;
} : unknown) & (Names extends {
    readonly scale: true;
} ? {
    scale: CustomScale;
} : unknown) & object;

interface DecodeOptions {
    readonly managedFields?: "keep" | "drop" | "lazy" | undefined;
    readonly lazy?: boolean | undefined;
    readonly previous?: ((namespace: string | undefined, name: string) => object | undefined) | undefined;
    readonly pool?: object | undefined;
}

type DeepReadonly<T> = T extends string | ((...args: never[]) => unknown) ? T : T extends object ? {
    readonly [K in keyof T]: DeepReadonly<T[K]>;
} : T;

interface DeleteCollectionOptions extends DeleteOptions, ListOptions {
}

interface DeleteOptions extends RequestOptions {
    readonly dryRun?: "All" | undefined;
    readonly gracePeriodSeconds?: number | undefined;
    readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
    readonly orphanDependents?: boolean | undefined;
    readonly preconditions?: Preconditions | undefined;
    readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
}

type DeleteResult<T> = T | Status;

interface DynamicObject extends KubernetesObject {
    [field: string]: unknown;
}

interface DynamicResource<T = DynamicObject, Sub extends object = Record<string, DynamicObject>, P extends PatchType = PatchType, FieldManager extends string | undefined = string | undefined> extends Resource<T, Sub, P, FieldManager> {
    namespace(name: string): Resource<T, Sub, P, FieldManager>;
}

interface FetchTransportOptions {
    readonly url: string;
    readonly fetch?: typeof fetch | undefined;
    readonly credentials?: "omit" | "same-origin" | "include" | undefined;
    readonly WebSocket?: typeof WebSocket | undefined;
    readonly onWarning?: ((message: string) => void) | undefined;
    readonly clock?: Clock | undefined;
}

interface FieldSelectorRequirement {
    key: string;
    operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | (string & {});
    values?: string[] | undefined;
}

type FieldValidation = "Ignore" | "Warn" | "Strict";

interface GetOptions extends RequestOptions {
    readonly resourceVersion?: string | undefined;
    readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
    readonly decode?: DecodeOptions | undefined;
}

interface HandlerTransportOptions {
    readonly url?: string | undefined;
}

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

interface Impersonation {
    readonly user: string;
    readonly groups?: readonly string[] | undefined;
    readonly uid?: string | undefined;
    readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

type InputOf<S> = S extends StandardSchema<infer Input, infer Output> ? (unknown extends Input ? Output : Input) : never;

type IntOrString = number | string;

type Interceptor = (next: Transport["send"]) => Transport["send"];

type JsonPatchOperation = {
    readonly op: "add" | "replace" | "test";
    readonly path: string;
    readonly value: unknown;
    readonly from?: never;
} | {
    readonly op: "remove";
    readonly path: string;
    readonly value?: never;
    readonly from?: never;
} | {
    readonly op: "move" | "copy";
    readonly path: string;
    readonly from: string;
    readonly value?: never;
};

interface Kind<T = unknown, S extends Scope = Scope, Sub extends object = object, P extends PatchType = PatchType> {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly plural: string;
    readonly scope: S;
    readonly custom?: boolean | undefined;
    readonly schema?: StandardSchema<unknown, object> | undefined;
    readonly [shape]?: {
        readonly object: T;
        readonly subresources: Sub;
        readonly patches: P;
    } | undefined;
}

interface KindNames {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly plural: string;
    readonly scope: Scope;
    readonly scale?: boolean | undefined;
}

interface KubernetesObject extends TypeMeta {
    metadata?: ObjectMeta | undefined;
}

class KubestreamError extends Error {
    readonly name: string;
    static [Symbol.hasInstance](value: unknown): boolean;
    static get className(): string;
}

interface LabelSelector {
    matchLabels?: Record<string, string> | undefined;
    matchExpressions?: LabelSelectorRequirement[] | undefined;
}

interface LabelSelectorRequirement {
    key: string;
    operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | (string & {});
    values?: string[] | undefined;
}

interface List<T> {
    apiVersion?: string | undefined;
    kind?: string | undefined;
    metadata: ListMeta;
    items: T[];
}

interface ListChunk<T> {
    readonly items: readonly T[];
    readonly metadata?: ListMeta | undefined;
}

type ListDirectives<T> = {
    readonly [K in PrimitiveListKeys<T> as `$deleteFromPrimitiveList/${K}`]?: DeepReadonly<NonNullable<T[K]>>;
} & {
    readonly [K in ListKeys<T> as `$setElementOrder/${K}`]?: readonly (string | number | Readonly<Record<string, unknown>>)[];
};

interface ListMeta {
    resourceVersion?: string | undefined;
    continue?: string | undefined;
    remainingItemCount?: number | undefined;
    selfLink?: string | undefined;
    shardInfo?: Record<string, unknown> | undefined;
}

interface ListOptions extends RequestOptions, SelectorOptions {
    readonly limit?: number | undefined;
    readonly continue?: string | undefined;
    readonly resourceVersion?: string | undefined;
    readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
    readonly timeoutSeconds?: number | undefined;
    readonly decode?: DecodeOptions | undefined;
}

interface ListWatch<T> extends ListerWatcher<T> {
    list(options?: ListOptions): Promise<List<T>>;
    pages(options?: ListOptions): AsyncIterableIterator<List<T>>;
}

interface ListerWatcher<T> {
    readonly description: string;
    readonly cacheScope?: object | undefined;
    readonly cacheKey?: string | undefined;
    readonly groupVersionResource?: string | undefined;
    readonly loadBulk?: (() => Promise<ListerWatcher<T> | undefined>) | undefined;
    readonly closedSignal?: AbortSignal | undefined;
    listChunks(options?: ListOptions): AsyncIterableIterator<ListChunk<T>>;
    watch(options?: WatchOptions): Watch<T>;
}

interface ListerWatcherOptions {
    readonly transport: Transport;
    readonly namespace?: string | undefined;
    readonly interceptors?: readonly Interceptor[] | undefined;
    readonly codecs?: readonly Codec[] | undefined;
    readonly userAgent?: string | undefined;
    readonly onWarning?: ((warning: Warning) => void) | undefined;
    readonly clock?: Clock | undefined;
    readonly random?: (() => number) | undefined;
}

interface ManagedFieldsEntry {
    manager?: string | undefined;
    operation?: "Apply" | "Update" | undefined;
    apiVersion?: string | undefined;
    time?: string | undefined;
    fieldsType?: string | undefined;
    fieldsV1?: Record<string, unknown> | undefined;
    subresource?: string | undefined;
}

type MergePatch<T> = T extends readonly unknown[] ? DeepReadonly<T> : T extends object ? {
    readonly [K in keyof T]?: MergePatch<NonNullable<T[K]>> | null | undefined;
} : T;

interface NamespacedResource<T, Sub extends object = object, P extends PatchType = PatchType, FieldManager extends string | undefined = string | undefined> extends Collection<T, "Namespaced"> {
    namespace(name: string): Resource<T, Sub, P, FieldManager, "Namespaced">;
    metadataOnly(): Collection<PartialObjectMetadata, "Namespaced">;
    asTable<O = PartialObjectMetadata>(options?: TableOptions): Collection<TableItem<O>, "Namespaced">;
}

interface ObjectMeta {
    name?: string | undefined;
    generateName?: string | undefined;
    namespace?: string | undefined;
    selfLink?: string | undefined;
    uid?: string | undefined;
    resourceVersion?: string | undefined;
    generation?: number | undefined;
    creationTimestamp?: string | null | undefined;
    deletionTimestamp?: string | null | undefined;
    deletionGracePeriodSeconds?: number | undefined;
    labels?: Record<string, string> | undefined;
    annotations?: Record<string, string> | undefined;
    ownerReferences?: OwnerReference[] | undefined;
    finalizers?: string[] | undefined;
    managedFields?: ManagedFieldsEntry[] | undefined;
}

type ObjectOf<K> = K extends Kind<infer T, Scope, object, PatchType> ? T : never;

interface ObjectTable<O = PartialObjectMetadata> extends Table<O> {
    metadata: ListMeta;
    columnDefinitions: TableColumnDefinition[];
    rows: TableItem<O>[];
    items: TableItem<O>[];
}

type ObjectType<T> = unknown extends T ? DynamicObject : T;

type OutputOf<S> = S extends StandardSchema<unknown, infer Output> ? Output : never;

interface OwnerReference {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    controller?: boolean | undefined;
    blockOwnerDeletion?: boolean | undefined;
}

interface PagesOptions extends ListOptions {
    readonly onExpired?: "fail" | "continue" | "restart" | undefined;
    readonly onRestart?: (() => void) | undefined;
    readonly onProgress?: ((progress: PagesProgress) => void) | undefined;
}

interface PagesProgress {
    readonly pages: number;
    readonly items: number;
    readonly remaining?: number | undefined;
    readonly restarts: number;
    readonly inconsistent: boolean;
}

interface PartialObjectMetadata extends KubernetesObject {
    metadata: ObjectMeta;
}

type Patch<T, P extends PatchType = PatchType> = PatchesByType<T>[P];

type PatchOptions = WriteOptions;

type PatchType = "json" | "merge" | "strategic";

interface PatchesByType<T> {
    readonly merge: {
        readonly type: "merge";
        readonly patch: MergePatch<T>;
    };
    readonly strategic: {
        readonly type: "strategic";
        readonly patch: StrategicMergePatch<T>;
    };
    readonly json: {
        readonly type: "json";
        readonly operations: readonly JsonPatchOperation[];
    };
}

interface Preconditions {
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
}

class ProtocolError extends KubestreamError {
    readonly name = "ProtocolError";
    readonly offset?: number | undefined;
    constructor(message: string, options?: ErrorOptions & {
        offset?: number | undefined;
    });
    static get className(): string;
}

type Quantity = string;

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

type RawObject = Record<string, unknown>;

interface RawRequest extends RequestOptions {
    readonly method?: string | undefined;
    readonly path: string;
    readonly query?: Query | undefined;
    readonly accept?: string | undefined;
    readonly body?: Uint8Array | string | object | undefined;
    readonly contentType?: string | undefined;
    readonly action?: string | undefined;
    readonly stream?: boolean | undefined;
    readonly repeatable?: boolean | undefined;
    readonly allow?: readonly number[] | undefined;
}

interface RawResponse extends ResponseInfo {
    readonly body: AsyncIterable<Uint8Array>;
    bytes(): Promise<Uint8Array>;
    text(): Promise<string>;
    json(): Promise<unknown>;
    close(): void;
}

interface RequestOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs?: number | undefined;
    readonly idleTimeoutMs?: number | undefined;
    readonly retry?: false | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly pretty?: boolean | undefined;
    readonly onWarning?: ((warning: Warning) => void) | undefined;
}

interface Resource<T, Sub extends object = object, P extends PatchType = PatchType, FieldManager extends string | undefined = string | undefined, S extends Scope = Scope> extends Collection<T, S> {
    readonly [subresources]?: Sub | undefined;
    get(name: string, options?: GetOptions): Promise<T>;
    getOptional(name: string, options?: GetOptions): Promise<T | undefined>;
    create(object: DeepReadonly<T>, options?: CreateOptions): Promise<T>;
    update(object: DeepReadonly<T>, options?: UpdateOptions): Promise<T>;
    update(name: string, change: UpdateFunction<T>, options?: UpdateFunctionOptions): Promise<T>;
    patch(name: string, patch: Patch<T, P>, options?: PatchOptions): Promise<T>;
    apply(configuration: ApplyConfiguration<T>, ...options: ApplyArguments<FieldManager>): Promise<T>;
    delete(name: string, options?: DeleteOptions): Promise<DeleteResult<T>>;
    deleteCollection(options?: DeleteCollectionOptions): Promise<List<T> | Status>;
    subresource<Name extends keyof Sub & string>(name: Name): SubresourceHandle<Sub[Name], SubresourceCreateResult<Sub, Name>, P, Name, FieldManager>;
    metadataOnly(): View<PartialObjectMetadata, PartialObjectMetadata, S>;
    asTable<O = PartialObjectMetadata>(options?: TableOptions): View<TableItem<O>, ObjectTable<O>, S>;
}

type ResourceOf<T, S extends Scope, Sub extends object = object, P extends PatchType = PatchType, FieldManager extends string | undefined = string | undefined> = [
    Scope
] extends [
    S
] ? DynamicResource<ObjectType<T>, unknown extends T ? Record<string, DynamicObject> : Sub, P, FieldManager> : [
    S
] extends [
    "Cluster"
] ? Resource<ObjectType<T>, Sub, P, FieldManager, "Cluster"> : NamespacedResource<ObjectType<T>, Sub, P, FieldManager>;

type ResourceVersionMatch = "Exact" | "NotOlderThan";

interface ResponseHeaders {
    get(name: string): string | null;
}

interface ResponseInfo {
    readonly status: number;
    readonly headers: ResponseHeaders;
    readonly warnings: readonly Warning[];
    readonly flowSchemaUid?: string | undefined;
    readonly priorityLevelUid?: string | undefined;
    readonly auditId?: string | undefined;
    readonly attempts: number;
}

interface RetryEvent {
    readonly action: string;
    readonly error: unknown;
    readonly failures: number;
    readonly delayMs: number;
}

interface RetryOnConflictOptions {
    readonly maxAttempts?: number | undefined;
    readonly initialMs?: number | undefined;
    readonly factor?: number | undefined;
    readonly capMs?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly clock?: Clock | undefined;
    readonly random?: (() => number) | undefined;
}

interface RetryOptions {
    readonly maxRetries?: number | undefined;
    readonly budgetMs?: number | undefined;
    readonly initialMs?: number | undefined;
    readonly factor?: number | undefined;
    readonly capMs?: number | undefined;
    readonly jitter?: number | undefined;
    readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

type SchemaObject<Names extends KindNames, T> = Omit<T, "apiVersion" | "kind" | "metadata"> & Pick<CustomObject<Names, never>, "apiVersion" | "kind" | "metadata">;

type Scope = "Namespaced" | "Cluster";

interface SelectorOptions {
    readonly labelSelector?: string | undefined;
    readonly fieldSelector?: string | undefined;
    readonly shardSelector?: string | undefined;
}

interface StandardIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}

type StandardResult<Output> = {
    readonly value: Output;
    readonly issues?: undefined;
} | {
    readonly issues: readonly StandardIssue[];
};

interface StandardSchema<Input = unknown, Output = Input> {
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
        readonly types?: {
            readonly input: Input;
            readonly output: Output;
        } | undefined;
    };
}

interface Status {
    kind?: string | undefined;
    apiVersion?: string | undefined;
    metadata?: {
        resourceVersion?: string | undefined;
        continue?: string | undefined;
        remainingItemCount?: number | undefined;
        selfLink?: string | undefined;
    } | undefined;
    status?: "Success" | "Failure" | (string & {}) | undefined;
    message?: string | undefined;
    reason?: string | undefined;
    details?: StatusDetails | undefined;
    code?: number | undefined;
}

type StatusApplyConfiguration<T> = ApplyIdentity<T> & Applied<Pick<T, keyof T & "status">>;

interface StatusCause {
    reason?: string | undefined;
    message?: string | undefined;
    field?: string | undefined;
}

interface StatusDetails {
    name?: string | undefined;
    group?: string | undefined;
    kind?: string | undefined;
    uid?: string | undefined;
    causes?: StatusCause[] | undefined;
    retryAfterSeconds?: number | undefined;
}

class StatusError extends KubestreamError {
    readonly name = "StatusError";
    readonly status: Status;
    readonly code: number;
    readonly reason: string;
    readonly details: StatusDetails | undefined;
    readonly retryAfterMs: number | undefined;
    readonly flowSchemaUid: string | undefined;
    readonly priorityLevelUid: string | undefined;
    constructor(status: Status, options?: StatusErrorOptions);
    static get className(): string;
}

interface StatusErrorOptions extends ErrorOptions {
    readonly action?: string | undefined;
    readonly retryAfterMs?: number | undefined;
    readonly flowSchemaUid?: string | undefined;
    readonly priorityLevelUid?: string | undefined;
}

interface StrategicDirectives<Keys = string> {
    readonly $patch?: "replace" | "delete" | "merge" | undefined;
    readonly $retainKeys?: readonly Keys[] | undefined;
}

type StrategicMergePatch<T> = T extends readonly (infer E)[] ? readonly StrategicMergePatch<E>[] : T extends object ? {
    readonly [K in keyof T]?: StrategicMergePatch<NonNullable<T[K]>> | null | undefined;
} & StrategicDirectives<keyof T> & ListDirectives<T> : T;

type SubresourceApplyConfiguration<T, Name> = Name extends "status" ? StatusApplyConfiguration<T> : ApplyConfiguration<T>;

type SubresourceCreateResult<Sub, Name extends keyof Sub> = Name extends "eviction" | "binding" ? Status : Sub[Name];

interface SubresourceHandle<T, Created = T, P extends PatchType = PatchType, Name = string, FieldManager extends string | undefined = string | undefined> {
    get(name: string, options?: GetOptions): Promise<T>;
    create(name: string, body: DeepReadonly<T>, options?: CreateOptions): Promise<Created>;
    update(object: DeepReadonly<T>, options?: UpdateOptions): Promise<T>;
    update(name: string, change: UpdateFunction<T>, options?: UpdateFunctionOptions): Promise<T>;
    patch(name: string, patch: Patch<T, P>, options?: PatchOptions): Promise<T>;
    apply(configuration: SubresourceApplyConfiguration<T, Name>, ...options: ApplyArguments<FieldManager>): Promise<T>;
}

interface Table<T = unknown> extends TypeMeta {
    metadata: ListMeta;
    columnDefinitions: TableColumnDefinition[] | null;
    rows: TableRow<T>[] | null;
}

interface TableColumnDefinition {
    name: string;
    type: string;
    format: string;
    description: string;
    priority: number;
}

interface TableItem<O = PartialObjectMetadata> extends TableRow<O> {
    readonly metadata: ObjectMeta;
    readonly columns: readonly TableColumnDefinition[];
}

interface TableOptions {
    readonly includeObject?: "Metadata" | "Object" | undefined;
}

interface TableRow<T = unknown> {
    cells: unknown[];
    conditions?: {
        type: string;
        status: string;
        reason?: string | undefined;
        message?: string | undefined;
    }[] | undefined;
    object: T | null;
}

type Time = string | null;

interface Timer {
    cancel(): void;
}

interface TimerOptions {
    readonly upkeep?: boolean | undefined;
}

interface Transport {
    send(request: TransportRequest): Promise<TransportResponse>;
    connect?(request: TransportRequest, protocols: readonly string[]): Promise<TransportSocket>;
    close(): Promise<void>;
}

class TransportError extends KubestreamError {
    readonly name = "TransportError";
    readonly code?: string | undefined;
    constructor(message: string, options?: ErrorOptions & {
        code?: string | undefined;
    });
    static get className(): string;
}

interface TransportRequest {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly multiHeaders?: Readonly<Record<string, readonly string[]>> | undefined;
    readonly body?: Uint8Array | undefined;
    readonly upgrade?: readonly string[] | undefined;
    readonly signal: AbortSignal;
}

interface TransportResponse {
    readonly status: number;
    readonly headers: ResponseHeaders;
    readonly body: AsyncIterable<Uint8Array>;
}

interface TransportSocket {
    readonly protocol: string;
    readonly messages: AsyncIterable<Uint8Array>;
    send(message: Uint8Array): Promise<void>;
    close(): Promise<void>;
}

interface TypeMeta {
    apiVersion?: string | undefined;
    kind?: string | undefined;
}

type UpdateFunction<T> = (object: T) => T | undefined | void | Promise<T | undefined | void>;

interface UpdateFunctionOptions extends UpdateOptions {
    readonly maxAttempts?: number | undefined;
}

type UpdateOptions = WriteOptions;

interface View<T, One = T, S extends Scope = Scope> extends Collection<T, S> {
    get(name: string, options?: GetOptions): Promise<One>;
    getOptional(name: string, options?: GetOptions): Promise<One | undefined>;
    delete(name: string, options?: DeleteOptions): Promise<DeleteResult<One>>;
    deleteCollection(options?: DeleteCollectionOptions): Promise<List<T> | Status>;
}

interface Warning {
    readonly code: number;
    readonly agent: string;
    readonly text: string;
}

interface Watch<T> extends AsyncIterableIterator<WatchEvent<T>>, SyncPull<WatchEvent<T>> {
    readonly opened?: Promise<void> | undefined;
    return(): Promise<IteratorResult<WatchEvent<T>>>;
}

type WatchEvent<T> = {
    readonly type: "ADDED" | "MODIFIED" | "DELETED";
    readonly object: T;
} | {
    readonly type: "BOOKMARK";
    readonly object: Bookmark;
};

interface WatchOptions extends RequestOptions, SelectorOptions {
    readonly resourceVersion?: string | undefined;
    readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
    readonly allowWatchBookmarks?: boolean | undefined;
    readonly sendInitialEvents?: boolean | undefined;
    readonly timeoutSeconds?: number | undefined;
    readonly timeoutMs?: number | undefined;
    readonly idleTimeoutMs?: number | undefined;
    readonly decode?: DecodeOptions | undefined;
}

interface WebSocketRequest extends Pick<RawRequest, "path" | "query" | "action" | "signal" | "headers"> {
    readonly protocols: readonly string[];
}

interface WriteOptions extends RequestOptions {
    readonly dryRun?: "All" | undefined;
    readonly fieldManager?: string | undefined;
    readonly fieldValidation?: FieldValidation | undefined;
}

function createClient(options: ClientOptions & {
    readonly fieldManager: string;
}): Client<string>;
function createClient(options: ClientOptions): Client;

function createListerWatcher<T, S extends Scope, Sub extends object, P extends PatchType>(kind: Kind<T, S, Sub, P>, options: ListerWatcherOptions): ListerWatcher<ObjectType<T>>;

function dedupeWarnings(handler: (warning: Warning) => void): (warning: Warning) => void;

function defineKind<Spec, Status = undefined>(): <const Names extends KindNames>(names: Names) => CustomKind<Names, CustomObject<Names, Spec, Status>, [
    Status
] extends [
    undefined
] ? false : true>;
function defineKind<const Names extends KindNames & {
    readonly schema: StandardSchema<unknown, object>;
}>(names: Names): CustomKind<Names, SchemaObject<Names, InputOf<Names["schema"]>>, "status" extends keyof InputOf<Names["schema"]> ? true : false> & {
    readonly schema: Names["schema"];
};

function defineKindFromCrd<const C extends CrdManifest, const V extends C["spec"]["versions"][number]["name"]>(crd: C, version: V): CustomKind<CrdNames<C, V>, CrdObject<C, V>, CrdVersionOf<C, V> extends {
    readonly subresources: {
        readonly status: object;
    };
} ? true : false>;

function fetchTransport(options: FetchTransportOptions): Transport;

function getApiVersion(kind: Pick<Kind, "group" | "version">): string;

function getCell(row: {
    readonly cells: readonly unknown[];
    readonly columns: readonly {
        readonly name: string;
    }[];
}, heading: string): unknown;

function getResponseInfo(result: object): ResponseInfo | undefined;

function handlerTransport(handle: (request: Request) => Promise<Response>, options?: HandlerTransportOptions): Transport;

const isAlreadyExists: (error: unknown) => error is StatusError;

const isBadRequest: (error: unknown) => error is StatusError;

const isConflict: (error: unknown) => error is StatusError;

const isForbidden: (error: unknown) => error is StatusError;

const isGone: (error: unknown) => error is StatusError;

const isInternalError: (error: unknown) => error is StatusError;

const isInvalid: (error: unknown) => error is StatusError;

const isMethodNotSupported: (error: unknown) => error is StatusError;

const isNamespaceTerminating: (error: unknown) => error is StatusError;

const isNotAcceptable: (error: unknown) => error is StatusError;

const isNotFound: (error: unknown) => error is StatusError;

const isRequestEntityTooLarge: (error: unknown) => error is StatusError;

const isResourceExpired: (error: unknown) => error is StatusError;

const isServerTimeout: (error: unknown) => error is StatusError;

const isServiceUnavailable: (error: unknown) => error is StatusError;

function isStatus(answer: object): answer is Status;

const isTimeout: (error: unknown) => error is StatusError;

function isTooLargeResourceVersion(error: unknown): error is StatusError;

const isTooManyRequests: (error: unknown) => error is StatusError;

const isUnauthorized: (error: unknown) => error is StatusError;

const isUnsupportedMediaType: (error: unknown) => error is StatusError;

function logWarnings(): (warning: Warning) => void;

function parseWarnings(header: string): Warning[];

function retryOnConflict<R>(attempt: () => Promise<R>, options?: RetryOnConflictOptions): Promise<R>;

const systemClock: Clock;

function withDryRun<FieldManager extends string | undefined>(client: Client<FieldManager>): Client<FieldManager>;

function withFieldManager(client: Client, fieldManager: string): Client<string>;

function withFieldValidation<FieldManager extends string | undefined>(client: Client<FieldManager>, fieldValidation: FieldValidation): Client<FieldManager>;

function withImpersonation<FieldManager extends string | undefined>(client: Client<FieldManager>, as: Impersonation): Client<FieldManager>;

// Not exported, but part of the above.

type KnownObject<T> = unknown extends T ? Record<string, unknown> : T;

type ListKeys<T> = {
    [K in keyof T & string]: NonNullable<T[K]> extends readonly unknown[] ? K : never;
}[keyof T & string];

type PlainValue<S> = S extends {
    readonly "x-kubernetes-int-or-string": true;
} ? number | string : S extends {
    readonly enum: readonly (infer E)[];
} ? E : S extends {
    readonly type: "string";
} ? string : S extends {
    readonly type: "integer" | "number";
} ? number : S extends {
    readonly type: "boolean";
} ? boolean : S extends {
    readonly items: infer I;
} ? ValueOfSchema<I>[] : S extends {
    readonly properties: infer P;
} ? Simplify<Properties<P, RequiredOf<S>> & Rest<S>> : S extends {
    readonly additionalProperties: infer A;
} ? Record<string, A extends boolean ? unknown : ValueOfSchema<A>> : S extends {
    readonly type: "object";
} ? Record<string, unknown> : unknown;

type PrimitiveListKeys<T> = {
    [K in keyof T & string]: NonNullable<T[K]> extends readonly (string | number)[] ? K : never;
}[keyof T & string];

type Properties<P, R> = {
    -readonly [K in keyof P as K extends R ? K : never]: ValueOfSchema<P[K]>;
} & {
    -readonly [K in keyof P as K extends R ? never : K]?: ValueOfSchema<P[K]> | undefined;
};

type RequiredOf<S> = S extends {
    readonly required: readonly (infer R)[];
} ? R : never;

type Rest<S> = S extends {
    readonly "x-kubernetes-preserve-unknown-fields": true;
} ? Record<string, unknown> : unknown;

type SchemaOf<Version> = Version extends {
    readonly schema: {
        readonly openAPIV3Schema: infer S;
    };
} ? S : unknown;

type Simplify<T> = {
    [K in keyof T]: T[K];
};

interface SyncPull<T> {
    take?(): T | undefined;
}

type TypeOf<T, K extends "apiVersion" | "kind"> = T extends {
    [P in K]?: infer V;
} ? NonNullable<V> & string : string;

type ValueOfSchema<S> = S extends {
    readonly nullable: true;
} ? PlainValue<S> | null : PlainValue<S>;

const shape: unique symbol;

const subresources: unique symbol;
