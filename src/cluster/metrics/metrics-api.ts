import type { ServiceHandler } from "../../apiserver/http/service-resolver.js";
import type { Informer } from "../../cache/informer/informer.js";
import { utf8Encode } from "../../internal/bytes.js";
import type { Clock } from "../../internal/clock.js";
import { type PlainHandler, plainHandler } from "../../internal/plain-handler.js";
import type { Pod } from "../../kinds/core/v1.js";
import type { ObjectMeta } from "../../meta/object.js";
import { matchesLabels, parseLabelSelector } from "../../meta/selectors.js";
import { formatTime } from "../../meta/time.js";
import { NodeMetrics, PodMetrics, sumUsage } from "../../operations/usage.js";
import type { SimulatedNode } from "../nodes/simulated-node.js";

/** Group and version of the API. */
const apiVersion = "metrics.k8s.io/v1beta1";
/** Interval that a measurement covers. */
const window = "15s";

/** Dependencies of `createMetricsApi`. */
export interface MetricsApiOptions {
  readonly nodes: ReadonlyMap<string, SimulatedNode>;
  readonly pods: () => Informer<Pod>;
  /** Returns the labels of a node. */
  readonly nodeLabels: (name: string) => Readonly<Record<string, string>> | undefined;
  readonly clock: Clock;
}

/** Creates the function that answers requests for `metrics.k8s.io`, like a metrics server. */
export function createMetricsApi({ nodes, pods, nodeLabels, clock }: MetricsApiOptions): ServiceHandler {
  const podMetrics = (namespace: string | undefined): PodMetrics[] =>
    pods()
      .store.list(namespace === undefined ? {} : { namespace })
      .flatMap(({ metadata, spec }) => {
        const node = nodes.get(spec?.nodeName ?? "");
        const player = node?.state === "up" ? node.player(`${metadata!.namespace}/${metadata!.name}`) : undefined;
        const containers = player?.uid === metadata!.uid ? (player?.usage() ?? []) : [];
        if (containers.length === 0) return [];
        const { name, namespace: own, labels } = metadata!;
        return [measured<PodMetrics>({ name, namespace: own, labels }, { containers })];
      });
  const nodeMetrics = (): NodeMetrics[] =>
    [...nodes.values()].flatMap((node) => {
      const labels = nodeLabels(node.name);
      if (node.state !== "up" || labels === undefined) return [];
      const used = [...node.players].flatMap(([, player]) => player.usage().map(({ usage }) => usage));
      const usage = sumUsage([{ cpu: "0", memory: "0" }, ...used]);
      return [measured<NodeMetrics>({ name: node.name, labels }, { usage })];
    });
  const measured = <T extends NodeMetrics | PodMetrics>(metadata: object, usage: object): T => {
    const timestamp = formatTime(clock.now());
    return { metadata: { ...metadata, creationTimestamp: timestamp }, timestamp, window, ...usage } as unknown as T;
  };

  const answer = (method: string, path: string): Answer => {
    const { pathname, searchParams } = new URL(path, "http://metrics-server");
    if (pathname === "/apis/metrics.k8s.io") return ok(group);
    if (pathname === `/apis/${apiVersion}`) return ok(resources);
    const found = pathname.match(
      /^\/apis\/metrics\.k8s\.io\/v1beta1(?:\/namespaces\/([^/]+))?\/(nodes|pods)(?:\/([^/]+))?$/,
    );
    if (found === null) return failure(404, "NotFound", "the server could not find the requested resource");
    const [, namespace, plural = "", name] = found;
    if (method !== "GET")
      return failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    const items: (NodeMetrics | PodMetrics)[] = plural === "nodes" ? nodeMetrics() : podMetrics(namespace);
    const { kind } = plural === "nodes" ? NodeMetrics : PodMetrics;
    if (name !== undefined) {
      const item = items.find(({ metadata }) => metadata?.name === name);
      const missing = `${plural === "nodes" ? "nodemetrics" : "podmetrics"}.metrics.k8s.io "${namespace === undefined ? "" : `${namespace}/`}${name}" not found`;
      return item === undefined ? failure(404, "NotFound", missing) : ok({ kind, apiVersion, ...item });
    }
    try {
      const requirements = parseLabelSelector(searchParams.get("labelSelector") ?? "");
      const matching = items.filter(({ metadata }) => matchesLabels(requirements, (metadata as ObjectMeta).labels));
      return ok({ kind: `${kind}List`, apiVersion, metadata: {}, items: matching });
    } catch (error) {
      if (error instanceof TypeError) return failure(400, "BadRequest", error.message);
      throw error;
    }
  };

  const handler = ({ method, url }: Request): Response => {
    const { pathname, search } = new URL(url);
    const { status, object } = answer(method, `${pathname}${search}`);
    return Response.json(object, { status });
  };
  // The server checks the API when it starts. The plain form spares it the platform's Request and Response.
  const plain: PlainHandler = ({ method, path }) => {
    const { status, object } = answer(method, path);
    const headers = { get: (name: string) => (name.toLowerCase() === "content-type" ? "application/json" : null) };
    return Promise.resolve({ status, headers, body: utf8Encode(JSON.stringify(object)) });
  };
  return Object.assign(handler, { [plainHandler]: plain });
}

interface Answer {
  readonly status: number;
  readonly object: object;
}

function ok(object: object): Answer {
  return { status: 200, object };
}

const group = {
  kind: "APIGroup",
  apiVersion: "v1",
  name: "metrics.k8s.io",
  versions: [{ groupVersion: apiVersion, version: "v1beta1" }],
  preferredVersion: { groupVersion: apiVersion, version: "v1beta1" },
};

const resources = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: apiVersion,
  resources: [
    { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
    { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
  ],
};

function failure(code: number, reason: string, message: string): Answer {
  const object = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  return { status: code, object };
}
