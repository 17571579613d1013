import { ValidatingAdmissionPolicy } from "../../../../src/kinds/admissionregistration/v1.js";
import { ConfigMap, Namespace, Secret, ServiceAccount } from "../../../../src/kinds/core/v1.js";
import { ServiceCIDR } from "../../../../src/kinds/networking/v1.js";
import {
  act,
  create,
  note,
  patch,
  remove,
  type Scenario,
  type ScenarioStep,
  type Stage,
  template,
  wait,
  web,
} from "../scenario.js";

/** Creates an object with a reference to another ConfigMap. */
const child = (name: string, ownerName: string, fields: object = {}): ScenarioStep =>
  act(`create ${name}, owned by ${ownerName}`, async ({ client, namespace }) => {
    const maps = client.resource(ConfigMap).namespace(namespace);
    const { metadata } = await maps.get(ownerName);
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: ownerName, uid: metadata!.uid!, ...fields }];
    await maps.create({ metadata: { name, ownerReferences } });
  });

const garbage: readonly Scenario[] = [
  {
    name: "owner-recreated",
    steps: [
      create("ConfigMap", "owner", {}),
      child("child", "owner"),
      remove("ConfigMap", "owner", { propagationPolicy: "Orphan" }),
      create("ConfigMap", "owner", {}),
      child("late", "owner", { blockOwnerDeletion: true, controller: true }),
      remove("ConfigMap", "owner", { propagationPolicy: "Foreground" }, 8_000),
    ],
  },
  {
    name: "owners-circular",
    steps: [
      create("ConfigMap", "a", {}),
      child("b", "a", { blockOwnerDeletion: true }),
      act("let a depend on b", async ({ client, namespace }) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        const { metadata } = await maps.get("b");
        const ownerReferences = [
          { apiVersion: "v1", kind: "ConfigMap", name: "b", uid: metadata!.uid!, blockOwnerDeletion: true },
        ];
        await maps.patch("a", { type: "merge", patch: { metadata: { ownerReferences } } });
      }),
      remove("ConfigMap", "a", { propagationPolicy: "Foreground" }, 8_000),
    ],
  },
  {
    name: "owner-held-child",
    steps: [
      create("ConfigMap", "owner", {}),
      child("blocks", "owner", { blockOwnerDeletion: true }),
      child("free", "owner"),
      patch("ConfigMap", "blocks", { metadata: { finalizers: ["example.com/hold"] } }),
      patch("ConfigMap", "free", { metadata: { finalizers: ["example.com/hold"] } }),
      remove("ConfigMap", "owner", { propagationPolicy: "Foreground" }, 8_000),
      patch("ConfigMap", "blocks", { metadata: { finalizers: null } }, 8_000),
      patch("ConfigMap", "free", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "owner-kind-unknown",
    steps: [
      create(
        "ConfigMap",
        "kept",
        {
          metadata: {
            name: "kept",
            ownerReferences: [
              { apiVersion: "example.com/v1", kind: "Gadget", name: "x", uid: "00000000-0000-4000-8000-000000000001" },
            ],
          },
        },
        10_000,
      ),
    ],
  },
];

const secretsOf = async ({ client, namespace }: Stage): Promise<unknown> => {
  const { items } = await client.resource(Secret).namespace(namespace).list();
  return items.map(({ metadata, type, data }) => [metadata?.name, type, Object.keys(data ?? {}).sort()]);
};
const createRange = (cidr: string, suffix = ""): ScenarioStep =>
  act(`create the range ${cidr}`, ({ client, namespace }) =>
    client.resource(ServiceCIDR).create({ metadata: { name: namespace + suffix }, spec: { cidrs: [cidr] } }),
  );
const deleteRange = (waitMs: number, suffix = ""): ScenarioStep =>
  act(
    `delete the range${suffix}`,
    ({ client, namespace }) => client.resource(ServiceCIDR).delete(namespace + suffix),
    waitMs,
  );
const readRange =
  (suffix = "") =>
  async ({ client, namespace }: Stage): Promise<unknown> => {
    const range = await client.resource(ServiceCIDR).getOptional(namespace + suffix);
    const conditions = range?.status?.conditions ?? [];
    return [
      range?.metadata?.finalizers,
      ...conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
    ];
  };
const policies: readonly Scenario[] = [
  {
    name: "account-tokens",
    steps: [
      act(
        "create an account and secrets for it",
        async ({ client, namespace }) => {
          await client
            .resource(ServiceAccount)
            .namespace(namespace)
            .create({ metadata: { name: "robot" } });
          for (const [name, account] of [
            ["token", "robot"],
            ["lost", "nobody"],
          ] as const)
            await client
              .resource(Secret)
              .namespace(namespace)
              .create({
                metadata: { name, annotations: { "kubernetes.io/service-account.name": account } },
                type: "kubernetes.io/service-account-token",
              });
        },
        15_000,
      ),
      note("secrets", secretsOf),
      act(
        "delete the account",
        ({ client, namespace }) => client.resource(ServiceAccount).namespace(namespace).delete("robot"),
        10_000,
      ),
      note("secrets-later", secretsOf),
    ],
  },
  {
    name: "policy-checked",
    steps: [
      act("create a policy with a wrong type", async ({ client, namespace }) => {
        await client.resource(ValidatingAdmissionPolicy).create({
          metadata: { name: namespace, labels: { scenario: namespace } },
          spec: {
            matchConstraints: {
              resourceRules: [
                { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] },
              ],
            },
            validations: [{ expression: "object.spec.replicas < 'a'" }, { expression: "object.spec.replicas < 5" }],
          },
        });
      }),
      note("status", async ({ client, namespace }) => {
        const { status } = await client.resource(ValidatingAdmissionPolicy).get(namespace);
        return [status?.observedGeneration, status?.typeChecking?.expressionWarnings?.map(({ fieldRef }) => fieldRef)];
      }),
      act(
        "delete the policy",
        ({ client, namespace }) => client.resource(ValidatingAdmissionPolicy).delete(namespace),
        500,
      ),
    ],
  },
  {
    name: "service-addresses-added",
    steps: [createRange("10.77.0.0/24"), note("range", readRange()), deleteRange(13_000), note("later", readRange())],
  },
  {
    name: "service-addresses-used",
    steps: [
      createRange("10.78.0.0/28"),
      create("Service", "first", { spec: { clusterIP: "10.78.0.1", ports: [{ port: 80 }] } }),
      create("Service", "last", { spec: { clusterIP: "10.78.0.15", ports: [{ port: 80 }] } }),
      deleteRange(13_000),
      note("range", readRange()),
      create("Service", "late", { spec: { clusterIP: "10.78.0.2", ports: [{ port: 80 }] } }),
      createRange("10.78.0.0/24", "-larger"),
      note("later", readRange()),
      deleteRange(2_000, "-larger"),
      note("larger", readRange("-larger")),
      remove("Service", "first", {}, 13_000),
      note("end", readRange("-larger")),
    ],
  },
  {
    name: "quota-counts",
    steps: [
      create("ResourceQuota", "counts", {
        spec: {
          hard: {
            "count/deployments.apps": "1",
            "count/replicasets.apps": "2",
            "count/configmaps": "3",
            "count/pods": "2",
            "limits.cpu": "1",
            "requests.memory": "1Gi",
          },
        },
      }),
      create(
        "Deployment",
        "web",
        web({ replicas: 2 }, "web:1", {}, { resources: { limits: { cpu: "600m", memory: "100Mi" } } }),
        10_000,
      ),
      create("Deployment", "more", web({ replicas: 1 })),
      patch(
        "Deployment",
        "web",
        {
          spec: {
            template: {
              spec: {
                containers: [{ name: "main", image: "web:2", resources: { limits: { cpu: "100m", memory: "100Mi" } } }],
              },
            },
          },
        },
        12_000,
      ),
      create("ConfigMap", "one", {}),
      create("ConfigMap", "two", {}),
      create("ConfigMap", "three", {}),
      remove("ConfigMap", "one", {}, 8_000),
    ],
  },
  {
    name: "quota-cross-namespace",
    steps: [
      create("ResourceQuota", "affinity", {
        spec: { hard: { pods: "1" }, scopes: ["CrossNamespacePodAffinity"] },
      }),
      ...["first", "second"].map((name) =>
        create("Pod", name, {
          spec: {
            containers: [{ name: "main", image: "web:1" }],
            affinity: {
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  {
                    weight: 1,
                    podAffinityTerm: {
                      topologyKey: "kubernetes.io/hostname",
                      namespaces: ["default"],
                      labelSelector: {},
                    },
                  },
                ],
              },
            },
          },
        }),
      ),
      create("Pod", "plain", { spec: { containers: [{ name: "main", image: "web:1" }] } }),
    ],
  },
  {
    name: "budget-of-jobs",
    steps: [
      create("Job", "job", {
        spec: { completions: 2, parallelism: 2, template: template("job", "stay:1", { restartPolicy: "Never" }) },
      }),
      create("PodDisruptionBudget", "number", { spec: { minAvailable: 1, selector: { matchLabels: { app: "job" } } } }),
      create("PodDisruptionBudget", "share", {
        spec: { maxUnavailable: "50%", selector: { matchLabels: { app: "job" } } },
      }),
    ],
  },
  {
    name: "autoscalers-of-one-target",
    steps: [
      create("Deployment", "web", web({ replicas: 1 })),
      ...["one", "two"].map((name) =>
        create(
          "HorizontalPodAutoscaler",
          name,
          {
            spec: {
              minReplicas: 2,
              maxReplicas: 3,
              scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
            },
          },
          25_000,
        ),
      ),
    ],
  },
  {
    name: "namespace-of-workloads",
    steps: [
      act("create a namespace with a workload and delete it", async ({ client, namespace, ...stage }) => {
        const name = `${namespace}-full`;
        await client.resource(Namespace).create({ metadata: { name } });
        const inside = { ...stage, client, namespace: name };
        await create(
          "Deployment",
          "web",
          web({ replicas: 2 }, "stubborn:1", { terminationGracePeriodSeconds: 12 }),
        ).run(inside);
        await create("PodDisruptionBudget", "web", {
          spec: { maxUnavailable: 0, selector: { matchLabels: { app: "web" } } },
        }).run(inside);
        await new Promise((resolve) => setTimeout(resolve, 4_000));
        await client.resource(Namespace).delete(name);
      }),
      note("while-pods-end", async ({ client, namespace }) => {
        const found = await client.resource(Namespace).getOptional(`${namespace}-full`);
        return found?.status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]);
      }),
      wait(15_000),
      note("then", async ({ client, namespace }) => await client.resource(Namespace).getOptional(`${namespace}-full`)),
    ],
  },
];

export const clusterEdges: readonly Scenario[] = [...garbage, ...policies];
