interface AbacPolicy {
    readonly user?: string | undefined;
    readonly group?: string | undefined;
    readonly apiGroup?: string | undefined;
    readonly namespace?: string | undefined;
    readonly resource?: string | undefined;
    readonly nonResourcePath?: string | undefined;
    readonly readonly?: boolean | undefined;
}

interface AdmissionPluginOptions {
    readonly enableAdmissionPlugins?: readonly string[] | undefined;
    readonly disableAdmissionPlugins?: readonly string[] | undefined;
}

type ApiCaller = (request: Request, connection: ApiConnection) => Promise<Response>;

interface ApiConnection {
    readonly connectTo?: string | undefined;
    readonly caBundle?: string | undefined;
    readonly insecureSkipTLSVerify: boolean;
    readonly userHeaders?: readonly (readonly [
        name: string,
        value: string
    ])[] | undefined;
}

type ApiObject = KubernetesObject & Record<string, unknown>;

interface ApiServer {
    ready(): Promise<void>;
    handle(request: Request, client?: ClientIdentity): Promise<Response>;
    serve(request: ServerRequest): Promise<ServerResponse>;
    compact(revision?: number): void;
    advertise(address: string, port: number): Promise<void>;
    readonly clientAuthorities: Readonly<Partial<Record<"clientCa" | "requestHeader", string>>>;
    allowsOrigin(origin: string): boolean;
    settled(): Promise<void>;
    load(manifests: Manifests): Promise<number>;
    dump(options?: DumpOptions): ApiObject[];
    dumpYaml(options?: DumpOptions): string;
    whenStored(kinds: readonly Pick<Kind, "group" | "plural">[], callback: () => void): () => void;
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

interface ApiServerOptions extends AuthenticationOptions, AuthorizationOptions, AdmissionPluginOptions, FeatureOptions {
    readonly clock?: Clock | undefined;
    readonly random?: (() => number) | undefined;
    readonly enablePriorityAndFairness?: boolean | undefined;
    readonly maxRequestsInflight?: number | undefined;
    readonly maxMutatingRequestsInflight?: number | undefined;
    readonly requestTimeoutMs?: number | undefined;
    readonly flowControl?: FlowControlSettings | undefined;
    readonly kubelets?: KubeletConnection | undefined;
    readonly retention?: RetentionOptions | undefined;
    readonly controllers?: ControllerToggles | false | undefined;
    readonly rootCa?: string | undefined;
    readonly webhooks?: WebhookCaller | undefined;
    readonly resolveService?: ServiceResolver | undefined;
    readonly callApi?: ApiCaller | undefined;
    readonly faultSeed?: number | undefined;
    readonly admission?: readonly AdmissionPlugin[] | undefined;
    readonly audit?: AuditOptions | undefined;
    readonly corsAllowedOrigins?: readonly string[] | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
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
    readonly impersonatedUser?: AuditUser | undefined;
    readonly authenticationMetadata?: {
        readonly impersonationConstraint: string;
    } | undefined;
    readonly sourceIPs?: readonly string[] | undefined;
    readonly userAgent?: string | undefined;
    readonly objectRef?: AuditObjectReference | undefined;
    readonly responseStatus?: AuditResponseStatus | undefined;
    readonly requestObject?: unknown;
    readonly responseObject?: unknown;
    readonly requestReceivedTimestamp: string;
    readonly stageTimestamp: string;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
}

interface AuditGroupResources {
    readonly group?: string | undefined;
    readonly resources?: readonly string[] | undefined;
    readonly resourceNames?: readonly string[] | undefined;
}

type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

interface AuditObjectReference {
    readonly resource?: string | undefined;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly uid?: string | undefined;
    readonly apiGroup?: string | undefined;
    readonly apiVersion?: string | undefined;
    readonly resourceVersion?: string | undefined;
    readonly subresource?: string | undefined;
}

interface AuditOptions {
    readonly policy: AuditPolicy;
    readonly sink: AuditSink;
}

interface AuditPolicy {
    readonly rules: readonly AuditPolicyRule[];
    readonly omitStages?: readonly AuditStage[] | undefined;
    readonly omitManagedFields?: boolean | undefined;
}

interface AuditPolicyRule {
    readonly level: AuditLevel;
    readonly users?: readonly string[] | undefined;
    readonly userGroups?: readonly string[] | undefined;
    readonly verbs?: readonly string[] | undefined;
    readonly resources?: readonly AuditGroupResources[] | undefined;
    readonly namespaces?: readonly string[] | undefined;
    readonly nonResourceURLs?: readonly string[] | undefined;
    readonly omitStages?: readonly AuditStage[] | undefined;
    readonly omitManagedFields?: boolean | undefined;
}

interface AuditResponseStatus {
    readonly metadata: object;
    readonly status?: Status["status"] | undefined;
    readonly message?: string | undefined;
    readonly reason?: string | undefined;
    readonly details?: StatusDetails | undefined;
    readonly code?: number | undefined;
}

type AuditSink = (event: AuditEvent) => void;

type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

interface AuditUser {
    readonly username?: string | undefined;
    readonly uid?: string | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

interface AuthenticationConfiguration {
    readonly apiVersion?: string | undefined;
    readonly kind?: string | undefined;
    readonly jwt?: readonly JwtAuthenticator[] | undefined;
    readonly anonymous?: {
        readonly enabled: boolean;
        readonly conditions?: readonly {
            readonly path: string;
        }[] | undefined;
    } | undefined;
}

interface AuthenticationOptions {
    readonly tokens?: ReadonlyMap<string, UserInfo> | undefined;
    readonly anonymousAuth?: boolean | readonly string[] | undefined;
    readonly clientCa?: string | undefined;
    readonly requestHeader?: RequestHeaderOptions | undefined;
    readonly bootstrapTokens?: boolean | undefined;
    readonly authenticationConfiguration?: AuthenticationConfiguration | string | undefined;
    readonly issuerFetch?: IssuerFetch | undefined;
    readonly tokenWebhook?: TokenWebhook | undefined;
    readonly authenticators?: readonly AuthenticatorFunction[] | undefined;
}

type AuthenticatorFunction = (request: ServerRequest) => UserInfo | undefined | Promise<UserInfo | undefined>;

interface AuthorizationAttributes {
    readonly user: UserInfo;
    readonly verb: string;
    readonly isResource: boolean;
    readonly group: string;
    readonly version: string;
    readonly namespace: string;
    readonly resource: string;
    readonly subresource: string;
    readonly name: string;
    readonly path: string;
    readonly labelSelector?: readonly SelectorRequirement[] | undefined;
    readonly fieldSelector?: readonly SelectorRequirement[] | undefined;
}

interface AuthorizationConfiguration {
    readonly apiVersion?: string | undefined;
    readonly kind?: string | undefined;
    readonly authorizers: readonly AuthorizerConfiguration[];
}

type AuthorizationMode = "AlwaysAllow" | "AlwaysDeny" | "ABAC" | "Node" | "RBAC" | "Webhook";

interface AuthorizationOptions {
    readonly authorizationMode?: AuthorizationMode | readonly (AuthorizationMode | AuthorizerFunction)[] | undefined;
    readonly abacPolicies?: readonly AbacPolicy[] | undefined;
    readonly authorizationWebhook?: AuthorizationWebhook | undefined;
    readonly authorizationConfiguration?: AuthorizationConfiguration | string | undefined;
}

interface AuthorizationWebhook {
    readonly url: string;
    readonly caBundle?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly clientCertificate?: {
        readonly cert: string;
        readonly key: string;
    } | undefined;
    readonly version?: "v1" | "v1beta1" | undefined;
    readonly authorizedTtlMs?: number | undefined;
    readonly unauthorizedTtlMs?: number | undefined;
    readonly timeoutMs?: number | undefined;
    readonly failurePolicy?: "NoOpinion" | "Deny" | undefined;
    readonly matchConditions?: readonly {
        readonly expression: string;
    }[] | undefined;
}

interface AuthorizerConfiguration {
    readonly type: "AlwaysAllow" | "AlwaysDeny" | "ABAC" | "Node" | "RBAC" | "Webhook";
    readonly name: string;
    readonly webhook?: WebhookAuthorizerConfiguration | undefined;
}

type AuthorizerFunction = (attributes: AuthorizationAttributes) => Decision | Promise<Decision>;

type BodyStream = AsyncIterator<Uint8Array, undefined> & {
    return(): Promise<IteratorResult<Uint8Array, undefined>>;
};

interface ClaimMappings {
    readonly username: PrefixedClaimOrExpression;
    readonly groups?: PrefixedClaimOrExpression | undefined;
    readonly uid?: {
        readonly claim?: string | undefined;
        readonly expression?: string | undefined;
    } | undefined;
    readonly extra?: readonly {
        readonly key: string;
        readonly valueExpression: string;
    }[] | undefined;
}

interface ClaimValidationRule {
    readonly claim?: string | undefined;
    readonly requiredValue?: string | undefined;
    readonly expression?: string | undefined;
    readonly message?: string | undefined;
}

interface ClientCertificate {
    readonly commonName: string;
    readonly organizations: readonly string[];
    readonly uid?: string | undefined;
    readonly sha256?: string | undefined;
    readonly trustedBy: readonly ("clientCa" | "requestHeader")[];
    readonly problem?: string | undefined;
}

interface ClientIdentity {
    readonly user?: UserInfo | undefined;
    readonly certificate?: ClientCertificate | undefined;
}

interface ContainerLogRequest {
    readonly node: string;
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
    readonly follow: boolean;
    readonly previous: boolean;
    readonly timestamps: boolean;
    readonly tailLines?: number | undefined;
    readonly sinceSeconds?: number | undefined;
    readonly sinceMs?: number | undefined;
    readonly limitBytes?: number | undefined;
    readonly stream?: "stdout" | "stderr" | undefined;
}

interface ContainerSession {
    readonly stdin: AsyncIterableIterator<Uint8Array>;
    write(stream: "stdout" | "stderr", data: Uint8Array): Promise<void>;
    onResize(callback: (size: TerminalSize) => void): void;
    readonly signal: AbortSignal;
}

interface ContainerSessionRequest {
    readonly node: string;
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
    readonly command: readonly string[] | undefined;
    readonly tty: boolean;
    readonly stdin: boolean;
}

interface ControllerToggles {
    readonly namespaceLifecycle?: boolean | undefined;
    readonly garbageCollection?: boolean | undefined;
    readonly defaultServiceAccount?: boolean | undefined;
    readonly rootCaConfigMap?: boolean | undefined;
    readonly validatingAdmissionPolicyStatus?: boolean | undefined;
}

interface Decision {
    readonly allowed: boolean;
    readonly denied?: boolean | undefined;
    readonly reason: string;
    readonly error?: string | undefined;
}

interface DumpOptions {
    readonly namespace?: string | undefined;
    readonly kinds?: readonly string[] | undefined;
}

interface Fault {
    readonly match?: FaultMatch | undefined;
    readonly effect: FaultEffect;
    readonly after?: number | undefined;
    readonly times?: number | undefined;
    readonly probability?: number | undefined;
}

type FaultEffect = {
    readonly type: "delay";
    readonly ms: number;
} | {
    readonly type: "status";
    readonly code: number;
    readonly reason?: string | undefined;
    readonly message?: string | undefined;
    readonly retryAfterSeconds?: number | undefined;
} | {
    readonly type: "html";
    readonly code: number;
} | {
    readonly type: "reset";
    readonly afterBytes?: number | undefined;
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
    readonly verb?: string | readonly string[] | undefined;
    readonly resource?: string | undefined;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly path?: RegExp | undefined;
}

interface FaultPlan {
    add(fault: Fault): () => void;
    clear(): void;
    readonly hits: Readonly<Record<string, number>>;
}

type FeatureGate = "APIResponseCompression" | "CBORServingAndStorage" | "PodLogsQuerySplitStreams" | "ShardedListAndWatch" | "WatchList";

interface FeatureOptions {
    readonly featureGates?: Readonly<Partial<Record<FeatureGate, boolean>>> | undefined;
    readonly runtimeConfig?: Readonly<Record<string, boolean>> | undefined;
    readonly watchCache?: boolean | undefined;
}

interface FlowControlSettings {
    readonly clock?: Clock | undefined;
}

type FrameWriter = (opcode: number, payload: Uint8Array) => Uint8Array;

type Inflate = (blocks: Uint8Array, dictionary: Uint8Array, limit: number) => Uint8Array;

type IssuerFetch = (url: string, options: {
    readonly certificateAuthority: string | undefined;
    readonly signal: AbortSignal;
}) => Promise<Response>;

interface JwtAuthenticator {
    readonly issuer: TokenIssuer;
    readonly claimValidationRules?: readonly ClaimValidationRule[] | undefined;
    readonly claimMappings: ClaimMappings;
    readonly userValidationRules?: readonly UserValidationRule[] | undefined;
}

interface KubeletConnection {
    logs(request: ContainerLogRequest): AsyncIterator<Uint8Array, undefined> | KubeletRefusal | undefined;
    session?(request: ContainerSessionRequest): ((session: ContainerSession) => Promise<number>) | KubeletRefusal | undefined;
    connect?(request: PortRequest): ((stream: PortStream) => Promise<void>) | KubeletRefusal | undefined;
}

interface KubeletEndpoint {
    readonly address: string;
    readonly port: number;
    close(): Promise<void>;
}

type KubeletListener = (server: KubeletServer) => Promise<KubeletEndpoint>;

interface KubeletRefusal {
    readonly refused: string;
}

interface KubeletServer {
    serve(request: ServerRequest): Promise<ServerResponse>;
    serveReviewed(request: ServerRequest): Promise<ServerResponse>;
}

type Manifests = string | readonly object[];

interface PortRequest {
    readonly node: string;
    readonly namespace: string;
    readonly pod: string;
    readonly port: number;
}

interface PortStream {
    readonly input: AsyncIterableIterator<Uint8Array>;
    write(data: Uint8Array): Promise<void>;
    readonly signal: AbortSignal;
}

interface PrefixedClaimOrExpression {
    readonly claim?: string | undefined;
    readonly prefix?: string | undefined;
    readonly expression?: string | undefined;
}

interface RequestHeaderOptions {
    readonly clientCa: string;
    readonly allowedNames?: readonly string[] | undefined;
    readonly usernameHeaders?: readonly string[] | undefined;
    readonly uidHeaders?: readonly string[] | undefined;
    readonly groupHeaders?: readonly string[] | undefined;
    readonly extraHeaderPrefixes?: readonly string[] | undefined;
}

interface RetentionOptions {
    readonly historyMs?: number | undefined;
    readonly historySize?: number | undefined;
    readonly windowEvents?: number | undefined;
    readonly windowSize?: number | undefined;
}

interface SelectorRequirement {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[] | undefined;
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
    readonly internal?: boolean | undefined;
    readonly client?: ClientIdentity | undefined;
    readonly remoteAddress?: string | undefined;
    loadFrames?(): Promise<FrameWriter>;
    readonly inflate?: Inflate | undefined;
    onWritten?(callback: () => void): void;
    readonly gzip?: ((body: BodyStream) => BodyStream) | undefined;
}

interface ServerResponse {
    readonly status: number;
    readonly headers: [
        string,
        string
    ][];
    body: Uint8Array | BodyStream | undefined;
    readonly dropped?: boolean | undefined;
    readonly takeover?: Uint8Array | undefined;
    readonly socket?: ServerSocket | undefined;
}

interface ServerSocket {
    readonly protocol: string;
    readonly rawPing?: Uint8Array | undefined;
    open(peer: SocketPeer): SocketHandler;
}

type ServiceHandler = (request: Request) => Response | Promise<Response>;

interface ServiceReference {
    readonly namespace: string;
    readonly name: string;
    readonly port: number;
}

type ServiceResolver = (service: ServiceReference) => string | ServiceHandler | undefined | Promise<string | ServiceHandler | undefined>;

interface Snapshot {
    readonly revision: number;
    readonly buckets: ReadonlyMap<string, readonly Version[]>;
}

interface SocketHandler {
    message(payload: Uint8Array): Promise<void> | undefined;
    closed(): void;
}

interface SocketPeer {
    send(message: Uint8Array): Promise<void>;
    close(): void;
}

interface TerminalSize {
    readonly width: number;
    readonly height: number;
}

interface TokenIssuer {
    readonly url: string;
    readonly discoveryURL?: string | undefined;
    readonly certificateAuthority?: string | undefined;
    readonly audiences: readonly string[];
    readonly audienceMatchPolicy?: "MatchAny" | undefined;
}

interface TokenWebhook {
    readonly url: string;
    readonly caBundle?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly clientCertificate?: {
        readonly cert: string;
        readonly key: string;
    } | undefined;
    readonly version?: "v1" | "v1beta1" | undefined;
    readonly cacheTtlMs?: number | undefined;
    readonly timeoutMs?: number | undefined;
}

interface Unprinted {
    readonly size: number;
    print(): string;
}

interface UserInfo {
    readonly name: string;
    readonly uid: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
}

interface UserValidationRule {
    readonly expression: string;
    readonly message?: string | undefined;
}

interface Version {
    readonly revision: number;
    readonly key: string;
    readonly exists: boolean;
    readonly json: string | undefined;
    readonly unprinted?: Unprinted | undefined;
    readonly storedAs: string | undefined;
    memo?: object | undefined;
}

interface WebhookAuthorizerConfiguration {
    readonly authorizedTTL: string;
    readonly unauthorizedTTL: string;
    readonly timeout: string;
    readonly subjectAccessReviewVersion: "v1" | "v1beta1";
    readonly matchConditionSubjectAccessReviewVersion?: "v1" | undefined;
    readonly failurePolicy: "NoOpinion" | "Deny";
    readonly connectionInfo: WebhookConnection;
    readonly matchConditions?: readonly {
        readonly expression: string;
    }[] | undefined;
}

interface WebhookCall {
    readonly url: string;
    readonly connectTo?: string | undefined;
    readonly caBundle: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly clientCertificate?: {
        readonly cert: string;
        readonly key: string;
    } | undefined;
    readonly body: object;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
}

type WebhookCaller = (call: WebhookCall) => Promise<unknown>;

interface WebhookConnection {
    readonly type: "Url" | "KubeConfigFile" | "InClusterConfig";
    readonly kubeConfigFile?: string | undefined;
    readonly url?: string | undefined;
    readonly caBundle?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly clientCertificate?: {
        readonly cert: string;
        readonly key: string;
    } | undefined;
}

const clusterDefaults: Required<Pick<FeatureOptions, "featureGates" | "runtimeConfig">>;

function createApiServer(options?: ApiServerOptions): ApiServer;

function parseAbacPolicies(text: string, name: string): AbacPolicy[];

function parseAuditPolicy(text: string, name: string): AuditPolicy;

// Not exported, but part of the above.

interface AdmissionPlugin {
    readonly name: string;
    admit?(attributes: AdmissionAttributes, context: RegistryContext): void | Promise<void>;
    validate?(attributes: AdmissionAttributes, context: RegistryContext): void | Promise<void>;
}
