interface ApplyManifestsOptions extends ApplyOptions, ManifestPlacement, ManifestProgressOptions {
    readonly wait?: boolean | ReadinessWait | undefined;
}

interface ApplyPlanOptions extends Partial<PlanManifestsOptions>, Pick<ManifestPlacement, "dependencyTimeoutMs">, ManifestProgressOptions {
    readonly manifests?: readonly DeepReadonly<KubernetesObject>[] | undefined;
}

interface ApplySetMembership {
    readonly parent: ApplySetParent;
    readonly prune?: boolean | undefined;
    readonly tooling?: string | undefined;
    readonly propagationPolicy?: NonNullable<DeleteOptions["propagationPolicy"]> | undefined;
}

interface ApplySetOptions extends ApplyOptions, ManifestPlacement, ManifestProgressOptions, ApplySetMembership {
}

interface ApplySetParent {
    readonly resource?: string | undefined;
    readonly name: string;
    readonly namespace?: string | undefined;
}

interface DeleteManifestsOptions extends DeleteOptions, ManifestPlacement, ManifestProgressOptions {
}

interface FieldChange {
    readonly path: string;
    readonly before?: unknown;
    readonly after?: unknown;
    readonly owners: readonly string[];
}

interface Manifest extends DynamicObject {
    apiVersion: string;
    kind: string;
    metadata: ObjectMeta & {
        name: string;
    };
}

interface ManifestOutcome {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly outcome: "created" | "applied" | "unchanged" | "deleted" | "deleting" | "absent" | "pruned" | "failed";
    readonly source?: ManifestSource | undefined;
    readonly object?: object | undefined;
    readonly error?: unknown;
}

interface ManifestPlacement {
    readonly discovery?: Discovery | undefined;
    readonly namespace?: string | undefined;
    readonly dependencyTimeoutMs?: number | undefined;
    readonly clock?: Clock | undefined;
}

interface ManifestPlan {
    readonly items: readonly PlannedManifest[];
}

interface ManifestProgress extends Omit<ManifestOutcome, "outcome"> {
    readonly outcome: ManifestOutcome["outcome"] | "waiting";
    readonly waitsFor?: string | undefined;
    readonly done: number;
    readonly total: number;
}

interface ManifestProgressOptions {
    readonly onProgress?: ((progress: ManifestProgress) => void) | undefined;
}

interface ManifestReadiness {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly status: "current" | "inProgress" | "failed" | "terminating";
    readonly reason: string;
    readonly message: string;
}

interface ManifestSource {
    readonly name?: string | undefined;
    readonly document: number;
    readonly line: number;
}

class ManifestsError extends KubestreamError {
    readonly name = "ManifestsError";
    readonly outcomes: readonly ManifestOutcome[];
    constructor(verb: string, outcomes: readonly ManifestOutcome[]);
    static get className(): string;
}

class NotReadyError extends KubestreamError {
    readonly name = "NotReadyError";
    readonly objects: readonly ManifestReadiness[];
    constructor(objects: readonly ManifestReadiness[]);
    static get className(): string;
}

interface PlanManifestsOptions extends Omit<ApplyOptions, "dryRun">, Omit<ManifestPlacement, "dependencyTimeoutMs"> {
    readonly applySet?: ApplySetMembership | undefined;
}

interface PlannedChange extends FieldChange {
    readonly conflict: boolean;
}

interface PlannedManifest extends Pick<ManifestOutcome, "apiVersion" | "kind" | "name" | "namespace" | "source"> {
    readonly action: "create" | "change" | "unchanged" | "later" | "prune" | "refuse";
    readonly changes: readonly PlannedChange[];
    readonly object?: object | undefined;
    readonly stored?: {
        readonly uid: string;
        readonly resourceVersion: string;
    } | undefined;
    readonly after?: readonly string[] | undefined;
    readonly refusal?: PlannedRefusal | undefined;
}

interface PlannedRefusal {
    readonly reason: RefusalReason;
    readonly code?: number | undefined;
    readonly message: string;
    readonly causes: readonly {
        readonly field: string;
        readonly message: string;
    }[];
}

interface ReadinessWait {
    readonly timeoutMs?: number | undefined;
    readonly failFast?: boolean | undefined;
    readonly completeJobs?: boolean | undefined;
    readonly onProgress?: ((object: ManifestReadiness) => void) | undefined;
}

type RefusalReason = "conflict" | "forbidden" | "quota" | "denied" | "immutable" | "invalid" | "missingNamespace" | "missingKind" | "unplannable" | "error";

class StalePlanError extends KubestreamError {
    readonly name = "StalePlanError";
    readonly objects: readonly string[];
    constructor(objects: readonly string[]);
    static get className(): string;
}

interface WaitForManifestsOptions extends ReadinessWait, ManifestPlacement, Pick<RequestOptions, "signal"> {
}

function applyManifests(client: Client<string>, manifests: readonly DeepReadonly<KubernetesObject>[], options?: Partial<ApplyManifestsOptions>): Promise<ManifestOutcome[]>;
function applyManifests(client: Client, manifests: readonly DeepReadonly<KubernetesObject>[], options: ApplyManifestsOptions): Promise<ManifestOutcome[]>;

function applyPlan(client: Client<string>, plan: ManifestPlan, options?: ApplyPlanOptions): Promise<ManifestOutcome[]>;
function applyPlan(client: Client, plan: ManifestPlan, options: ApplyPlanOptions & {
    readonly fieldManager: string;
}): Promise<ManifestOutcome[]>;

function applySet(client: Client<string>, manifests: readonly DeepReadonly<KubernetesObject>[], options: Partial<ApplySetOptions> & ApplySetMembership): Promise<ManifestOutcome[]>;
function applySet(client: Client, manifests: readonly DeepReadonly<KubernetesObject>[], options: ApplySetOptions): Promise<ManifestOutcome[]>;

function applySetId(parent: ApplySetParent, resource: {
    readonly kind: string;
    readonly group: string;
}): Promise<string>;

function deleteManifests(client: Client, manifests: readonly DeepReadonly<KubernetesObject>[], options?: DeleteManifestsOptions): Promise<ManifestOutcome[]>;

function formatManifests(objects: Iterable<Readonly<KubernetesObject>>): string;

function formatPlan(plan: ManifestPlan): string;

function getManifestSource(object: object): ManifestSource | undefined;

function parseManifests(text: string, options?: {
    readonly source?: string | undefined;
}): Promise<Manifest[]>;

function planManifests(client: Client<string>, manifests: readonly DeepReadonly<KubernetesObject>[], options?: Partial<PlanManifestsOptions>): Promise<ManifestPlan>;
function planManifests(client: Client, manifests: readonly DeepReadonly<KubernetesObject>[], options: PlanManifestsOptions): Promise<ManifestPlan>;

function waitForManifests(client: Client, manifests: readonly DeepReadonly<KubernetesObject>[], options?: WaitForManifestsOptions): Promise<ManifestReadiness[]>;
