interface AdmissionAttributes {
    uid: string;
    kind: GroupVersionKind;
    resource: GroupVersionResource;
    subResource?: string | undefined;
    requestKind?: GroupVersionKind | undefined;
    requestResource?: GroupVersionResource | undefined;
    requestSubResource?: string | undefined;
    name?: string | undefined;
    namespace?: string | undefined;
    userInfo: AdmissionUser;
    dryRun?: boolean | undefined;
    options?: Record<string, unknown> | null | undefined;
}

type AdmissionHandler<T = KubernetesObject> = (request: AdmissionRequest<T>) => AllowedResponse<T> | DeniedResponse | undefined | void | Promise<AllowedResponse<T> | DeniedResponse | undefined | void>;

type AdmissionRequest<T = KubernetesObject> = AdmissionAttributes & ({
    operation: "CREATE";
    object: T;
    oldObject?: null | undefined;
} | {
    operation: "UPDATE";
    object: T;
    oldObject: T;
} | {
    operation: "DELETE";
    object?: null | undefined;
    oldObject: T;
} | {
    operation: "CONNECT";
    object: T;
    oldObject?: null | undefined;
});

interface AdmissionResponse {
    uid: string;
    allowed: boolean;
    status?: Status | undefined;
    patch?: string | undefined;
    patchType?: "JSONPatch" | undefined;
    auditAnnotations?: Record<string, string> | undefined;
    warnings?: string[] | undefined;
}

interface AdmissionResponseExtras {
    readonly warnings?: readonly string[] | undefined;
    readonly auditAnnotations?: Readonly<Record<string, string>> | undefined;
}

interface AdmissionReview<T = KubernetesObject> {
    apiVersion: string;
    kind: "AdmissionReview";
    request?: AdmissionRequest<T> | undefined;
    response?: AdmissionResponse | undefined;
}

interface AdmissionUser {
    username?: string | undefined;
    uid?: string | undefined;
    groups?: string[] | undefined;
    extra?: Record<string, string[]> | undefined;
}

interface AllowedResponse<T = KubernetesObject> extends AdmissionResponseExtras {
    readonly allowed?: true | undefined;
    readonly object?: DeepReadonly<T> | undefined;
}

interface AuthenticatedUser {
    readonly username: string;
    readonly uid?: string | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
    readonly audiences?: readonly string[] | undefined;
}

type ConversionHandler = (object: KubernetesObject, desiredAPIVersion: string) => object | Promise<object>;

interface ConversionRequest {
    uid: string;
    desiredAPIVersion: string;
    objects: KubernetesObject[];
}

interface ConversionResponse {
    uid: string;
    convertedObjects: object[];
    result: Status;
}

interface ConversionReview {
    apiVersion: string;
    kind: "ConversionReview";
    request?: ConversionRequest | undefined;
    response?: ConversionResponse | undefined;
}

interface DeniedResponse extends AdmissionResponseExtras {
    readonly allowed: false;
    readonly message: string;
    readonly code?: number | undefined;
    readonly reason?: string | undefined;
}

interface GroupVersionKind {
    group: string;
    version: string;
    kind: string;
}

interface GroupVersionResource {
    group: string;
    version: string;
    resource: string;
}

type TokenHandler = (request: TokenReviewRequest) => AuthenticatedUser | undefined | Promise<AuthenticatedUser | undefined>;

interface TokenReview {
    apiVersion: string;
    kind: "TokenReview";
    spec?: TokenReviewRequest | undefined;
    status?: TokenReviewStatus | undefined;
}

interface TokenReviewRequest {
    token: string;
    audiences?: string[] | undefined;
}

interface TokenReviewStatus {
    authenticated: boolean;
    user?: AdmissionUser | undefined;
    audiences?: string[] | undefined;
    error?: string | undefined;
}

type WebhookHandler = (request: Request) => Promise<Response>;

interface WebhookOptions {
    readonly maxBodyBytes?: number | undefined;
}

function admissionWebhook<T = KubernetesObject>(decide: AdmissionHandler<T>, options?: WebhookOptions): WebhookHandler;

function authenticationWebhook(authenticate: TokenHandler, options?: WebhookOptions): WebhookHandler;

function conversionWebhook(convert: ConversionHandler, options?: WebhookOptions): WebhookHandler;

function reviewAdmission<T = KubernetesObject>(review: unknown, decide: AdmissionHandler<T>): Promise<AdmissionReview<T>>;

function reviewConversion(review: unknown, convert: ConversionHandler): Promise<ConversionReview>;

function reviewToken(review: unknown, authenticate: TokenHandler): Promise<TokenReview>;
