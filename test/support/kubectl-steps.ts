/** One call of kubectl, with what it reads from its input. */
export interface KubectlStep {
  readonly words: readonly string[];
  readonly input?: string;
}

const namespace = "kubectl-steps";

function step(line: string, input?: object | readonly object[]): KubectlStep {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]!);
  const text = input === undefined ? undefined : (Array.isArray(input) ? input : [input]).map((one) => JSON.stringify(one)).join("\n---\n");
  return { words: ["-n", namespace, ...words], ...(text === undefined ? {} : { input: text }) };
}

const container = { name: "c", image: "nginx:1.27", ports: [{ containerPort: 80, name: "http" }], resources: { requests: { cpu: "100m", memory: "64Mi" } }, env: [{ name: "A", value: "b" }] };
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [container] } };

const configMap = (value: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { key: value, other: "x" } });
const deployment = (replicas: number, image = "nginx:1.27") => ({
  apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", labels: { app: "web" } },
  spec: { replicas, selector: { matchLabels: { app: "web" } }, template: { ...template, spec: { containers: [{ ...container, image }] } } },
});
const workloads = [
  { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db" }, spec: { serviceName: "db", selector: { matchLabels: { app: "db" } }, template: { metadata: { labels: { app: "db" } }, spec: { containers: [container] } }, volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }] } },
  { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent" }, spec: { selector: { matchLabels: { app: "agent" } }, template: { metadata: { labels: { app: "agent" } }, spec: { containers: [container] } } } },
  { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "copies" }, spec: { replicas: 2, selector: { matchLabels: { app: "copies" } }, template: { metadata: { labels: { app: "copies" } }, spec: { containers: [container] } } } },
  { apiVersion: "v1", kind: "ReplicationController", metadata: { name: "old" }, spec: { replicas: 1, selector: { app: "old" }, template: { metadata: { labels: { app: "old" } }, spec: { containers: [container] } } } },
  { apiVersion: "batch/v1", kind: "Job", metadata: { name: "once" }, spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
  { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "nightly" }, spec: { schedule: "0 3 * * *", timeZone: "Europe/Zurich", jobTemplate: { spec: { template: { spec: { restartPolicy: "OnFailure", containers: [container] } } } } } },
  { apiVersion: "v1", kind: "PodTemplate", metadata: { name: "mould" }, template },
];
const network = [
  { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] } },
  { apiVersion: "v1", kind: "Service", metadata: { name: "headless" }, spec: { clusterIP: "None", selector: { app: "db" }, ports: [{ port: 80 }] } },
  { apiVersion: "v1", kind: "Service", metadata: { name: "outside" }, spec: { type: "ExternalName", externalName: "example.com" } },
  { apiVersion: "v1", kind: "Service", metadata: { name: "balanced" }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } },
  { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { name: "front" }, spec: { ingressClassName: "nginx", tls: [{ hosts: ["example.com"], secretName: "tls" }], rules: [{ host: "example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }] } }] } },
  { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "closed" }, spec: { podSelector: { matchLabels: { app: "db" } }, policyTypes: ["Ingress"], ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 5432 }] }] } },
  { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: { name: "web-1", labels: { "kubernetes.io/service-name": "web" } }, addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true } }], ports: [{ name: "http", port: 80 }] },
  { apiVersion: "v1", kind: "Endpoints", metadata: { name: "web" }, subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }] },
];
const policies = [
  { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "keep" }, spec: { minAvailable: "50%", selector: { matchLabels: { app: "web" } } } },
  { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: "grow" }, spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, minReplicas: 1, maxReplicas: 5, metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } }] } },
  { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "most" }, spec: { hard: { secrets: "100", "requests.nvidia.com/gpu": "2" } } },
  { apiVersion: "v1", kind: "LimitRange", metadata: { name: "sizes" }, spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "10Gi" } }] } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "reader" }, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }] },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "readers" }, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" }, subjects: [{ kind: "ServiceAccount", name: "robot", namespace }] },
  { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "leader" }, spec: { holderIdentity: "me", leaseDurationSeconds: 15 } },
];
const storage = [
  { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "kubectl-steps" }, provisioner: "example.com/disk", allowVolumeExpansion: true },
  { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "kubectl-steps" }, spec: { capacity: { storage: "5Gi" }, accessModes: ["ReadWriteOnce"], storageClassName: "kubectl-steps", hostPath: { path: "/data" } } },
  { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], storageClassName: "kubectl-steps", resources: { requests: { storage: "5Gi" } } } },
  { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "kubectl-steps" }, value: 1000, description: "first" },
  { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "kubectl-steps" }, handler: "runsc" },
  { apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name: "kubectl-steps" }, spec: { controller: "example.com/front" } },
  { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name: "kubectl-steps.example.com" }, spec: { attachRequired: false } },
];
const definition = {
  apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: "widgets.steps.example.com" },
  spec: {
    group: "steps.example.com", scope: "Namespaced", names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wg"], categories: ["all"] },
    versions: [{
      name: "v1", served: true, storage: true, subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
      additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }, { name: "Note", type: "string", jsonPath: ".spec.note", priority: 1 }, { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }],
      schema: { openAPIV3Schema: { type: "object", description: "A thing of some size.", properties: { spec: { type: "object", required: ["size"], properties: { size: { type: "integer", minimum: 1, description: "How large it is." }, note: { type: "string", default: "none" }, replicas: { type: "integer" } } }, status: { type: "object", properties: { replicas: { type: "integer" } } } } } },
    }],
  },
};
const widget = (spec: object) => ({ apiVersion: "steps.example.com/v1", kind: "Widget", metadata: { name: "w" }, spec });
const kinds = "deploy,sts,ds,rs,rc,job,cj,podtemplates,svc,ing,netpol,endpointslices,ep,pdb,hpa,quota,limits,role,rolebinding,lease,pvc,cm,secret,sa";

/** Calls in the order in which they build on each other; they leave nothing behind but a namespace that is being deleted. */
export const kubectlSteps: readonly KubectlStep[] = [
  step("version -o json"),
  step("api-resources --sort-by=name"), step("api-resources -o wide --api-group=apps"), step("api-resources --namespaced=false --verbs=list,watch -o name"), step("api-versions"),
  step("auth whoami"), step("auth can-i create pods --all-namespaces"), step("auth can-i --list"), step("auth can-i get pods --as=nobody"), step("auth can-i get /healthz --as=nobody"), step("auth can-i frobnicate things"),
  step("cluster-info"), step("get --raw /healthz"), step("get --raw /nothing"), step("get --raw /readyz?verbose"), step("get componentstatuses etcd-0"),
  step(`create namespace ${namespace}`), step(`create namespace ${namespace}`), step("create namespace Bad_Name"), step(`get ns ${namespace} --show-labels`), step(`describe ns ${namespace}`),
  step("get pods"), step("get pods nothing"), step("get nothing"), step("get all"), step("get pods,svc"), step("get pods -l 'a in (b'"), step("get pods --field-selector spec.nothing=1"), step("get pods -l a=b,c!=d --field-selector status.phase=Running"),
  step("create configmap literal --from-literal=a=b --from-literal=c=d"), step("create configmap literal --from-literal=a=b"), step("get cm literal -o yaml"), step("get cm literal -o json"), step("get cm literal -o name"), step("get cm literal -o jsonpath={.data.a}"), step("get cm -o custom-columns=N:.metadata.name,D:.data.a"),
  step("create secret generic hidden --from-literal=password=x"), step("create secret tls bad --cert=/nowhere --key=/nowhere"), step("create secret docker-registry pull --docker-server=example.com --docker-username=u --docker-password=p"), step("get secrets"), step("describe secret hidden"), step("get secret hidden -o yaml"),
  step("apply -f -", configMap("1")), step("apply -f -", configMap("1")), step("apply -f -", configMap("2")), step("get cm settings -o yaml --show-managed-fields"), step("diff -f -", configMap("3")), step("diff --server-side -f -", configMap("3")), step("apply view-last-applied cm settings"),
  step("apply --server-side -f -", configMap("3")), step("apply --server-side --field-manager=other -f -", configMap("4")), step("apply --server-side --field-manager=other --force-conflicts -f -", configMap("4")), step("get cm settings -o yaml --show-managed-fields"), step("apply --dry-run=server -f -", configMap("5")), step("apply --dry-run=client -o yaml -f -", configMap("5")), step("replace -f -", configMap("6")), step("replace --force -f -", configMap("7")),
  step("apply -f -", { ...configMap("8"), datas: {} }), step("apply --validate=warn -f -", { ...configMap("8"), datas: {} }), step("apply --validate=ignore -f -", { ...configMap("9"), datas: {} }), step("create -f -", { apiVersion: "v1", kind: "Nothing", metadata: { name: "a" } }), step("create -f -", { kind: "ConfigMap" }), step("create -f -", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Bad Name" } }),
  step("apply -f -", deployment(2)), step("apply -f -", deployment(3)), step("get deploy web -o yaml"), step("get deploy -o wide"), step("scale deploy web --replicas=4"), step("scale deploy web --replicas=1 --current-replicas=9"), step("set image deploy/web c=nginx:1.28"), step("set env deploy/web B=c"), step("set env deploy/web --list"), step("set resources deploy/web --limits=cpu=200m,memory=128Mi"), step("set selector svc/nothing a=b"), step("set serviceaccount deploy/web robot"),
  step("rollout history deploy/web"), step("rollout pause deploy/web"), step("rollout restart deploy/web"), step("rollout resume deploy/web"), step("get deploy web -o jsonpath={.spec.template}"), step("autoscale deploy web --min=1 --max=3"), step("get hpa web -o yaml"), step("expose deploy web --port=80 --name=exposed"), step("get svc exposed -o yaml"),
  step("create deployment quick --image=busybox --replicas=1 -- sleep 1d"), step("get deploy quick -o yaml"), step("create job quick --image=busybox -- date"), step("get job quick -o yaml"), step("create cronjob quick --image=busybox '--schedule=*/5 * * * *' -- date"), step("create job from --from=cronjob/quick --dry-run=server -o yaml"),
  step("apply -f -", workloads), step("apply -f -", network), step("apply -f -", policies), step("apply -f -", storage),
  step(`get ${kinds}`), step(`get ${kinds} -o wide`), step(`get ${kinds} -o yaml`), step("get all"), step("get sc,pv,pc,runtimeclass,ingressclass,csidrivers kubectl-steps kubectl-steps.example.com --ignore-not-found"), step("get sc kubectl-steps"), step("get pv kubectl-steps -o wide"), step("get pc kubectl-steps -o yaml"), step("get csidriver kubectl-steps.example.com"),
  step("describe deploy web"), step("describe sts,ds,rs,rc,job,cj"), step("describe svc"), step("describe ing front"), step("describe netpol closed"), step("describe pdb,hpa,quota,limits"), step("describe role,rolebinding,sa,lease"), step("describe pv kubectl-steps"), step("describe pvc data"), step("describe sc kubectl-steps"),
  step("run solo --image=nginx --labels=app=solo --port=80 --env=A=b"), step("get pod solo -o yaml"), step("get pods -o wide"), step("get pods --show-labels"), step("describe pod solo"), step("label pod solo a=b"), step("label pod solo a=c"), step("label pod solo a=c --overwrite"), step("label pod solo a-"), step("label pod solo 'bad key=x'"), step("annotate pod solo note='long text'"), step("annotate pod solo note-"), step("label pods --all x=y"),
  step("patch pod solo -p '{\"metadata\":{\"labels\":{\"p\":\"1\"}}}'"), step("patch pod solo --type=merge -p '{\"metadata\":{\"labels\":{\"p\":null}}}'"), step("patch pod solo --type=json -p '[{\"op\":\"test\",\"path\":\"/metadata/name\",\"value\":\"x\"}]'"), step("patch pod solo --type=json -p '[{\"op\":\"add\",\"path\":\"/metadata/labels/j\",\"value\":\"1\"}]'"), step("patch pod solo -p '{\"spec\":{\"containers\":[{\"name\":\"solo\",\"image\":\"nginx:2\"}]}}'"), step("patch pod solo -p '{\"spec\":{\"hostNetwork\":true}}'"), step("patch pod solo --subresource=status --type=merge -p '{\"status\":{\"phase\":\"Running\",\"podIP\":\"192.0.2.9\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],\"containerStatuses\":[{\"name\":\"solo\",\"image\":\"nginx\",\"imageID\":\"\",\"ready\":true,\"restartCount\":2,\"state\":{\"running\":{\"startedAt\":\"2026-01-01T00:00:00Z\"}},\"lastState\":{}}]}}'"), step("get pod solo"), step("get pod solo --subresource=status -o jsonpath={.status.phase}"), step("wait --for=condition=Ready pod/solo --timeout=5s"), step("wait --for=jsonpath={.status.phase}=Running pod/solo --timeout=5s"), step("get pods -w --request-timeout=1s"), step("get pods --sort-by=.metadata.name -o name"), step("get pods --chunk-size=1 -o name"), step("get events"), step("top pods"), step("logs solo"), step("debug solo --image=busybox --target=solo -c look"), step("get pod solo -o jsonpath={.spec.ephemeralContainers[*].image}"),
  step("create serviceaccount worker"), step("create role seer --verb=get,list --resource=pods,deployments.apps"), step("create rolebinding seers --role=seer --serviceaccount=kubectl-steps:worker"), step("create clusterrole kubectl-steps --verb=get --non-resource-url=/metrics"), step("create clusterrolebinding kubectl-steps --clusterrole=kubectl-steps --user=jane"), step("auth can-i list pods --as=system:serviceaccount:kubectl-steps:worker"), step("auth can-i delete pods --as=system:serviceaccount:kubectl-steps:worker"), step("get pods --as=jane"), step("delete cm settings --as=jane"), step("auth reconcile -f -", { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "seer", namespace }, rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] }), step("describe role seer"), step("describe clusterrole kubectl-steps"), step("describe clusterrolebinding kubectl-steps"),
  step("create quota limited --hard=configmaps=50"), step("create pdb half --selector=app=web --min-available=1"), step("create priorityclass kubectl-steps-2 --value=5"), step("create service clusterip made --tcp=80:8080"), step("create service nodeport open --tcp=80:8080"), step("get svc open -o yaml"), step("create ingress made --rule=example.com/*=web:80"), step("get ing made -o yaml"),
  step("apply -f -", definition), step("wait --for=condition=Established crd/widgets.steps.example.com --timeout=20s"), step("get crd widgets.steps.example.com"), step("get crd widgets.steps.example.com -o jsonpath={.status.acceptedNames}{.status.storedVersions}{.status.conditions[*].reason}"), step("api-resources --api-group=steps.example.com"),
  step("apply -f -", widget({ size: 1 })), step("apply -f -", widget({ size: 0 })), step("apply -f -", widget({})), step("apply -f -", widget({ size: 2, colour: "red" })), step("apply --validate=false -f -", widget({ size: 2, colour: "red" })), step("get wg"), step("get wg -o wide"), step("get wg w -o yaml"), step("scale wg w --replicas=3"), step("get wg w --subresource=scale -o yaml"), step("patch wg w --type=merge -p '{\"spec\":{\"size\":\"x\"}}'"), step("patch wg w -p '{}'"), step("explain wg"), step("explain wg.spec.size"), step("explain wg --recursive"), step("describe wg w"), step("apply --server-side -f -", widget({ size: 4 })), step("delete wg w"), step("delete crd widgets.steps.example.com"), step("get wg"),
  step("explain pod.spec.containers.livenessProbe"), step("explain deployment --recursive"), step("explain svc --api-version=v1"), step("explain nothing"), step("explain pod.nothing"), step("explain hpa --api-version=autoscaling/v1"),
  step("create token worker --duration=1m"), step("create token nobody"), step("certificate approve nothing"), step("cordon nothing"), step("drain nothing"),
  step("delete pod solo --grace-period=0 --force"), step("delete pod solo"), step("delete deploy web --cascade=orphan --wait=false"), step("delete deploy,sts,ds --all"), step("delete svc -l nothing=x"), step("delete cm literal --dry-run=server"), step("delete cm literal settings nothing"), step("delete -f - --ignore-not-found", [...policies, ...network]),
  step("delete sc/kubectl-steps pv/kubectl-steps pc/kubectl-steps pc/kubectl-steps-2 runtimeclass/kubectl-steps ingressclass/kubectl-steps csidriver/kubectl-steps.example.com clusterrole/kubectl-steps clusterrolebinding/kubectl-steps --wait=false"),
  step(`delete ns ${namespace} --wait=false`), step(`get ns ${namespace} -o jsonpath={.status.phase}`), step("create cm late --from-literal=a=b"),
];
