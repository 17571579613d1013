type ApiObject = KubernetesObject & Record<string, unknown>;

interface ApiServer {
    handle(request: Request): Promise<Response>;
    serve(request: ServerRequest): Promise<ServerResponse>;
    compact(revision?: number): void;
    advertise(address: string, port: number): Promise<void>;
    allowsOrigin(origin: string): boolean;
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

class ApiServerControllerError extends KubestreamError {
    readonly name = "ApiServerControllerError";
    readonly controller: string;
    readonly key: string;
    readonly retryAfterMs: number;
    constructor(controller: string, key: string, retryAfterMs: number, cause: unknown);
    static get className(): string;
}

interface ApiServerOptions {
    readonly clock?: Clock;
    readonly tokens?: ReadonlyMap<string, UserInfo>;
    readonly anonymousAuth?: boolean | readonly string[];
    readonly authorizationMode?: "AlwaysAllow" | "RBAC";
    readonly retention?: RetentionOptions;
    readonly controllers?: ControllerToggles | false;
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

interface ControllerToggles {
    readonly namespaceLifecycle?: boolean;
    readonly garbageCollection?: boolean;
    readonly defaultServiceAccount?: boolean;
    readonly rootCaConfigMap?: boolean;
}

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

type FrameWriter = (opcode: number, payload: Uint8Array) => Uint8Array;

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
    loadFrames?(): Promise<FrameWriter>;
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

interface AdmissionPlugin {
    readonly name: string;
    admit?(attributes: AdmissionAttributes, context: RegistryContext): void | Promise<void>;
    validate?(attributes: AdmissionAttributes, context: RegistryContext): void | Promise<void>;
}
