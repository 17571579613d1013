import type { KubernetesObject } from "../../src/meta/object.js";

/** Shape of the manifests with which a program is installed. */
export interface InstallStyle {
  /** Name of the program. */
  readonly name: string;
  /** Kinds that it defines. A `!` marks cluster-scoped ones, a `~` those with a conversion webhook. */
  readonly kinds: readonly string[];
  /** Webhooks for its kinds. */
  readonly hooks: readonly ("Mutating" | "Validating")[];
  /** Other objects that it brings. */
  readonly extras: readonly ("quota" | "policy" | "job" | "budget" | "daemon" | "class" | "volume" | "second")[];
}

/** Programs as their manifests are usually published, in the shapes that make first installs fail. */
export const installStyles: readonly InstallStyle[] = [
  {
    name: "certificates",
    kinds: ["Issuer", "ClusterIssuer!", "Certificate"],
    hooks: ["Mutating", "Validating"],
    extras: ["job"],
  },
  { name: "monitoring", kinds: ["Monitor", "Rule", "Alerts"], hooks: ["Validating"], extras: ["daemon", "budget"] },
  { name: "delivery", kinds: ["Application", "Project"], hooks: [], extras: ["second"] },
  { name: "mesh", kinds: ["Gateway", "Route~"], hooks: ["Mutating", "Validating"], extras: ["daemon"] },
  { name: "serverless", kinds: ["Function~", "Revision"], hooks: ["Mutating"], extras: ["budget", "job"] },
  { name: "pipelines", kinds: ["Task", "Run~"], hooks: ["Validating"], extras: ["quota"] },
  { name: "sync", kinds: ["Source", "Kustomization"], hooks: [], extras: ["quota", "policy"] },
  { name: "infrastructure", kinds: ["Provider!", "Composition!"], hooks: ["Validating"], extras: [] },
  { name: "secrets", kinds: ["Store", "ClusterStore!"], hooks: ["Validating"], extras: ["second"] },
  { name: "policies", kinds: ["ClusterPolicy!", "Report"], hooks: ["Mutating", "Validating"], extras: ["policy"] },
  { name: "constraints", kinds: ["Template!"], hooks: ["Mutating"], extras: ["policy", "quota"] },
  { name: "clusters", kinds: ["Cluster~", "Machine~", "Pool"], hooks: ["Mutating", "Validating"], extras: ["second"] },
  { name: "storage", kinds: ["Volume", "Snapshot!"], hooks: [], extras: ["class", "daemon", "volume"] },
  { name: "messages", kinds: ["Topic", "User", "Broker"], hooks: [], extras: ["budget", "volume"] },
  { name: "scaling", kinds: ["Scaled", "Trigger!"], hooks: ["Validating"], extras: [] },
  { name: "backup", kinds: ["Backup", "Schedule"], hooks: [], extras: ["volume", "job"] },
  { name: "balancer", kinds: ["Pool", "Peer"], hooks: ["Validating"], extras: ["daemon", "second"] },
  { name: "replication", kinds: ["Replica", "Engine"], hooks: ["Mutating"], extras: ["class", "volume", "budget"] },
  { name: "sealed", kinds: ["Sealed"], hooks: [], extras: ["quota"] },
  {
    name: "quotas",
    kinds: ["Team!", "Plan~"],
    hooks: ["Mutating", "Validating"],
    extras: ["quota", "second", "policy"],
  },
];

/** Names and the address of the webhooks of an installation. */
export interface InstallPlace {
  /** Prefix of the names of cluster-scoped objects. */
  readonly id: string;
  /** Address of the webhooks. */
  readonly clientConfig: object;
}

/** Builds the manifests of a program. */
export function installSet({ name, kinds, hooks, extras }: InstallStyle, place: InstallPlace): KubernetesObject[] {
  const { id, clientConfig } = place;
  const group = `${name}.${id}.example.com`;
  const full = `${id}-${name}`;
  const inPlace = (object: string, namespace = full) => ({ name: object, namespace });
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { serviceAccountName: name, containers: [{ name, image: name }] } };
  const workload = { selector: { matchLabels: labels }, template };
  const core = (kind: string, metadata: object, more: object = {}) => ({ apiVersion: "v1", kind, metadata, ...more });
  const other = (api: string, kind: string, metadata: object, more: object = {}) => ({
    apiVersion: `${api}/v1`,
    kind,
    metadata,
    ...more,
  });
  const rbac = (kind: string, metadata: object, more: object) =>
    other("rbac.authorization.k8s.io", kind, metadata, more);
  const objects: object[] = [
    core("Namespace", { name: full, labels }),
    core("ServiceAccount", inPlace(name)),
    rbac("ClusterRole", { name: full }, { rules: [{ apiGroups: [group], resources: ["*"], verbs: ["*"] }] }),
    rbac(
      "ClusterRoleBinding",
      { name: full },
      {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: full },
        subjects: [{ kind: "ServiceAccount", name, namespace: full }],
      },
    ),
    core("ConfigMap", inPlace("config"), { data: { a: "1" } }),
    core("Service", inPlace(name), { spec: { selector: labels, ports: [{ port: 443 }] } }),
    other("apps", "Deployment", inPlace(name), { spec: workload }),
  ];
  for (const mark of kinds) {
    const kind = mark.replace(/[!~]/, "");
    const cluster = mark.endsWith("!");
    objects.push(...definition({ group, kind, cluster, convert: mark.endsWith("~") ? clientConfig : undefined }));
  }
  for (const kind of hooks)
    objects.push(
      other(
        "admissionregistration.k8s.io",
        `${kind}WebhookConfiguration`,
        { name: full },
        {
          webhooks: [
            {
              name: `${kind.toLowerCase()}.${group}`,
              clientConfig,
              rules: [{ apiGroups: [group], apiVersions: ["*"], operations: ["CREATE", "UPDATE"], resources: ["*"] }],
              sideEffects: "None",
              admissionReviewVersions: ["v1"],
            },
          ],
        },
      ),
    );
  const more: Record<InstallStyle["extras"][number], () => object[]> = {
    quota: () => [core("ResourceQuota", inPlace("limits"), { spec: { hard: { configmaps: "100" } } })],
    policy: () => [
      other(
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        { name: full },
        {
          spec: {
            matchConstraints: {
              resourceRules: [{ apiGroups: [group], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
            },
            validations: [{ expression: "true" }],
          },
        },
      ),
      other(
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        { name: full },
        {
          spec: { policyName: full, validationActions: ["Deny"] },
        },
      ),
    ],
    job: () => [
      other("batch", "Job", inPlace("migrate"), {
        spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } },
      }),
    ],
    budget: () => [
      other("policy", "PodDisruptionBudget", inPlace(name), {
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      }),
    ],
    daemon: () => [other("apps", "DaemonSet", inPlace("agent"), { spec: workload })],
    class: () => [other("storage.k8s.io", "StorageClass", { name: full }, { provisioner: `${id}.example.com` })],
    volume: () => [
      core("PersistentVolumeClaim", inPlace("data"), {
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
    ],
    second: () => [
      core("Namespace", { name: `${full}-system` }),
      core("Secret", inPlace("token", `${full}-system`), { stringData: { a: "1" } }),
      rbac("Role", inPlace("reader", `${full}-system`), {
        rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
      }),
      rbac("RoleBinding", inPlace("reader", `${full}-system`), {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
        subjects: [{ kind: "ServiceAccount", name, namespace: full }],
      }),
    ],
  };
  objects.push(...extras.flatMap((extra) => more[extra]()));
  for (const object of objects) {
    const { kind, spec } = object as { kind: string; spec: { names: { kind: string }; scope: string } };
    if (kind !== "CustomResourceDefinition") continue;
    // With a conversion webhook, the stored version isn't the one that is applied.
    objects.push({
      apiVersion: `${group}/v1`,
      kind: spec.names.kind,
      metadata: spec.scope === "Cluster" ? { name: full } : inPlace("main"),
      spec: { size: 1 },
    });
  }
  return objects as KubernetesObject[];
}

function definition({
  group,
  kind,
  cluster,
  convert,
}: {
  group: string;
  kind: string;
  cluster: boolean;
  convert: object | undefined;
}): object[] {
  const plural = `${kind.toLowerCase()}s`;
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
    },
  };
  const versions = convert === undefined ? ["v1"] : ["v1", "v1beta1"];
  return [
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: cluster ? "Cluster" : "Namespaced",
        names: { plural, kind },
        versions: versions.map((name) => ({ name, served: true, storage: name === versions.at(-1), schema })),
        ...(convert && {
          conversion: { strategy: "Webhook", webhook: { clientConfig: convert, conversionReviewVersions: ["v1"] } },
        }),
      },
    },
  ];
}
