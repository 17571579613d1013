import type { RequestContext } from "../core.js";
import { textResponse } from "../http.js";
import type { ServerResponse } from "../http.js";

const hooks = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
].map((hook) => `poststarthook/${hook}`);

const started = [...hooks, "autoregister-completion", "poststarthook/apiservice-openapi-controller", "poststarthook/apiservice-openapiv3-controller"];
const alive = ["ping", "log", "loopback-serving-certificate", "etcd", ...started];

/** Checks by end point, in a real server's order. All that they name is done before the first request, so none can fail. */
const checksOf = new Map<string, readonly string[]>([
  ["healthz", alive],
  ["livez", alive],
  ["readyz", ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...started, "shutdown"]],
]);

/** Answers `/healthz`, `/livez` and `/readyz`; `undefined` for other paths. */
export function healthDocument(context: RequestContext, parts: readonly string[]): ServerResponse | undefined {
  const [root = "", ...rest] = parts;
  const checks = checksOf.get(root);
  if (checks === undefined) return undefined;
  if (rest.length > 0) return checks.includes(rest.join("/")) ? textResponse(200, "ok") : undefined;
  if (!context.query.has("verbose")) return textResponse(200, "ok");
  const excluded = new Set(context.query.getAll("exclude"));
  const lines = checks.map((check) => (excluded.has(check) ? `[+]${check} excluded: ok` : `[+]${check} ok`));
  const unknown = [...excluded].filter((name) => !checks.includes(name)).sort().map((name) => JSON.stringify(name));
  if (unknown.length > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown.join(",")}`);
  return textResponse(200, `${lines.join("\n")}\n${root} check passed\n`);
}
