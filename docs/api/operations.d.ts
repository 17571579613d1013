interface AccessReview {
    readonly allowed: boolean;
    readonly denied: boolean;
    readonly reason: string;
    readonly evaluationError?: string | undefined;
}

interface AccessReviewOptions extends RequestOptions {
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly subject?: {
        readonly user?: string | undefined;
        readonly groups?: readonly string[] | undefined;
        readonly uid?: string | undefined;
        readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
    } | undefined;
    readonly labelSelector?: string | undefined;
    readonly fieldSelector?: string | undefined;
}

interface ApprovalOptions extends UpdateFunctionOptions {
    readonly reason?: string | undefined;
    readonly message?: string | undefined;
}

interface AuditedRequest {
    readonly auditID?: string | undefined;
    readonly requestURI?: string | undefined;
    readonly verb?: string | undefined;
    readonly user?: AuditedUser | undefined;
    readonly impersonatedUser?: AuditedUser | undefined;
    readonly objectRef?: {
        readonly resource?: string | undefined;
        readonly namespace?: string | undefined;
        readonly name?: string | undefined;
        readonly apiGroup?: string | undefined;
        readonly subresource?: string | undefined;
    } | undefined;
    readonly responseStatus?: {
        readonly code?: number | undefined;
    } | undefined;
}

interface AuditedUser {
    readonly username?: string | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly uid?: string | undefined;
    readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

class DrainError extends KubestreamError {
    readonly name = "DrainError";
    readonly pods: readonly UndrainedPod[];
    constructor(node: string, pods: readonly UndrainedPod[]);
    static get className(): string;
}

interface DrainOptions extends DrainRules {
    readonly podSelector?: string | undefined;
    readonly disableEviction?: boolean | undefined;
    readonly gracePeriodSeconds?: number | undefined;
    readonly dryRun?: "All" | undefined;
    readonly timeoutMs?: number | undefined;
    readonly everyMs?: number | undefined;
    readonly pollMs?: number | undefined;
    readonly onProgress?: ((progress: DrainProgress) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly clock?: Clock | undefined;
}

interface DrainPod {
    readonly namespace: string;
    readonly name: string;
    readonly reason?: string | undefined;
}

interface DrainProgress extends DrainPod {
    readonly step: "taken" | "ending" | "gone";
}

interface DrainResult {
    readonly taken: readonly DrainPod[];
    readonly left: readonly DrainPod[];
}

interface DrainRules {
    readonly ignoreDaemonSets?: boolean | undefined;
    readonly deleteEmptyDirData?: boolean | undefined;
    readonly force?: boolean | undefined;
    readonly ignoreDeletedForMs?: number | undefined;
}

interface EvictOptions extends CreateOptions, Pick<DeleteOptions, "gracePeriodSeconds" | "propagationPolicy" | "preconditions"> {
    readonly patienceMs?: number | undefined;
    readonly everyMs?: number | undefined;
    readonly clock?: Clock | undefined;
}

interface IssuedToken {
    readonly token: string;
    readonly expirationTimestamp: string;
}

interface NodeMetrics {
    apiVersion?: "metrics.k8s.io/v1beta1" | undefined;
    kind?: "NodeMetrics" | undefined;
    metadata?: ObjectMeta | undefined;
    timestamp: string;
    window: string;
    usage: Record<string, string>;
}
const NodeMetrics: Kind<NodeMetrics, "Cluster", object, never>;

interface NodeUsage {
    readonly name: string;
    readonly usage?: Usage | undefined;
    readonly allocatable: Usage;
}

interface PodMetrics {
    apiVersion?: "metrics.k8s.io/v1beta1" | undefined;
    kind?: "PodMetrics" | undefined;
    metadata?: ObjectMeta | undefined;
    timestamp: string;
    window: string;
    containers: {
        name: string;
        usage: Record<string, string>;
    }[];
}
const PodMetrics: Kind<PodMetrics, "Namespaced", object, never>;

interface PodUsage {
    readonly namespace: string;
    readonly name: string;
    readonly usage?: Usage | undefined;
    readonly requests: Usage;
    readonly limits: Usage;
}

interface RbacPlan {
    readonly objects: readonly ((ClusterRole & {
        readonly apiVersion: "rbac.authorization.k8s.io/v1";
        readonly kind: "ClusterRole";
    }) | (Role & {
        readonly apiVersion: "rbac.authorization.k8s.io/v1";
        readonly kind: "Role";
    }) | (ClusterRoleBinding & {
        readonly apiVersion: "rbac.authorization.k8s.io/v1";
        readonly kind: "ClusterRoleBinding";
    }) | (RoleBinding & {
        readonly apiVersion: "rbac.authorization.k8s.io/v1";
        readonly kind: "RoleBinding";
    }))[];
    readonly user: string;
    readonly requests: number;
    readonly notes: readonly string[];
}

interface RbacPlanOptions {
    readonly name: string;
    readonly user?: string | undefined;
    readonly scope?: "namespaced" | "cluster" | undefined;
    readonly resourceNames?: readonly string[] | undefined;
    readonly serviceAccount?: {
        readonly namespace: string;
        readonly name: string;
    } | undefined;
}

interface RolloutProgress {
    readonly done: boolean;
    readonly message: string;
    readonly wanted: number;
    readonly updated: number;
    readonly available: number;
}

interface RolloutStatusOptions {
    readonly timeoutMs?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly clock?: Clock | undefined;
}

type RolloutWorkload = DaemonSet | Deployment | StatefulSet;

interface ScaleOptions extends PatchOptions {
    readonly from?: number | undefined;
}

interface TokenRequestOptions extends CreateOptions {
    readonly audiences?: readonly string[] | undefined;
    readonly expirationSeconds?: number | undefined;
    readonly boundTo?: {
        readonly kind: "Pod" | "Secret" | "Node";
        readonly name: string;
        readonly uid?: string | undefined;
    } | undefined;
}

interface UndoRolloutOptions extends PatchOptions {
    readonly toRevision?: number | undefined;
}

interface UndrainedPod {
    readonly namespace: string;
    readonly name: string;
    readonly reason: string;
    readonly error?: unknown;
}

type Usage = Readonly<Record<string, string>>;

type UsageOptions = Pick<ListOptions, "labelSelector" | "signal" | "timeoutMs">;

function addEphemeralContainer<T, Sub extends {
    ephemeralcontainers: unknown;
}>(pods: Resource<T, Sub>, name: string, container: {
    readonly name: string;
    readonly image: string;
    readonly [field: string]: unknown;
}, options?: PatchOptions): Promise<Sub["ephemeralcontainers"]>;

function approve<T, Sub extends {
    approval: unknown;
}>(requests: Resource<T, Sub>, name: string, options?: ApprovalOptions): Promise<Sub["approval"]>;

function bind<T, Sub extends {
    binding: unknown;
}>(pods: Resource<T, Sub>, name: string, node: string, options?: CreateOptions): Promise<void>;

function checkAccess(client: Client, verb: string, resource: Kind | readonly [
    Kind,
    string
] | `/${string}`, options?: AccessReviewOptions): Promise<AccessReview>;

function cordon<T>(nodes: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions): Promise<T>;

function deleteCollectionPages<T>(handle: Pick<Resource<T>, "deleteCollection">, options?: DeleteCollectionOptions): AsyncGenerator<List<T>>;

function deny<T, Sub extends {
    approval: unknown;
}>(requests: Resource<T, Sub>, name: string, options?: ApprovalOptions): Promise<Sub["approval"]>;

function drain(client: Pick<Client, "resource">, node: string, options?: DrainOptions): Promise<DrainResult>;

function evict<T, Sub extends {
    eviction: unknown;
}>(pods: Resource<T, Sub>, name: string, options?: EvictOptions): Promise<boolean>;

function isBlockedByDisruptionBudget(error: unknown): error is StatusError;

function pauseRollout<T>(deployments: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions): Promise<T>;

function planRbac(events: Iterable<AuditedRequest>, options: RbacPlanOptions): RbacPlan;

function requestToken<T, Sub extends {
    token: unknown;
}>(accounts: Resource<T, Sub>, name: string, options?: TokenRequestOptions): Promise<IssuedToken>;

function resize<T, Sub extends {
    resize: unknown;
}>(pods: Resource<T, Sub>, name: string, resources: Readonly<Record<string, {
    readonly requests?: Readonly<Record<string, string>> | undefined;
    readonly limits?: Readonly<Record<string, string>> | undefined;
}>>, options?: PatchOptions): Promise<Sub["resize"]>;

function restart<T>(workloads: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions & {
    readonly at?: Date | undefined;
}): Promise<T>;

function resumeRollout<T>(deployments: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions): Promise<T>;

function rolloutStatus<T extends RolloutWorkload>(workloads: ListWatch<T>, name: string, options?: RolloutStatusOptions): AsyncGenerator<RolloutProgress, void, undefined>;

function scale<T, Sub extends {
    scale: unknown;
}>(handle: Resource<T, Sub>, name: string, replicas: number, options?: ScaleOptions): Promise<Sub["scale"]>;

function setImages<T>(workloads: Pick<Resource<T>, "get" | "patch">, name: string, images: Readonly<Record<string, string>>, options?: PatchOptions & {
    readonly init?: Readonly<Record<string, string>> | undefined;
}): Promise<T>;

function topNodes(client: Pick<Client, "request">, options?: UsageOptions): Promise<NodeUsage[]>;

function topPods(client: Pick<Client, "request">, options?: UsageOptions & {
    readonly namespace?: string | undefined;
}): Promise<PodUsage[]>;

function uncordon<T>(nodes: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions): Promise<T>;

function undoRollout<T>(deployments: Pick<Resource<T>, "get" | "patch">, replicaSets: Pick<Collection<unknown>, "list">, name: string, options?: UndoRolloutOptions): Promise<T>;
