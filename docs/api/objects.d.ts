interface ApplyConflict {
    readonly manager: string;
    readonly field: string;
    readonly subresource?: string | undefined;
    readonly apiVersion?: string | undefined;
    readonly time?: string | undefined;
}

interface ConditionFields {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime?: Time | undefined;
}

interface CreateJsonPatchOptions {
    readonly guard?: "values" | "resourceVersion" | "both" | "none" | undefined;
}

interface CreateOrUpdateOptions extends WriteOptions, Pick<RetryOnConflictOptions, "maxAttempts"> {
}

interface CreateOrUpdateResult<T> {
    readonly object: T;
    readonly outcome: "created" | "updated" | "unchanged";
}

interface CronSchedule {
    next(afterMs: number, timeZone?: string): number | undefined;
}

interface FieldManagerOptions {
    readonly operation?: "Apply" | "Update" | undefined;
    readonly subresource?: string | undefined;
}

interface LabelRequirement {
    readonly key: string;
    readonly operator: "in" | "notin" | "exists" | "absent" | "gt" | "lt";
    readonly values: readonly string[];
}

type NewCondition<C extends ConditionFields = Condition> = Omit<C, "lastTransitionTime"> & {
    readonly lastTransitionTime?: string | undefined;
};

interface OwnerReferenceOptions {
    readonly controller?: boolean | undefined;
    readonly blockOwnerDeletion?: boolean | undefined;
}

interface ParsedQuantity {
    readonly digits: bigint;
    readonly exponent: number;
    readonly format: "DecimalSI" | "BinarySI" | "DecimalExponent";
}

interface Readiness {
    readonly status: "current" | "inProgress" | "failed" | "terminating";
    readonly reason: string;
    readonly message: string;
}

interface ReadinessOptions {
    readonly nowMs?: number | undefined;
    readonly completeJobs?: boolean | undefined;
}

type SchemaKind<Options extends SchemaKindOptions> = CustomKind<Options, SchemaObject<Options, InputOf<Options["schema"]>>, "status" extends keyof InputOf<Options["schema"]> ? true : false> & {
    readonly schema: Options["schema"];
    readonly definition: CustomResourceDefinition & {
        readonly apiVersion: "apiextensions.k8s.io/v1";
        readonly kind: "CustomResourceDefinition";
    };
};

interface SchemaKindOptions extends KindNames {
    readonly schema: StandardSchema<unknown, object>;
    readonly jsonSchema?: object | undefined;
    readonly rules?: Readonly<Record<string, readonly ValidationRule[]>> | undefined;
    readonly columns?: readonly CustomResourceColumnDefinition[] | undefined;
    readonly scalePaths?: Partial<CustomResourceSubresourceScale> | undefined;
    readonly shortNames?: readonly string[] | undefined;
    readonly categories?: readonly string[] | undefined;
}

interface StandardJsonSchema {
    readonly "~standard": {
        readonly jsonSchema: {
            readonly input: (options: {
                readonly target: "draft-2020-12";
            }) => object;
        };
    };
}

type ValidatedObject<S> = OutputOf<S> & Pick<KubernetesObject, "apiVersion" | "kind" | "metadata">;

function addFinalizer<T extends KubernetesObject>(handle: Updatable<T>, name: string, finalizer: string, options?: UpdateFunctionOptions): Promise<T>;

function addQuantities(a: ParsedQuantity, b: ParsedQuantity): ParsedQuantity;

function applyConflicts(error: unknown): ApplyConflict[];

function compareQuantities(a: string | ParsedQuantity, b: string | ParsedQuantity): number;

function controllerRevisionHash(data: DeepReadonly<object>, collisionCount?: number): string;

function createJsonPatch<T extends object>(before: DeepReadonly<T>, after: DeepReadonly<T>, options?: CreateJsonPatchOptions): Promise<JsonPatchOperation[]>;

function createMergePatch(before: object, after: object): Record<string, unknown> | undefined;

function createOrPatch<T extends KubernetesObject>(handle: Ensurable<T>, name: string, change: UpdateFunction<T>, options?: CreateOrUpdateOptions): Promise<CreateOrUpdateResult<T>>;

function createOrUpdate<T extends KubernetesObject>(handle: Ensurable<T>, name: string, change: UpdateFunction<T>, options?: CreateOrUpdateOptions): Promise<CreateOrUpdateResult<T>>;

function deepEqual(a: unknown, b: unknown): boolean;

function defineKindFromSchema<const Options extends SchemaKindOptions>(options: Options): SchemaKind<Options>;

function extractApplyConfiguration<T extends KubernetesObject>(object: DeepReadonly<T>, manager: string, options?: FieldManagerOptions): ApplyConfiguration<T> | undefined;

function fieldOwners(object: DeepReadonly<KubernetesObject>): {
    manager: string;
    operation: string;
    subresource: string;
    apiVersion: string;
    time: string | undefined;
    fields: string[];
}[];

function findCondition<C extends {
    readonly type: string;
}>(conditions: readonly C[] | null | undefined, type: string): C | undefined;

function formatLabelSelector(selector: DeepReadonly<LabelSelector>): string;

function formatMicroTime(moment: Date | number): string;

function formatQuantity(quantity: ParsedQuantity): string;

function formatTime(moment: Date | number): string;

function getControllerOwner(object: DeepReadonly<KubernetesObject>): DeepReadonly<OwnerReference> | undefined;

function hasFinalizer(object: DeepReadonly<KubernetesObject>, finalizer: string): boolean;

function isBeingDeleted(object: DeepReadonly<KubernetesObject>): boolean;

function isOwnedBy(object: DeepReadonly<KubernetesObject>, owner: DeepReadonly<KubernetesObject>): boolean;

function isReady(object: DeepReadonly<KubernetesObject> | undefined, options?: ReadinessOptions): boolean;

function matchesLabelSelector(selector: DeepReadonly<LabelSelector> | undefined, labels: Readonly<Record<string, string>> | undefined): boolean;

function matchesLabels(requirements: readonly LabelRequirement[], labels: Readonly<Record<string, string>> | undefined): boolean;

function ownedFields(object: DeepReadonly<KubernetesObject>, manager: string, options?: FieldManagerOptions): string[];

function ownerReference(owner: DeepReadonly<KubernetesObject>, options?: OwnerReferenceOptions): OwnerReference;

function parseCronSchedule(text: string): CronSchedule | undefined;

function parseLabelSelector(selector: string): LabelRequirement[];

function parseQuantity(text: string): ParsedQuantity;

function parseTime(text: string | null | undefined): Date | undefined;

function podTemplateHash(template: DeepReadonly<PodTemplateSpec>, collisionCount?: number): string;

function quantityToNumber(quantity: string | ParsedQuantity): number;

function readinessOf(object: DeepReadonly<KubernetesObject>, options?: ReadinessOptions): Readiness;

function removeFinalizer<T extends KubernetesObject>(handle: Updatable<T>, name: string, finalizer: string, options?: UpdateFunctionOptions): Promise<T>;

function setCondition(conditions: readonly [
] | null | undefined, next: NewCondition): Condition[];
function setCondition<C extends ConditionFields>(conditions: readonly C[] | null | undefined, next: NewCondition<C>): C[];

function upgradeManagedFields(object: DeepReadonly<KubernetesObject>, clientSideManagers: readonly string[], manager: string, options?: {
    readonly subresource?: string | undefined;
}): JsonPatchOperation[] | undefined;

function validateObject<S extends StandardSchema<unknown, object>>(kind: {
    readonly kind: string;
    readonly schema: S;
}, object: DeepReadonly<KubernetesObject>): Promise<ValidatedObject<S>>;

function withController<T extends DeepReadonly<KubernetesObject>>(object: T, owner: DeepReadonly<KubernetesObject>, options?: Omit<OwnerReferenceOptions, "controller">): T;

function withFinalizer<T extends DeepReadonly<KubernetesObject>>(object: T, finalizer: string): T;

function withOwner<T extends DeepReadonly<KubernetesObject>>(object: T, owner: DeepReadonly<KubernetesObject>, options?: OwnerReferenceOptions): T;

function withoutFinalizer<T extends DeepReadonly<KubernetesObject>>(object: T, finalizer: string): T;

function withoutOwner<T extends DeepReadonly<KubernetesObject>>(object: T, owner: DeepReadonly<KubernetesObject>): T;

// Not exported, but part of the above.

type Ensurable<T> = Pick<Resource<T>, "get" | "create" | "update" | "patch" | "description">;

type Updatable<T> = Pick<Resource<T>, "update">;
