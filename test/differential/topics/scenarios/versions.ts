import type { Topic } from "../../probe.js";
import { one, post } from "./steps.js";

/** Collections with versions of their kind that are current, old or invalid. */
const places: readonly (readonly [path: string, kind: string, versions: readonly string[]])[] = [
  ["/api/v1/namespaces/${ns}/pods", "Pod", ["v2", "extensions/v1beta1"]],
  [
    "/apis/apps/v1/namespaces/${ns}/deployments",
    "Deployment",
    ["apps/v1beta1", "apps/v1beta2", "extensions/v1beta1", "apps/v1alpha1", "v1"],
  ],
  ["/apis/apps/v1/namespaces/${ns}/replicasets", "ReplicaSet", ["apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"]],
  ["/apis/apps/v1/namespaces/${ns}/daemonsets", "DaemonSet", ["apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"]],
  [
    "/apis/apps/v1/namespaces/${ns}/statefulsets",
    "StatefulSet",
    ["apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"],
  ],
  ["/apis/apps/v1/namespaces/${ns}/controllerrevisions", "ControllerRevision", ["apps/v1beta1", "apps/v1beta2"]],
  ["/apis/batch/v1/namespaces/${ns}/cronjobs", "CronJob", ["batch/v1beta1", "batch/v2alpha1"]],
  ["/apis/batch/v1/namespaces/${ns}/jobs", "Job", ["batch/v1beta1", "extensions/v1beta1"]],
  ["/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets", "PodDisruptionBudget", ["policy/v1beta1"]],
  [
    "/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses",
    "Ingress",
    ["extensions/v1beta1", "networking.k8s.io/v1beta1"],
  ],
  [
    "/apis/networking.k8s.io/v1/namespaces/${ns}/networkpolicies",
    "NetworkPolicy",
    ["extensions/v1beta1", "networking.k8s.io/v1beta1"],
  ],
  [
    "/apis/networking.k8s.io/v1/ingressclasses",
    "IngressClass",
    ["networking.k8s.io/v1beta1", "networking.k8s.io/v1alpha1"],
  ],
  [
    "/apis/networking.k8s.io/v1/servicecidrs",
    "ServiceCIDR",
    ["networking.k8s.io/v1beta1", "networking.k8s.io/v1alpha1"],
  ],
  [
    "/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers",
    "HorizontalPodAutoscaler",
    ["autoscaling/v2beta1", "autoscaling/v2beta2", "autoscaling/v1", "extensions/v1beta1"],
  ],
  ...["roles", "rolebindings"].map(
    (plural) =>
      [
        `/apis/rbac.authorization.k8s.io/v1/namespaces/\${ns}/${plural}`,
        plural === "roles" ? "Role" : "RoleBinding",
        ["rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1alpha1"],
      ] as const,
  ),
  [
    "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    "FlowSchema",
    ["v1beta3", "v1beta2", "v1beta1", "v1alpha1"].map((version) => `flowcontrol.apiserver.k8s.io/${version}`),
  ],
  [
    "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    "PriorityLevelConfiguration",
    ["flowcontrol.apiserver.k8s.io/v1beta3", "flowcontrol.apiserver.k8s.io/v1alpha1"],
  ],
  ...["StorageClass", "VolumeAttachment", "CSIDriver", "CSINode", "VolumeAttributesClass"].map(
    (kind) =>
      [
        `/apis/storage.k8s.io/v1/${kind.toLowerCase()}${kind.endsWith("s") ? "es" : "s"}`,
        kind,
        ["storage.k8s.io/v1beta1", "storage.k8s.io/v1alpha1"],
      ] as const,
  ),
  [
    "/apis/storage.k8s.io/v1/namespaces/${ns}/csistoragecapacities",
    "CSIStorageCapacity",
    ["storage.k8s.io/v1beta1", "storage.k8s.io/v1alpha1"],
  ],
  [
    "/apis/coordination.k8s.io/v1/namespaces/${ns}/leases",
    "Lease",
    ["coordination.k8s.io/v1beta1", "coordination.k8s.io/v1alpha1"],
  ],
  [
    "/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices",
    "EndpointSlice",
    ["discovery.k8s.io/v1beta1", "discovery.k8s.io/v1alpha1"],
  ],
  ["/api/v1/namespaces/${ns}/events", "Event", ["events.k8s.io/v1beta1", "events.k8s.io/v1"]],
  ["/apis/events.k8s.io/v1/namespaces/${ns}/events", "Event", ["events.k8s.io/v1beta1", "v1"]],
  [
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    "PriorityClass",
    ["scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha1"],
  ],
  ...[
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
  ].map(
    (kind) =>
      [
        `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase().replace(/y$/, "ie")}s`,
        kind,
        ["admissionregistration.k8s.io/v1beta1", "admissionregistration.k8s.io/v1alpha1"],
      ] as const,
  ),
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "CustomResourceDefinition",
    ["apiextensions.k8s.io/v1beta1"],
  ],
  ["/apis/apiregistration.k8s.io/v1/apiservices", "APIService", ["apiregistration.k8s.io/v1beta1"]],
  [
    "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    "CertificateSigningRequest",
    ["certificates.k8s.io/v1beta1", "certificates.k8s.io/v1alpha1"],
  ],
  ["/apis/node.k8s.io/v1/runtimeclasses", "RuntimeClass", ["node.k8s.io/v1beta1", "node.k8s.io/v1alpha1"]],
  ...["DeviceClass", "ResourceSlice"].map(
    (kind) =>
      [
        `/apis/resource.k8s.io/v1/${kind.toLowerCase()}${kind.endsWith("s") ? "es" : "s"}`,
        kind,
        ["resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"],
      ] as const,
  ),
  [
    "/apis/authentication.k8s.io/v1/tokenreviews",
    "TokenReview",
    ["authentication.k8s.io/v1beta1", "authentication.k8s.io/v1alpha1"],
  ],
  [
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    "SelfSubjectReview",
    ["authentication.k8s.io/v1beta1", "authentication.k8s.io/v1alpha1"],
  ],
  [
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "SelfSubjectAccessReview",
    ["authorization.k8s.io/v1beta1"],
  ],
  [
    "/apis/apps/v1/namespaces/${ns}/deployments",
    "Scale",
    ["apps/v1beta1", "apps/v1beta2", "autoscaling/v1", "extensions/v1beta1"],
  ],
  ["/apis/apps/v1/namespaces/${ns}/deployments", "ImageReview", ["imagepolicy.k8s.io/v1alpha1"]],
  [
    "/apis/apps/v1/namespaces/${ns}/deployments",
    "AdmissionReview",
    ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"],
  ],
  ["/apis/apps/v1/namespaces/${ns}/deployments", "Ingress", ["extensions/v1beta1", "networking.k8s.io/v1beta1"]],
  ["/apis/apps/v1/namespaces/${ns}/deployments", "Table", ["meta.k8s.io/v1"]],
  ["/apis/apps/v1/namespaces/${ns}/deployments", "Event", ["audit.k8s.io/v1", "events.k8s.io/v1beta1"]],
];

/** Bodies in versions of their kind that the server doesn't serve or doesn't know. */
export const versionScenarios: Topic = {
  name: "versions",
  probes: places.flatMap(([path, kind, versions]) =>
    versions.map((apiVersion) =>
      one(
        `${path.split("/").at(-1)!}/${apiVersion} ${kind}`,
        post(`${path}?dryRun=All`, { apiVersion, kind, metadata: { name: "x" } }),
      ),
    ),
  ),
};
