interface ApplyManifestsOptions extends ApplyOptions, ManifestPlacement {
}

interface ApplySetMembership {
    readonly parent: ApplySetParent;
    readonly prune?: boolean;
    readonly tooling?: string;
    readonly propagationPolicy?: NonNullable<DeleteOptions["propagationPolicy"]>;
}

interface ApplySetOptions extends ApplyOptions, ManifestPlacement, ApplySetMembership {
}

interface ApplySetParent {
    readonly resource?: string;
    readonly name: string;
    readonly namespace?: string;
}

interface DeleteManifestsOptions extends DeleteOptions, ManifestPlacement {
}

interface ManifestOutcome {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly outcome: "created" | "applied" | "deleted" | "deleting" | "absent" | "pruned" | "failed" | "skipped";
    readonly object?: object;
    readonly error?: unknown;
}

interface ManifestPlacement {
    readonly discovery?: Discovery;
    readonly namespace?: string;
    readonly definitionTimeoutMs?: number;
    readonly clock?: Clock;
}

class ManifestsError extends KubestreamError {
    readonly name = "ManifestsError";
    readonly outcomes: readonly ManifestOutcome[];
    constructor(verb: string, outcomes: readonly ManifestOutcome[]);
    static get className(): string;
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

function parseManifests(text: string, options?: {
    readonly source?: string;
}): Promise<DynamicObject[]>;
