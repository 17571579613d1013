interface ProtobufOptions {
    readonly schemas?: readonly ProtobufSchema[] | undefined;
}

interface ProtobufSchema {
    readonly name: string;
    readonly kinds: Readonly<Record<string, string>>;
    readonly imports: readonly ProtobufSchema[];
    readonly messages: string;
}

const admissionV1: ProtobufSchema;

const admissionV1beta1: ProtobufSchema;

const admissionregistrationV1: ProtobufSchema;

const admissionregistrationV1alpha1: ProtobufSchema;

const admissionregistrationV1beta1: ProtobufSchema;

const apidiscoveryV2: ProtobufSchema;

const apidiscoveryV2beta1: ProtobufSchema;

const apiextensionsV1: ProtobufSchema;

const apiextensionsV1beta1: ProtobufSchema;

const apiregistrationV1: ProtobufSchema;

const apiregistrationV1beta1: ProtobufSchema;

const apiserverinternalV1alpha1: ProtobufSchema;

const appsV1: ProtobufSchema;

const appsV1beta1: ProtobufSchema;

const appsV1beta2: ProtobufSchema;

const authenticationV1: ProtobufSchema;

const authenticationV1alpha1: ProtobufSchema;

const authenticationV1beta1: ProtobufSchema;

const authorizationV1: ProtobufSchema;

const authorizationV1beta1: ProtobufSchema;

const autoscalingV1: ProtobufSchema;

const autoscalingV2: ProtobufSchema;

const batchV1: ProtobufSchema;

const batchV1beta1: ProtobufSchema;

const certificatesV1: ProtobufSchema;

const certificatesV1alpha1: ProtobufSchema;

const certificatesV1beta1: ProtobufSchema;

const coordinationV1: ProtobufSchema;

const coordinationV1alpha2: ProtobufSchema;

const coordinationV1beta1: ProtobufSchema;

const coreV1: ProtobufSchema;

const discoveryV1: ProtobufSchema;

const discoveryV1beta1: ProtobufSchema;

const eventsV1: ProtobufSchema;

const eventsV1beta1: ProtobufSchema;

const extensionsV1beta1: ProtobufSchema;

const flowcontrolV1: ProtobufSchema;

const flowcontrolV1beta1: ProtobufSchema;

const flowcontrolV1beta2: ProtobufSchema;

const flowcontrolV1beta3: ProtobufSchema;

const imagepolicyV1alpha1: ProtobufSchema;

const metaV1: ProtobufSchema;

const networkingV1: ProtobufSchema;

const networkingV1beta1: ProtobufSchema;

const nodeV1: ProtobufSchema;

const nodeV1alpha1: ProtobufSchema;

const nodeV1beta1: ProtobufSchema;

const policyV1: ProtobufSchema;

const policyV1beta1: ProtobufSchema;

function protobuf(options?: ProtobufOptions): Codec;

function protobufFor(schemas: readonly ProtobufSchema[]): Codec;

const rbacV1: ProtobufSchema;

const rbacV1alpha1: ProtobufSchema;

const rbacV1beta1: ProtobufSchema;

const resourceV1: ProtobufSchema;

const resourceV1alpha3: ProtobufSchema;

const resourceV1beta1: ProtobufSchema;

const resourceV1beta2: ProtobufSchema;

const schedulingV1: ProtobufSchema;

const schedulingV1alpha2: ProtobufSchema;

const schedulingV1beta1: ProtobufSchema;

const storageV1: ProtobufSchema;

const storageV1alpha1: ProtobufSchema;

const storageV1beta1: ProtobufSchema;

const storagemigrationV1beta1: ProtobufSchema;
