type ApiObject = KubernetesObject & Record<string, unknown>;

interface ApiServer {
    handle(request: Request): Promise<Response>;
    serve(request: ServerRequest): Promise<ServerResponse>;
    compact(revision?: number): void;
    advertise(address: string, port: number): Promise<void>;
    settled(): Promise<void>;
    load(manifests: Manifests): Promise<number>;
    dump(options?: DumpOptions): ApiObject[];
    dumpYaml(options?: DumpOptions): string;
    readonly faults: FaultPlan;
    snapshot(): Snapshot;
    restore(snapshot: Snapshot): void;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

class ApiServerLoopError extends KubestreamError {
    readonly name = "ApiServerLoopError";
    readonly loop: string;
    readonly key: string;
    readonly retryAfterMs: number;
    constructor(loop: string, key: string, retryAfterMs: number, cause: unknown);
    static get className(): string;
}

interface ApiServerOptions {
    readonly clock?: Clock;
    readonly tokens?: ReadonlyMap<string, UserInfo>;
    readonly authorizationMode?: "AlwaysAllow" | "RBAC";
    readonly retention?: RetentionOptions;
    readonly loops?: LoopOptions | false;
    readonly rootCa?: string;
    readonly webhooks?: WebhookCaller;
    readonly faultSeed?: number;
    readonly admission?: readonly AdmissionPlugin[];
    readonly audit?: AuditOptions;
    readonly corsAllowedOrigins?: readonly string[];
    readonly onError?: (error: unknown) => void;
}

interface AuditEvent {
    readonly kind: "Event";
    readonly apiVersion: "audit.k8s.io/v1";
    readonly level: AuditLevel;
    readonly auditID: string;
    readonly stage: AuditStage;
    readonly requestURI: string;
    readonly verb: string;
    readonly user: AuditUser;
    readonly impersonatedUser?: AuditUser;
    readonly authenticationMetadata?: {
        readonly impersonationConstraint: string;
    };
    readonly sourceIPs?: readonly string[];
    readonly userAgent?: string;
    readonly objectRef?: AuditObjectReference;
    readonly responseStatus?: AuditResponseStatus;
    readonly requestObject?: unknown;
    readonly responseObject?: unknown;
    readonly requestReceivedTimestamp: string;
    readonly stageTimestamp: string;
    readonly annotations?: Readonly<Record<string, string>>;
}

interface AuditGroupResources {
    readonly group?: string;
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
}

type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

interface AuditObjectReference {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly apiGroup?: string;
    readonly apiVersion?: string;
    readonly resourceVersion?: string;
    readonly subresource?: string;
}

interface AuditOptions {
    readonly policy: AuditPolicy;
    readonly sink: AuditSink;
}

interface AuditPolicy {
    readonly rules: readonly AuditPolicyRule[];
    readonly omitStages?: readonly AuditStage[];
    readonly omitManagedFields?: boolean;
}

interface AuditPolicyRule {
    readonly level: AuditLevel;
    readonly users?: readonly string[];
    readonly userGroups?: readonly string[];
    readonly verbs?: readonly string[];
    readonly resources?: readonly AuditGroupResources[];
    readonly namespaces?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
    readonly omitStages?: readonly AuditStage[];
    readonly omitManagedFields?: boolean;
}

interface AuditResponseStatus {
    readonly metadata: object;
    readonly status?: Status["status"];
    readonly message?: string;
    readonly reason?: string;
    readonly details?: StatusDetails;
    readonly code?: number;
}

type AuditSink = (event: AuditEvent) => void;

type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

interface AuditUser {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
}

type BodyStream = AsyncIterator<Uint8Array, undefined> & {
    return(): Promise<IteratorResult<Uint8Array, undefined>>;
};

interface DumpOptions {
    readonly namespace?: string;
    readonly kinds?: readonly string[];
}

interface Fault {
    readonly match?: FaultMatch;
    readonly effect: FaultEffect;
    readonly after?: number;
    readonly times?: number;
    readonly probability?: number;
}

type FaultEffect = {
    readonly type: "delay";
    readonly ms: number;
} | {
    readonly type: "status";
    readonly code: number;
    readonly reason?: string;
    readonly message?: string;
    readonly retryAfterSeconds?: number;
} | {
    readonly type: "html";
    readonly code: number;
} | {
    readonly type: "reset";
    readonly afterBytes?: number;
} | {
    readonly type: "truncate";
    readonly afterBytes: number;
} | {
    readonly type: "slow";
    readonly pieceBytes: number;
    readonly everyMs: number;
} | {
    readonly type: "stale";
    readonly revisions: number;
} | {
    readonly type: "dropBookmarks";
};

interface FaultMatch {
    readonly verb?: string | readonly string[];
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly path?: RegExp;
}

interface FaultPlan {
    add(fault: Fault): () => void;
    clear(): void;
    readonly hits: Readonly<Record<string, number>>;
}

interface LoopOptions {
    readonly namespaceLifecycle?: boolean;
    readonly garbageCollection?: boolean;
    readonly defaultServiceAccount?: boolean;
    readonly rootCaConfigMap?: boolean;
}

type Manifests = string | readonly object[];

interface RetentionOptions {
    readonly historyMs?: number;
    readonly historySize?: number;
    readonly windowEvents?: number;
    readonly windowSize?: number;
}

interface ServerRequest {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    header(name: string): string | undefined;
    headerValues(name: string): readonly string[];
    headerNames(): readonly string[];
    readBody(limit: number): Promise<Uint8Array | undefined>;
    readonly signal: AbortSignal;
    readonly remoteAddress?: string | undefined;
    readonly upgradable?: boolean;
    gzip?(bytes: Uint8Array): Promise<Uint8Array>;
}

interface ServerResponse {
    readonly status: number;
    readonly headers: [
        string,
        string
    ][];
    body: Uint8Array | BodyStream | undefined;
    readonly dropped?: boolean;
    readonly takeover?: Uint8Array;
}

interface Snapshot {
    readonly revision: number;
    readonly buckets: ReadonlyMap<string, readonly Version[]>;
}

interface UserInfo {
    readonly name: string;
    readonly uid: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
}

interface Version {
    readonly revision: number;
    readonly key: string;
    readonly json: string | undefined;
    readonly storedAs: string | undefined;
    memo?: object;
}

interface WebhookCall {
    readonly url: string;
    readonly caBundle: string | undefined;
    readonly body: object;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
}

type WebhookCaller = (call: WebhookCall) => Promise<unknown>;

function createApiServer(options?: ApiServerOptions): ApiServer;

function parseAuditPolicy(text: string, name: string): AuditPolicy;

// Not exported, but part of the above.

interface AccountClaims {
    readonly namespace: string;
    readonly node?: TokenReference;
    readonly pod?: TokenReference;
    readonly secret?: TokenReference;
    readonly serviceaccount: TokenReference;
    readonly warnafter?: number;
}

interface AdmissionAttributes {
    readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
    readonly resource: ServedResource;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
    readonly object: ApiObject | undefined;
    readonly old: ApiObject | undefined;
    readonly dryRun: boolean;
    readonly options?: Readonly<Record<string, unknown>>;
}

interface AdmissionPlugin {
    readonly name: string;
    admit?(attributes: AdmissionAttributes, context: RequestContext): void | Promise<void>;
    validate?(attributes: AdmissionAttributes, context: RequestContext): void | Promise<void>;
}

interface AuditTrail {
    annotate(key: string, value: string, least?: "Request"): void;
    impersonated(user: UserInfo, constraint: string): void;
    requestObject(object: object): void;
    requestPatch(bytes: Uint8Array): void;
    response(status: Status | undefined, code: number, body: unknown): void;
    stage(stage: AuditStage): void;
    readonly wantsResponse: boolean;
}

interface AuthorizationAttributes extends Pick<RequestInfo, "verb" | "isResource" | "group" | "version" | "namespace" | "resource" | "subresource" | "name" | "path"> {
    readonly user: UserInfo;
}

interface Authorizer {
    authorize(attributes: AuthorizationAttributes): Decision;
    rulesFor(user: UserInfo, namespace: string): {
        readonly rules: readonly PolicyRule[];
        readonly missing: readonly RoleRef[];
    };
    rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

class Bucket {
    readonly name: string;
    lastRevision: number;
    windowStart: number;
    readonly heads: SortedMap<Stored>;
    live: number;
    log: LogEntry[];
    logStart: number;
    readonly listeners: Set<Listener>;
    readonly watchers: Set<() => void>;
    constructor(name: string, windowStart: number);
    get(key: string): Version | undefined;
    scan(from: string, to: string | undefined, revision: number, visit: (version: Version) => boolean | undefined): void;
    count(from: string, to: string | undefined, revision: number): number;
    since(revision: number): LogEntry[] | undefined;
}

interface CelRule {
    rule: string;
    message?: string;
    messageExpression?: string;
    reason?: string;
    fieldPath?: string;
    optionalOldSelf?: boolean;
}

type CheckedToken = {
    readonly user: UserInfo;
    readonly audiences: readonly string[];
} | {
    readonly problem: string;
};

interface Core {
    readonly clock: Clock;
    readonly store: MvccStore;
    readonly protobuf: ProtobufCache;
    readonly resources: ResourceTable;
    uuid(): string;
    suffix(): string;
    readonly authorizer: Authorizer;
    readonly tokens: readonly TokenAuthenticator[];
    readonly serviceAccounts: ServiceAccountTokens;
    readonly flowControl: FlowControl;
    readonly controllersRun: boolean;
    readonly flags: Readonly<Record<string, string>>;
    readonly healthCounts: HealthCounts;
    readonly callWebhook: WebhookCaller;
    readonly admission: AdmissionPlugin[];
    fieldManagement?: FieldManagement | undefined;
    readonly reportError: (error: unknown) => void;
    readonly closed: AbortSignal;
}

interface CustomResource {
    readonly schema: Schema | undefined;
    readonly scale?: {
        readonly specReplicasPath: string;
        readonly statusReplicasPath: string;
        readonly labelSelectorPath?: string;
    };
    readonly terminating?: () => boolean;
    readonly storageVersion: string;
}

interface Decision {
    readonly allowed: boolean;
    readonly reason: string;
}

interface FieldError {
    readonly type: "FieldValueRequired" | "FieldValueInvalid" | "FieldValueNotSupported" | "FieldValueForbidden" | "FieldValueTooLong" | "FieldValueTooMany" | "FieldValueDuplicate" | "FieldValueTypeInvalid" | "FieldValueNotFound" | "InternalError";
    readonly field: string;
    readonly value?: unknown;
    readonly detail: string;
}

interface FieldManagement {
    update(write: {
        resource: ServedResource;
        live: ApiObject | undefined;
        object: ApiObject;
        manager: string;
        subresource: string;
        nowMs: number;
    }): Promise<void>;
    merge(write: {
        resource: ServedResource;
        live: ApiObject;
        config: ApiObject;
    }): ApiObject;
    apply(write: {
        resource: ServedResource;
        live: ApiObject | undefined;
        config: ApiObject;
        manager: string;
        force: boolean;
        subresource: string;
        nowMs: number;
    }): Promise<ApiObject>;
}

interface FlowControl {
    enter(user: UserInfo, info: RequestInfo, timeoutMs: number, signal: AbortSignal): Promise<Seat>;
    dump(name: string, details: boolean): string | undefined;
    levels(): readonly PriorityLevel[];
}

interface GroupVersionKind {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
}

interface HealthCount {
    readonly name: string;
    readonly type: string;
    readonly successes: number;
}

interface HealthCounts {
    readonly startedMs: number;
    count(name: string, type: string): void;
    all(): readonly HealthCount[];
}

interface KindKnowledge {
    strategyOf(group: string, version: string, resource: string): Strategy;
    conversionOf?(group: string, version: string, resource: string): Pick<ServedResource, "fromStorage" | "toStorage"> | undefined;
}

type Listener = (entry: LogEntry) => void;

interface LogEntry {
    readonly version: Version;
    readonly old: Version | undefined;
}

class MvccStore {
    private current;
    private compacted;
    private readonly buckets;
    private history;
    private historyStart;
    private historyChars;
    private window;
    private windowHead;
    private windowChars;
    private readonly clock;
    private readonly limits;
    private readonly revisionListeners;
    private readonly commitListeners;
    constructor(clock: Clock, options?: RetentionOptions);
    get revision(): number;
    get compactedRevision(): number;
    bucket(name: string): Bucket;
    bucketFromStart(name: string): Bucket;
    dropBucket(name: string): void;
    bucketNames(): string[];
    commit(bucket: Bucket, key: string, encode: (revision: number) => string | undefined, storedAs?: string): Version;
    onCommit(listener: (bucket: Bucket, entry: LogEntry) => void): () => void;
    onRevision(listener: (revision: number) => void): () => void;
    compact(revision: number): void;
    snapshot(): Snapshot;
    restore(snapshot: Snapshot): void;
    private trim;
    private forgetOldest;
    private dropOldestEvent;
    private shiftLog;
}

interface ObjectConverter {
    prepare(versions: readonly Version[], fresh?: boolean): Promise<void>;
    text(version: Version): string | undefined;
    toStored(object: ApiObject): Promise<ApiObject>;
    fromStored(object: ApiObject): Promise<ApiObject>;
    convert(object: ApiObject, apiVersion: string): Promise<ApiObject>;
}

interface PolicyRule {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
}

interface Printer {
    readonly columns: readonly TableColumnDefinition[];
    cells(object: ApiObject, nowMs: number): unknown[];
    conditions?(object: ApiObject): {
        type: string;
        status: string;
        reason?: string;
        message?: string;
    }[] | undefined;
}

interface PriorityLevel {
    readonly name: string;
    uid: string;
    readonly exempt: () => boolean;
    readonly executing: () => number;
    readonly seats: () => number;
    readonly queues: () => readonly RequestQueue[];
    readonly counters: PriorityLevelCounters;
    configure(object: ApiObject, seats: number): void;
    enter(request: SeatRequest, waitMs: number, signal: AbortSignal): Promise<(() => void) | undefined>;
}

interface PriorityLevelCounters {
    dispatched: number;
    rejected: number;
    timedOut: number;
    cancelled: number;
}

interface ProtobufCache {
    of(resource: ServedResource, version: Version): Uint8Array;
    warm(resource: ServedResource, version: Version): void;
    expect(resource: ServedResource, revision: number, object: ApiObject): void;
    forget(version: Version): void;
    clear(): void;
}

interface PublicKey {
    readonly use: "sig";
    readonly kty: string;
    readonly kid: string;
    readonly alg: "RS256";
    readonly n: string;
    readonly e: string;
}

interface RequestContext {
    readonly core: Core;
    readonly request: ServerRequest;
    readonly info: RequestInfo;
    readonly query: URLSearchParams;
    user: UserInfo;
    subprotocols?: readonly string[];
    signal: AbortSignal;
    readonly warnings: string[];
    audit?: AuditTrail;
    dispatched?: boolean;
    readonly headers: [
        string,
        string
    ][];
    readonly nowMs: number;
    warn(text: string): void;
}

interface RequestInfo {
    readonly isResource: boolean;
    readonly path: string;
    readonly verb: string;
    readonly group: string;
    readonly version: string;
    readonly namespace: string;
    readonly resource: string;
    readonly subresource: string;
    readonly name: string;
    readonly pathName: string;
    readonly parts: readonly string[];
    readonly namespaced: boolean;
    readonly malformed?: boolean;
    readonly deprecatedWatch: boolean;
}

interface RequestQueue {
    readonly waiting: WaitingRequest[];
    executing: number;
}

class ResourceTable {
    private readonly resources;
    private readonly groupVersionsByName;
    private groupList;
    private customGroups;
    private readonly customKeys;
    generation: number;
    constructor(knowledge: KindKnowledge);
    find(group: string, version: string, resource: string): ServedResource | undefined;
    inGroupVersion(group: string, version: string): readonly ServedResource[] | undefined;
    groups(): readonly ServedGroup[];
    group(name: string): ServedGroup | undefined;
    isBuiltin(name: string): boolean;
    all(): Iterable<ServedResource>;
    storages(): ServedResource[];
    setCustom(resources: readonly ServedResource[]): void;
}

interface RoleRef {
    readonly apiGroup?: string;
    readonly kind: string;
    readonly name: string;
}

interface Schema {
    $ref?: string;
    type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
    format?: string;
    title?: string;
    description?: string;
    nullable?: boolean;
    default?: unknown;
    enum?: unknown[];
    properties?: Record<string, Schema>;
    additionalProperties?: Schema | boolean;
    required?: string[];
    minProperties?: number;
    maxProperties?: number;
    items?: Schema;
    minItems?: number;
    maxItems?: number;
    uniqueItems?: boolean;
    minLength?: number;
    maxLength?: number;
    pattern?: string;
    minimum?: number;
    maximum?: number;
    exclusiveMinimum?: boolean;
    exclusiveMaximum?: boolean;
    multipleOf?: number;
    allOf?: Schema[];
    anyOf?: Schema[];
    oneOf?: Schema[];
    not?: Schema;
    example?: unknown;
    externalDocs?: {
        url?: string;
        description?: string;
    };
    "x-kubernetes-list-type"?: "atomic" | "set" | "map";
    "x-kubernetes-list-map-keys"?: string[];
    "x-kubernetes-map-type"?: "atomic" | "granular";
    "x-kubernetes-patch-strategy"?: string;
    "x-kubernetes-patch-merge-key"?: string;
    "x-kubernetes-preserve-unknown-fields"?: boolean;
    "x-kubernetes-embedded-resource"?: boolean;
    "x-kubernetes-int-or-string"?: boolean;
    "x-kubernetes-unions"?: unknown[];
    "x-kubernetes-validations"?: CelRule[];
    "x-kubernetes-group-version-kind"?: {
        group: string;
        version: string;
        kind: string;
    }[];
}

interface Seat {
    readonly headers: [
        string,
        string
    ][];
    release(): void;
}

interface SeatRequest {
    readonly schema: string;
    readonly distinguisher: string;
    readonly user: UserInfo;
    readonly info: RequestInfo;
}

interface ServedGroup {
    readonly group: string;
    readonly versions: string[];
}

interface ServedResource {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly singular: string;
    readonly kind: string;
    readonly listKind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
    readonly shortNames: readonly string[];
    readonly categories: readonly string[];
    readonly patchTypes: readonly string[];
    readonly subresources: ReadonlyMap<string, ServedSubresource>;
    readonly definition?: string;
    readonly strategy: Strategy;
    readonly bucket: string;
    readonly uncached: boolean;
    readonly custom?: CustomResource;
    readonly deprecation?: string;
    fromStorage?(object: ApiObject, storedAs?: string): void;
    toStorage?(object: ApiObject): void;
    readonly converter?: ObjectConverter;
}

interface ServedSubresource {
    readonly name: string;
    readonly kind: GroupVersionKind;
    readonly verbs: readonly string[];
    readonly patchTypes: readonly string[];
}

interface ServiceAccountTokens {
    readonly issuer: string;
    publicKey(): Promise<PublicKey>;
    issue(contents: TokenContents): Promise<string>;
    check(token: string, audiences?: readonly string[]): Promise<CheckedToken | undefined>;
    find(token: string): Promise<UserInfo | undefined>;
}

class SortedMap<V> {
    private blocks;
    private count;
    get size(): number;
    get(key: string): V | undefined;
    set(key: string, value: V): void;
    delete(key: string): boolean;
    load(keys: readonly string[], values: readonly V[]): void;
    clear(): void;
    scan(from: string, to: string | undefined, visit: (value: V, key: string) => boolean | undefined): void;
    countRange(from: string, to: string | undefined): number;
    private rank;
    private blockOf;
}

interface Stored extends Version {
    previous: Stored | undefined;
}

interface Strategy {
    defaults?(object: ApiObject, nowMs: number): void;
    fillStored?(object: ApiObject): void;
    prepareForCreate?(object: ApiObject, context: StrategyContext): void;
    prepareForUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): void;
    validate?(object: ApiObject, context: StrategyContext): FieldError[];
    validateUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): FieldError[];
    prepareForStatusUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): void;
    validateStatusUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): FieldError[];
    warnings?(object: ApiObject, old: ApiObject | undefined): string[];
    readonly allowCreateOnUpdate?: boolean;
    readonly allowUnconditionalUpdate?: boolean;
    readonly generations?: boolean | "late" | "fixed";
    readonly countedEmpties?: boolean;
    readonly countedAsGiven?: boolean;
    readonly countedMetadata?: "annotations" | "labels";
    selectableFields?(object: ApiObject): Record<string, string>;
    readonly printer?: Printer;
    gracePeriodSeconds?(object: ApiObject, asked: number | undefined): number;
    beginDelete?(object: ApiObject, nowMs: number, propagation: "Orphan" | "Background" | "Foreground" | undefined): "proceed" | "store" | "unchanged";
    finalized?(object: ApiObject): boolean;
    readonly garbageCollected?: boolean;
    readonly deletedAlong?: string;
    readonly subresources?: Readonly<Record<string, SubresourceStrategy>>;
    readonly metadataChecksOnUpdate?: 0 | 1 | 2;
    readonly orphansByDefault?: boolean;
}

interface StrategyContext {
    readonly nowMs: number;
    readonly user?: UserInfo;
    readonly verb?: string;
    denied?(asked: {
        readonly verb: string;
        readonly subresource: string;
        readonly namespace?: string;
        readonly name: string;
    }): string | undefined;
    readonly subresource?: string;
    allocate?(service: ApiObject, old: ApiObject | undefined): void;
    uuid?(): string;
    namespaceLabels?(name: string): Readonly<Record<string, string>> | undefined;
    warn(text: string): void;
}

interface SubresourceStrategy {
    prepare?(object: ApiObject, old: ApiObject, nowMs: number): void;
    readonly raisesGeneration?: boolean;
    validate?(object: ApiObject, old: ApiObject): FieldError[];
}

type TokenAuthenticator = (token: string) => UserInfo | undefined | Promise<UserInfo | undefined>;

interface TokenContents {
    readonly id: string;
    readonly audiences: readonly string[];
    readonly issued: number;
    readonly expires: number;
    readonly account: AccountClaims;
}

interface TokenReference {
    readonly name: string;
    readonly uid?: string;
}

interface WaitingRequest extends SeatRequest {
    readonly arrivedMs: number;
    readonly dispatch: () => void;
}
