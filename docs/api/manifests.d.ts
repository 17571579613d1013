interface ApplyManifestsOptions extends ApplyOptions, ManifestPlacement {
    readonly wait?: boolean | ReadinessWait | undefined;
}

interface ApplySetMembership {
    readonly parent: ApplySetParent;
    readonly prune?: boolean | undefined;
    readonly tooling?: string | undefined;
    readonly propagationPolicy?: NonNullable<DeleteOptions["propagationPolicy"]> | undefined;
}

interface ApplySetOptions extends ApplyOptions, ManifestPlacement, ApplySetMembership {
}

interface ApplySetParent {
    readonly resource?: string | undefined;
    readonly name: string;
    readonly namespace?: string | undefined;
}

interface DeleteManifestsOptions extends DeleteOptions, ManifestPlacement {
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
    readonly definitionTimeoutMs?: number | undefined;
    readonly clock?: Clock | undefined;
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

interface ReadinessWait {
    readonly timeoutMs?: number | undefined;
    readonly failFast?: boolean | undefined;
    readonly completeJobs?: boolean | undefined;
    readonly onProgress?: ((object: ManifestReadiness) => void) | undefined;
}

interface WaitForManifestsOptions extends ReadinessWait, ManifestPlacement, Pick<RequestOptions, "signal"> {
}

function applyManifests(client: Client<string>, manifests: readonly DeepReadonly<KubernetesObject>[], options?: Partial<ApplyManifestsOptions>): Promise<ManifestOutcome[]>;
function applyManifests(client: Client, manifests: readonly DeepReadonly<KubernetesObject>[], options: ApplyManifestsOptions): Promise<ManifestOutcome[]>;

function applySet(client: Client<string>, manifests: readonly DeepReadonly<KubernetesObject>[], options: Partial<ApplyOptions> & ManifestPlacement & ApplySetMembership): Promise<ManifestOutcome[]>;
function applySet(client: Client, manifests: readonly DeepReadonly<KubernetesObject>[], options: ApplySetOptions): Promise<ManifestOutcome[]>;

function applySetId(parent: ApplySetParent, resource: {
    readonly kind: string;
    readonly group: string;
}): Promise<string>;

function deleteManifests(client: Client, manifests: readonly DeepReadonly<KubernetesObject>[], options?: DeleteManifestsOptions): Promise<ManifestOutcome[]>;

function formatManifests(objects: Iterable<Readonly<KubernetesObject>>): string;

function getManifestSource(object: object): ManifestSource | undefined;

function parseManifests(text: string, options?: {
    readonly source?: string | undefined;
}): Promise<Manifest[]>;

function waitForManifests(client: Client, manifests: readonly DeepReadonly<KubernetesObject>[], options?: WaitForManifestsOptions): Promise<ManifestReadiness[]>;
