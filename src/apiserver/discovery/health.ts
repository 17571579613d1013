import type { ServerResponse } from "../http/http.js";
import { textResponse } from "../http/http.js";
import { words } from "../internal/words.js";
import { metricsResponse } from "./metrics.js";
import type { DiscoveryContext } from "./services.js";

const hooks = words(
  "start-apiserver-admission-initializer generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer priority-and-fairness-filter storage-object-count-tracker-hook",
  "start-apiextensions-informers start-apiextensions-controllers crd-informer-synced",
  "start-system-namespaces-controller peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector storage-readiness",
  "start-legacy-token-tracking-controller start-service-ip-repair-controllers rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes priority-and-fairness-config-producer",
  "bootstrap-controller start-kubernetes-service-cidr-controller start-kube-aggregator-informers",
  "apiservice-status-local-available-controller apiservice-status-remote-available-controller",
  "apiservice-registration-controller apiservice-discovery-controller kube-apiserver-autoregistration",
).map((name) => `poststarthook/${name}`);
const last = [
  "autoregister-completion",
  "poststarthook/apiservice-openapi-controller",
  "poststarthook/apiservice-openapiv3-controller",
];
const alive = ["ping", "log", "loopback-serving-certificate", "etcd", ...hooks, ...last];
const ready = ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...hooks, ...last, "shutdown"];
const checks: Readonly<Record<string, readonly string[]>> = { healthz: alive, livez: alive, readyz: ready };

/** Paths of all checks, for the server's index. */
export const healthPaths: readonly string[] = Object.entries(checks).flatMap(([root, names]) => [
  `/${root}`,
  ...names.map((name) => `/${root}/${name}`),
]);

/** Serves `/healthz`, `/livez` and `/readyz` for any method; returns `undefined` for other paths. */
export function healthDocument(context: DiscoveryContext, parts: readonly string[]): ServerResponse | undefined {
  const [root = "", ...rest] = parts;
  const names = Object.hasOwn(checks, root) ? checks[root]! : undefined;
  if (names === undefined || context.info.path !== `/${parts.join("/")}`) return undefined;
  if (rest.length > 0) {
    if (!names.includes(rest.join("/"))) return undefined;
    const { status, headers, body } = textResponse(200, "ok");
    return { status, headers: headers.filter(([name]) => name !== "X-Content-Type-Options"), body };
  }
  const excluded = new Set(context.query.getAll("exclude"));
  if (!context.query.has("verbose")) return textResponse(200, "ok");
  const lines = names.map((check) => (excluded.has(check) ? `[+]${check} excluded: ok` : `[+]${check} ok`));
  const unknown = [...excluded].filter((check) => !names.includes(check)).sort();
  if (unknown.length > 0)
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${unknown.map((check) => JSON.stringify(check)).join(",")}`,
    );
  return textResponse(200, `${lines.join("\n")}\n${root} check passed\n`);
}

/** Serves `/metrics/slis` in Prometheus' text format: the result of each health check, which is always a success. */
export function healthMetrics(): ServerResponse {
  const lines = Object.entries(checks).flatMap(([type, names]) =>
    names.map((name) => `kubernetes_healthcheck{name="${name}",type="${type}"} 1`),
  );
  return metricsResponse(["# TYPE kubernetes_healthcheck gauge", ...lines]);
}
