interface ApiCatalog {
    readonly groups: readonly DiscoveredGroup[];
    readonly failures: readonly DiscoveryFailure[];
    readonly readAt: number;
}

interface DiscoveredGroup {
    readonly name: string;
    readonly versions: readonly DiscoveredVersion[];
}

interface DiscoveredResource extends Kind {
    readonly singular: string;
    readonly verbs: readonly string[];
    readonly shortNames: readonly string[];
    readonly categories: readonly string[];
    readonly subresources: readonly DiscoveredSubresource[];
}

interface DiscoveredSubresource {
    readonly name: string;
    readonly responseKind: {
        readonly group: string;
        readonly version: string;
        readonly kind: string;
    };
    readonly verbs: readonly string[];
}

interface DiscoveredVersion {
    readonly group: string;
    readonly version: string;
    readonly stale: boolean;
    readonly resources: readonly DiscoveredResource[];
}

interface Discovery {
    catalog(options?: RequestOptions & {
        readonly fresh?: boolean | undefined;
    }): Promise<ApiCatalog>;
    find(wanted: string | {
        readonly apiVersion?: string | undefined;
        readonly group?: string | undefined;
        readonly kind: string;
    }, options?: RequestOptions): Promise<DiscoveredResource | undefined>;
}

interface DiscoveryFailure {
    readonly group: string;
    readonly version: string;
    readonly error: unknown;
}

interface DiscoveryOptions {
    readonly maxAgeMs?: number | undefined;
    readonly clock?: Clock | undefined;
}

interface FormField {
    readonly name: string;
    readonly label: string;
    readonly description: string | undefined;
    readonly type: FormFieldType;
    readonly isRequired: boolean;
    readonly isNullable: boolean;
    readonly defaultValue: unknown;
    readonly choices: readonly unknown[];
    readonly limits: FormFieldLimits;
    readonly listKeys: readonly string[];
    readonly rules: readonly string[];
    fields(): readonly FormField[];
    item(): FormField | undefined;
}

interface FormFieldLimits {
    readonly minimum?: number | undefined;
    readonly maximum?: number | undefined;
    readonly minLength?: number | undefined;
    readonly maxLength?: number | undefined;
    readonly pattern?: string | undefined;
    readonly minItems?: number | undefined;
    readonly maxItems?: number | undefined;
}

type FormFieldType = "text" | "number" | "integer" | "checkbox" | "choice" | "intOrString" | "quantity" | "dateTime" | "group" | "list" | "map" | "any";

interface OpenApi {
    paths(options?: RequestOptions): Promise<readonly string[]>;
    document(path: string, options?: RequestOptions): Promise<object | undefined>;
}

function compareVersions(a: string, b: string): number;

function createDiscovery(client: Client, options?: DiscoveryOptions): Discovery;

function createOpenApi(client: Client): OpenApi;

function findByCategory(catalog: ApiCatalog, category: string): DiscoveredResource[];

function findByKind(catalog: ApiCatalog, wanted: {
    readonly apiVersion?: string | undefined;
    readonly group?: string | undefined;
    readonly kind: string;
}): DiscoveredResource | undefined;

function findByName(catalog: ApiCatalog, text: string): DiscoveredResource | undefined;

function getFormFields(document: object, kind: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
}): FormField | undefined;

function listResources(catalog: ApiCatalog): DiscoveredResource[];

function parseApiVersion(apiVersion: string): {
    group: string;
    version: string;
};
