// The state of a namespace as clients observe it, without what each cluster makes itself: names, times and addresses.
import { createInformerFactory } from "../../../src/cache/informer/informer-factory.js";
import type { Client } from "../../../src/client/client.js";
import { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../src/kinds/apps/v1.js";
import { HorizontalPodAutoscaler } from "../../../src/kinds/autoscaling/v2.js";
import { CronJob, Job } from "../../../src/kinds/batch/v1.js";
import {
  ConfigMap,
  Endpoints,
  Event,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Service,
} from "../../../src/kinds/core/v1.js";
import { EndpointSlice } from "../../../src/kinds/discovery/v1.js";
import { PodDisruptionBudget } from "../../../src/kinds/policy/v1.js";
import { ClusterRole } from "../../../src/kinds/rbac/v1.js";
import { ResourceClaim } from "../../../src/kinds/resource/v1.js";
import type { Kind } from "../../../src/meta/kind.js";
import type { KubernetesObject } from "../../../src/meta/object.js";
import { hasItsPods, inOrder, isSettled, normal } from "./normal-state.js";

const kinds = [
  ConfigMap,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Endpoints,
  EndpointSlice,
  HorizontalPodAutoscaler,
  Job,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceQuota,
  Service,
  StatefulSet,
] as readonly unknown[] as readonly Kind<KubernetesObject>[];

const deletionTime = /("deletionTimestamp":)"[^"]*"/;

/** Kinds without a namespace. Their objects belong to the scenario whose namespace their label `scenario` names. */
const clusterKinds = [ClusterRole, PersistentVolume] as readonly unknown[] as readonly Kind<KubernetesObject>[];

/** Observer of all namespaces of a cluster. */
export interface Observer {
  /** Describes the objects and events of a namespace, a line each. */
  read(namespace: string): string[];
  /** Returns the milliseconds since the last change in a namespace. */
  quietMs(namespace: string): number;
  /** Returns true if nothing in a namespace is on its way: pods that start or end, deletions, unobserved changes. */
  isSettled(namespace: string): boolean;
  close(): Promise<void>;
}

/** Options for `observe`. */
export interface ObserveOptions {
  /** True to describe events, too. */
  readonly events: boolean;
  /** Returns the part of an object to compare; `undefined` to leave it out. Default: all of it, in order. */
  readonly view?: ((kind: string, object: KubernetesObject) => unknown) | undefined;
}

/** Starts to observe a cluster. Resolves when its objects are known. */
export async function observe(
  client: Client,
  { events: withEvents, view = inOrder }: ObserveOptions,
): Promise<Observer> {
  const factory = createInformerFactory();
  const names = new Map<string, Map<string, string>>();
  const lastChange = new Map<string, number>();
  const informers = await Promise.all(
    [...kinds, ...clusterKinds].map(async (kind) => {
      const informer = factory.informer(client.resource(kind));
      informer.addHandler((change) => {
        const { object } = change as { object?: KubernetesObject };
        if (object === undefined) return;
        learn(names, kind.kind, object);
        lastChange.set(placeOf(object), Date.now());
      });
      informer.start();
      await informer.synced();
      return { kind, informer };
    }),
  );
  const events = factory.informer(client.resource(Event));
  if (withEvents) {
    events.start();
    await events.synced();
  }
  return {
    read(namespace) {
      const known = names.get(namespace) ?? new Map<string, string>();
      const replace = (text: string): string => {
        let result = text;
        for (const [name, stable] of [...known].sort(([a], [b]) => b.length - a.length))
          result = result.split(name).join(stable);
        return result;
      };
      const objects = informers.flatMap(({ kind, informer }) =>
        informer.store
          .list(clusterKinds.includes(kind) ? {} : { namespace })
          .filter((object) => placeOf(object as KubernetesObject) === namespace)
          .filter(({ metadata }) => metadata?.name !== "kube-root-ca.crt")
          .filter((object) => view(kind.kind, object as KubernetesObject) !== undefined)
          .map((object) =>
            `${kind.kind} ${withoutPlaces(replace(JSON.stringify(normal(view(kind.kind, object as KubernetesObject)))))}`.replace(
              deletionTime,
              '$1"TIME"',
            ),
          ),
      );
      if (!withEvents) return objects.sort();
      const lines = events.store
        .list({ namespace })
        // The number of attempts depends on the pace.
        .filter(({ message = "" }) => !message.startsWith("(combined from similar events)"))
        .filter(({ source, reportingComponent }) => (reportingComponent ?? source?.component) !== "kubelet")
        .map((event) => replace(describeEvent(event as Event)));
      return [...objects, ...new Set(lines)].sort();
    },
    quietMs: (namespace) => Date.now() - (lastChange.get(namespace) ?? 0),
    isSettled(namespace) {
      const lists = informers.map(({ kind, informer }) => ({
        kind: kind.kind,
        objects: informer.store.list({ namespace }) as KubernetesObject[],
      }));
      const pods = lists.find(({ kind }) => kind === "Pod")!.objects as Pod[];
      return lists.every(({ kind, objects }) =>
        objects.every((object) => isSettled(kind, object) && hasItsPods(kind, object, pods)),
      );
    },
    close: () => factory.close(),
  };
}

/** Returns the namespace that an object belongs to. */
function placeOf({ metadata }: KubernetesObject): string {
  return metadata?.namespace ?? metadata?.labels?.["scenario"] ?? "";
}

function describeEvent({ type, reason, involvedObject, message, note, ...event }: Event & { note?: string }): string {
  const { reportingComponent = "", source } = event;
  const { kind = "", name = "" } = involvedObject;
  // The node that a pod gets, and the names of pods that were refused, are each cluster's own.
  const text = (message ?? note ?? "")
    .replace(/^(Successfully assigned \S+ to) .*/, "$1 NODE")
    .replace(/(pods|resourceclaims\.resource\.k8s\.io) "([^"]*)-[0-9a-z]{5}"/g, '$1 "$2-*"')
    // Go's comparison of the old and the new pod follows.
    .replace(/(Forbidden: pod updates may not change fields other than [^\n]*)[^]*/, "$1")
    .replace(/^(Pods selected by this PodDisruptionBudget) .*/, "$1 …");
  return `Event ${JSON.stringify({ type, reason, object: `${kind}/${name}`, message: text, from: reportingComponent || source?.component })}`;
}

/** Replaces addresses, and the names of pods and claims that were refused. */
function withoutPlaces(text: string): string {
  return text
    .replace(/"10\.(244|0)\.\d+\.\d+"/g, '"ADDRESS"')
    .replace(/(pods|resourceclaims\.resource\.k8s\.io) \\"([^"\\]*)-[0-9a-z]{5}\\"/g, '$1 \\"$2-*\\"');
}

/** Notes the stable form of a generated name. */
function learn(names: Map<string, Map<string, string>>, kind: string, { metadata = {} }: KubernetesObject): void {
  const { name = "", generateName, namespace = "", uid = "" } = metadata;
  let known = names.get(namespace);
  if (known === undefined) {
    known = new Map();
    names.set(namespace, known);
  }
  known.set(namespace, "NAMESPACE");
  if (uid !== "") known.set(uid, "UID");
  if (generateName !== undefined) known.set(name, `${generateName}*`);
  else if (kind === "Job" && /-\d{8}$/.test(name)) known.set(name, name.replace(/\d{8}$/, "*"));
}
