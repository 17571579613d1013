import type { Probe, Step, Topic } from "../../probe.js";
import { devRequest, mastersRequest, nodeRequest } from "./certificate-requests.js";
import { core, get, type Json, leases, one, patch, pod, pods, post, quiet, remove } from "./steps.js";

const networking = "/apis/networking.k8s.io/v1";
const storage = "/apis/storage.k8s.io/v1";
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const nodes = "/api/v1/nodes";
const claims = `${core}/persistentvolumeclaims`;
const accounts = `${core}/serviceaccounts`;
const named = (name: string, more: Json = {}, meta: Json = {}): Json => ({ metadata: { name, ...meta }, ...more });

const ingressMark = { annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } };
const storageMark = { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } };
const betaMark = { annotations: { "storageclass.beta.kubernetes.io/is-default-class": "true" } };
const ingressClass = (name: string, meta: Json = {}): Step =>
  quiet(post(`${networking}/ingressclasses`, named(`${name}-\${ns}`, { spec: { controller: "a.b/c" } }, meta)));
const storageClass = (name: string, meta: Json = {}): Step =>
  quiet(post(`${storage}/storageclasses`, named(`${name}-\${ns}`, { provisioner: "a.b/c" }, meta)));
const ingress = (spec: Json = {}, meta: Json = {}): Step =>
  post(
    `${networking}/namespaces/\${ns}/ingresses?dryRun=All`,
    named("i", { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } }, ...spec } }, meta),
  );
const claim = (spec: Json = {}, meta: Json = {}): Step =>
  post(
    `${claims}?dryRun=All`,
    named(
      "c",
      { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec } },
      meta,
    ),
  );
/** A real server learns of new classes after a moment. */
const soon = (step: Step): Step => ({ ...step, pauseMs: 400 });

const zones = {
  labels: {
    "topology.kubernetes.io/zone": "z1",
    "topology.kubernetes.io/region": "r1",
    "topology.kubernetes.io/rack": "k1",
  },
};
const node = (name: string, meta: Json = {}, more: Json = {}): Step => post(nodes, named(name, more, meta));
const bind = (name: string, to: string): Step =>
  post(`${pods}/${name}/binding`, named(name, { target: { kind: "Node", name: to } }));

const signers = (verb: string, name: string): readonly Step[] => [
  quiet(
    post(`${rbac}/clusterroles`, {
      metadata: { name: "signer-${ns}" },
      rules: [
        { apiGroups: ["certificates.k8s.io"], resources: ["signers"], resourceNames: [name], verbs: [verb] },
        {
          apiGroups: ["certificates.k8s.io"],
          resources: [
            "certificatesigningrequests",
            "certificatesigningrequests/approval",
            "certificatesigningrequests/status",
          ],
          verbs: ["*"],
        },
      ],
    }),
  ),
  quiet(
    post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "signer-${ns}" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "signer-${ns}" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" }],
    }),
  ),
];
const unbound = [
  quiet(remove(`${rbac}/clusterrolebindings/signer-\${ns}`)),
  quiet(remove(`${rbac}/clusterroles/signer-\${ns}`)),
];
const csr = (name: string, signerName: string, request: string): Step =>
  post(requests, named(name, { spec: { request, signerName, usages: ["client auth"] } }));
const alice = (step: Step): Step => ({ ...step, token: "alice-token", pauseMs: 300 });
const approval = { status: { conditions: [{ type: "Approved", status: "True", reason: "r", message: "m" }] } };
const failed = { status: { conditions: [{ type: "Failed", status: "True", reason: "r", message: "m" }] } };
const decided = (verb: string, right: string): Probe =>
  one(
    `csr/${verb} ${right}`,
    quiet(csr("decided", "example.com/one", devRequest)),
    ...signers(verb, right),
    alice(patch(`${requests}/decided/approval`, "merge", approval)),
    alice(patch(`${requests}/decided/status`, "merge", failed)),
    alice(patch(`${requests}/decided/status`, "merge", { status: {} })),
    ...unbound,
    quiet(remove(`${requests}/decided`)),
  );

/** Admission plugins that are on by default. */
export const pluginScenarios: Topic = {
  name: "plugins",
  probes: [
    one("ingress/no class", ingress()),
    one(
      "ingress/unmarked",
      ingressClass("plain"),
      soon(ingress()),
      quiet(remove(`${networking}/ingressclasses/plain-\${ns}`)),
    ),
    one(
      "ingress/default",
      ingressClass("b", ingressMark),
      ingressClass("a", ingressMark),
      soon(ingress({}, { annotations: { "kubernetes.io/ingress.class": "own" } })),
      ingress({ ingressClassName: "own" }),
      quiet(remove(`${networking}/ingressclasses/a-\${ns}`)),
      soon(ingress()),
      quiet(remove(`${networking}/ingressclasses/b-\${ns}`)),
      soon(ingress()),
    ),
    one("claim/no class", claim()),
    one(
      "claim/default",
      storageClass("y", betaMark),
      soon(claim()),
      claim({ storageClassName: "" }),
      claim({ storageClassName: "own" }),
      claim({}, { annotations: { "volume.beta.kubernetes.io/storage-class": "own" } }),
      claim({}, { finalizers: ["kubernetes.io/pvc-protection"] }),
      { method: "GET", path: `${storage}/storageclasses/y-\${ns}`, silent: true, pauseMs: 1100 },
      storageClass("a", storageMark),
      soon(claim()),
      quiet(remove(`${storage}/storageclasses/y-\${ns}`)),
      quiet(remove(`${storage}/storageclasses/a-\${ns}`)),
    ),
    one(
      "finalizers",
      post(
        "/api/v1/persistentvolumes?dryRun=All",
        named("v", {
          spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], nfs: { server: "s", path: "/" } },
        }),
      ),
      post(`${storage}/volumeattributesclasses?dryRun=All`, named("v", { driverName: "a.b", parameters: { a: "b" } })),
    ),
    one("taints", node("taints-${ns}"), quiet(remove(`${nodes}/taints-\${ns}`))),
    one(
      "topology/labels",
      quiet(node("zoned-${ns}", zones)),
      quiet(post(pods, pod("bound", {}, { labels: { "topology.kubernetes.io/zone": "own", a: "b" } }))),
      soon(bind("bound", "zoned-${ns}")),
      get(`${pods}/bound`),
      post(pods, pod("placed", { nodeName: "zoned-${ns}" })),
      post(pods, pod("astray", { nodeName: "missing" })),
      quiet(post(pods, pod("lost"))),
      bind("lost", "missing"),
      get(`${pods}/lost`),
      quiet(remove(`${nodes}/zoned-\${ns}`)),
    ),
    one(
      "resize/features",
      quiet(node("bare-${ns}")),
      quiet(
        post(
          pods,
          pod("resized", {
            nodeName: "bare-${ns}",
            initContainers: [{ name: "i", image: "i", resources: { requests: { cpu: "1" } } }],
            containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }],
          }),
        ),
      ),
      soon(
        patch(`${pods}/resized/resize`, "strategic", {
          spec: { initContainers: [{ name: "i", resources: { requests: { cpu: "2" } } }] },
        }),
      ),
      quiet(remove(`${nodes}/bare-\${ns}`)),
    ),
    decided("approve", "example.com/one"),
    decided("approve", "example.com/*"),
    decided("approve", "example.com/two"),
    decided("sign", "example.com/one"),
    decided("sign", "example.com/*"),
    one("csr/masters", csr("m", "kubernetes.io/kube-apiserver-client", mastersRequest)),
    one("csr/masters elsewhere", csr("e", "example.com/one", mastersRequest), quiet(remove(`${requests}/e`))),
    one("csr/client", csr("d", "kubernetes.io/kube-apiserver-client", devRequest), quiet(remove(`${requests}/d`))),
  ],
};

/** A request by the node n1 that the authorizer allows. */
const asNode = (step: Step): Step => ({
  ...step,
  headers: { ...step.headers, "impersonate-user": "system:node:n1", "impersonate-group": "system:nodes" },
});
const mirror = (meta: Json = {}): Json => ({ annotations: { "kubernetes.io/config.mirror": "x" }, ...meta });
const owner = (more: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "Node",
  name: "n1",
  uid: "${uid}",
  controller: true,
  ...more,
});
const nodePod = (name: string, meta: Json, spec: Json = { nodeName: "n1" }): Step =>
  asNode(post(`${pods}?dryRun=All`, pod(name, spec, meta)));

const nodeProbes: readonly Probe[] = [
  one(
    "node/labels",
    ...[
      "example.com/a",
      "kubernetes.io/hostname",
      "kubernetes.io/other",
      "node-restriction.kubernetes.io/a",
      "kubelet.kubernetes.io/a",
      "x.node.kubernetes.io/a",
      "a.k8s.io/b",
    ].map((label) => asNode(patch(`${nodes}/n1`, "merge", { metadata: { labels: { [label]: "b" } } }))),
    asNode(patch(`${nodes}/n1`, "merge", { metadata: { labels: { "b.k8s.io/b": "b", "a.k8s.io/b": "b" } } })),
    asNode(patch(`${nodes}/n1`, "merge", { spec: { taints: [] } })),
    asNode(
      patch(`${nodes}/n1`, "merge", {
        metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "b" }] },
      }),
    ),
    asNode(patch(`${nodes}/n1/status`, "merge", { status: { phase: "Running" } })),
    asNode(patch(`${nodes}/n2`, "merge", { metadata: { labels: { a: "b" } } })),
    asNode(post(`${nodes}?dryRun=All`, named("n3"))),
    asNode(remove(`${nodes}/n2?dryRun=All`)),
  ),
  one(
    "node/pods",
    { ...quiet(get(`${nodes}/n1`)), capture: { uid: "/metadata/uid" } },
    nodePod("plain", {}),
    nodePod("elsewhere", mirror(), { nodeName: "n2" }),
    nodePod("ownerless", mirror()),
    nodePod("foreign", mirror({ ownerReferences: [owner({ name: "n2" })] })),
    nodePod("loose", mirror({ ownerReferences: [owner({ controller: false })] })),
    nodePod("blocking", mirror({ ownerReferences: [owner({ blockOwnerDeletion: true })] })),
    nodePod("stale", mirror({ ownerReferences: [owner({ uid: "other" })] })),
    nodePod("secret", mirror({ ownerReferences: [owner()] }), {
      nodeName: "n1",
      volumes: [{ name: "v", secret: { secretName: "s" } }],
    }),
    nodePod("own", mirror({ ownerReferences: [owner()] })),
    asNode(patch(`${pods}/here/status`, "merge", { status: { reason: "r" } })),
    asNode(patch(`${pods}/there/status`, "merge", { status: { reason: "r" } })),
    asNode(patch(`${pods}/here`, "merge", { metadata: { labels: { a: "b" } } })),
    asNode(remove(`${pods}/there`)),
    asNode(remove(`${pods}/here?dryRun=All`)),
  ),
  one(
    "node/leases",
    asNode(post("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?dryRun=All", named("n1"))),
    asNode(post("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?dryRun=All", named("n2"))),
    asNode(post(`${leases}?dryRun=All`, named("n1"))),
    asNode(post(`${storage}/csinodes?dryRun=All`, named("n1", { spec: { drivers: [] } }))),
    asNode(post(`${storage}/csinodes?dryRun=All`, named("n2", { spec: { drivers: [] } }))),
  ),
  one(
    "node/csr",
    asNode(csr("own-${ns}", "kubernetes.io/kube-apiserver-client-kubelet", nodeRequest)),
    asNode(csr("other-${ns}", "kubernetes.io/kube-apiserver-client-kubelet", devRequest)),
    asNode(csr("free-${ns}", "example.com/one", devRequest)),
  ),
  one(
    "node/claims",
    asNode(patch(`${claims}/data/status`, "merge", { metadata: { labels: { a: "b" } } })),
    asNode(patch(`${claims}/data`, "merge", {})),
  ),
];

const accountPod = (name: string, spec: Json = {}, meta: Json = {}): Step =>
  post(`${pods}?dryRun=All`, pod(name, spec, meta));
const accountProbes: readonly Probe[] = [
  one(
    "account/mounts",
    accountPod("plain"),
    accountPod("missing", { serviceAccountName: "nobody" }),
    accountPod("silent", { automountServiceAccountToken: false }),
    accountPod("quiet", { serviceAccountName: "quiet" }),
    accountPod("quiet-mounts", { serviceAccountName: "quiet", automountServiceAccountToken: true }),
    accountPod("pulls", { serviceAccountName: "strict" }),
    accountPod("own-pulls", { serviceAccountName: "quiet", imagePullSecrets: [{ name: "x" }] }),
    accountPod("mounted", {
      initContainers: [{ name: "i", image: "i" }],
      containers: [
        {
          name: "c",
          image: "i",
          volumeMounts: [{ name: "v", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }],
        },
      ],
      volumes: [{ name: "v", emptyDir: {} }],
    }),
    accountPod("named", { volumes: [{ name: "kube-api-access-mine", emptyDir: {} }] }),
  ),
  one(
    "account/secrets",
    accountPod("volume", { serviceAccountName: "strict", volumes: [{ name: "v", secret: { secretName: "b" } }] }),
    accountPod("listed", { serviceAccountName: "strict", volumes: [{ name: "v", secret: { secretName: "a" } }] }),
    accountPod("env", {
      serviceAccountName: "strict",
      containers: [
        { name: "c", image: "i", env: [{ name: "E", valueFrom: { secretKeyRef: { name: "b", key: "k" } } }] },
      ],
    }),
    accountPod("env-from", {
      serviceAccountName: "strict",
      initContainers: [{ name: "i", image: "i", envFrom: [{ secretRef: { name: "b" } }] }],
    }),
    accountPod("pull", { serviceAccountName: "strict", imagePullSecrets: [{ name: "p" }, { name: "q" }] }),
    accountPod("mirror", { nodeName: "n1", serviceAccountName: "quiet" }, mirror()),
    accountPod("mirror-secret", { nodeName: "n1", volumes: [{ name: "v", secret: { secretName: "a" } }] }, mirror()),
    accountPod("mirror-plain", { nodeName: "n1" }, mirror()),
  ),
];

/** Admission plugins that are off by default. The real server needs `--enable-admission-plugins` as well. */
export const optionalPluginScenarios: Topic = {
  name: "plugins-optional",
  server: "optional-plugins",
  setup: [
    post(accounts, named("default")),
    post(accounts, named("quiet", { automountServiceAccountToken: false })),
    post(
      accounts,
      named(
        "strict",
        { secrets: [{ name: "a" }], imagePullSecrets: [{ name: "p" }] },
        { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
      ),
    ),
    node("n1"),
    post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "nodes-${ns}" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:nodes" }],
    }),
    node("n2"),
    { ...get(`${nodes}/n1`), pauseMs: 500 },
    post(pods, pod("here", { nodeName: "n1" })),
    post(pods, pod("there", { nodeName: "n2" })),
    post(
      claims,
      named("data", { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }),
    ),
  ],
  probes: [...nodeProbes, ...accountProbes],
};
