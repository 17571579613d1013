interface AdmissionAttributes {
    uid: string;
    kind: GroupVersionKind;
    resource: GroupVersionResource;
    subResource?: string;
    requestKind?: GroupVersionKind;
    requestResource?: GroupVersionResource;
    requestSubResource?: string;
    name?: string;
    namespace?: string;
    userInfo: AdmissionUser;
    dryRun?: boolean;
    options?: Record<string, unknown> | null;
}

type AdmissionHandler<T = KubernetesObject> = (request: AdmissionRequest<T>) => AllowedResponse<T> | DeniedResponse | undefined | void | Promise<AllowedResponse<T> | DeniedResponse | undefined | void>;

type AdmissionRequest<T = KubernetesObject> = AdmissionAttributes & ({
    operation: "CREATE";
    object: T;
    oldObject?: null;
} | {
    operation: "UPDATE";
    object: T;
    oldObject: T;
} | {
    operation: "DELETE";
    object?: null;
    oldObject: T;
} | {
    operation: "CONNECT";
    object: T;
    oldObject?: null;
});

interface AdmissionResponse {
    uid: string;
    allowed: boolean;
    status?: Status;
    patch?: string;
    patchType?: "JSONPatch";
    auditAnnotations?: Record<string, string>;
    warnings?: string[];
}

interface AdmissionResponseExtras {
    readonly warnings?: readonly string[];
    readonly auditAnnotations?: Readonly<Record<string, string>>;
}

interface AdmissionReview<T = KubernetesObject> {
    apiVersion: string;
    kind: "AdmissionReview";
    request?: AdmissionRequest<T>;
    response?: AdmissionResponse;
}

interface AdmissionUser {
    username?: string;
    uid?: string;
    groups?: string[];
    extra?: Record<string, string[]>;
}

interface AllowedResponse<T = KubernetesObject> extends AdmissionResponseExtras {
    readonly allowed?: true;
    readonly object?: DeepReadonly<T>;
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
    request?: ConversionRequest;
    response?: ConversionResponse;
}

interface DeniedResponse extends AdmissionResponseExtras {
    readonly allowed: false;
    readonly message: string;
    readonly code?: number;
    readonly reason?: string;
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

type WebhookHandler = (request: Request) => Promise<Response>;

interface WebhookOptions {
    readonly maxBodyBytes?: number;
}

function admissionWebhook<T = KubernetesObject>(decide: AdmissionHandler<T>, options?: WebhookOptions): WebhookHandler;

function conversionWebhook(convert: ConversionHandler, options?: WebhookOptions): WebhookHandler;

function reviewAdmission<T = KubernetesObject>(review: unknown, decide: AdmissionHandler<T>): Promise<AdmissionReview<T>>;

function reviewConversion(review: unknown, convert: ConversionHandler): Promise<ConversionReview>;
