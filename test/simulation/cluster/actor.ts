import type { Cluster } from "../../../src/cluster/cluster.js";
import { isConflict, isNotFound } from "../../../src/errors/predicates.js";
import { DaemonSet, Deployment, StatefulSet } from "../../../src/kinds/apps/v1.js";
import { Job } from "../../../src/kinds/batch/v1.js";
import { Node, Pod } from "../../../src/kinds/core/v1.js";
import { PodDisruptionBudget } from "../../../src/kinds/policy/v1.js";
import { DeviceClass, ResourceClaimTemplate, ResourceSlice } from "../../../src/kinds/resource/v1.js";
import { evict, isBlockedByDisruptionBudget } from "../../../src/operations/evict.js";
import type { Random } from "../random.js";
import {
  agentTemplate,
  claimTemplates,
  deviceClass,
  devicesOf,
  deviceTemplate,
  extendedResources,
  randomDaemonSet,
  randomJob,
  resourceClaims,
} from "./more-workloads.js";

interface Workload {
  readonly kind: typeof Deployment | typeof StatefulSet;
  readonly name: string;
  version: number;
  /** True if its pods get a device as an extended resource. */
  readonly isExtended: boolean;
}

type Action = () => Promise<string | undefined>;

/** Does what people and machines do to a cluster, by a seed. */
export class Actor {
  /** One line per step. */
  readonly story: string[] = [];
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #workloads: Workload[] = [];
  readonly #paused = new Set<Parameters<Cluster["controllers"]["pause"]>[0]>();
  readonly #down = new Set<string>();
  readonly #removers: (() => void)[] = [];
  /** Turns for which updates of budgets may be late: of one with a fault, and of the next, which begins in their back-off. */
  #lateBudgets = 0;
  readonly #jobs: string[] = [];
  #created = 0;
  #agentVersion = 1;

  constructor(cluster: Cluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  /** Creates the first workloads. */
  async begin(): Promise<void> {
    await this.#createDevices();
    await this.#tell(() => this.#create(Deployment));
    await this.#tell(() => this.#create(StatefulSet));
    await this.#tell(() => this.#createAgents());
    await this.#tell(() => this.#createJob());
    await this.#cluster.advance("30s");
  }

  /** Takes one step, and lets some time pass. Requests of others may fail in that time. */
  async act(): Promise<void> {
    const { chance, pick, int } = this.#random;
    await this.#tell(pick(this.#actions()));
    if (chance(0.3)) this.#addFault();
    const seconds = pick([0, 1, 5, 20, 60, 180, 400]) + int(3);
    this.story.push(`${seconds} seconds pass`);
    await this.#cluster.advance(seconds * 1_000);
    for (const remove of this.#removers.splice(0)) remove();
    this.#lateBudgets--;
  }

  /** Repairs everything, and gives the cluster time to recover. */
  async repair(): Promise<void> {
    for (const name of this.#paused) this.#cluster.controllers.resume(name);
    for (const name of this.#down) await this.#cluster.nodes(name).recover();
    const nodes = this.#cluster.client.resource(Node);
    for (const { metadata } of (await nodes.list()).items)
      await nodes.patch(metadata!.name!, { type: "merge", patch: { spec: { unschedulable: null } } });
    for (const name of this.#jobs) await this.#suspend(name, false);
    await this.#cluster.advance("15m");
  }

  #actions(): readonly Action[] {
    const { pick } = this.#random;
    return [
      () => this.#rollOut(pick(this.#workloads)),
      () => this.#rollOut(pick(this.#workloads)),
      () => this.#scale(pick(this.#workloads)),
      () => this.#crash(pick(this.#workloads)),
      () => this.#drain(),
      () => this.#drain(),
      () => this.#uncordon(),
      () => this.#failNode(),
      () => this.#recoverNode(),
      () => this.#deletePod(),
      () => this.#pauseController(),
      () => this.#remove(pick(this.#workloads)),
      () => this.#rollOutAgents(),
      () => this.#createJob(),
      () => this.#suspend(pick(this.#jobs), this.#random.chance(0.5)),
    ];
  }

  async #tell(action: Action): Promise<void> {
    const line = await action();
    if (line !== undefined) this.story.push(line);
  }

  async #create(kind: Workload["kind"]): Promise<string> {
    const { int, pick } = this.#random;
    const name = `${kind === Deployment ? "web" : "db"}-${++this.#created}`;
    const replicas = 1 + int(4);
    const labels = { app: name };
    const hasDevices = kind === Deployment && this.#random.chance(0.3);
    const isExtended = hasDevices && this.#random.chance(0.5);
    const workload: Workload = { kind, name, version: 1, isExtended };
    const template = templateOf(workload);
    if (hasDevices && !isExtended) template.spec = { ...template.spec!, resourceClaims };
    const spec = { selector: { matchLabels: labels }, replicas, template };
    const maxSurge = pick([0, 1, "25%", "50%"]);
    const maxUnavailable = maxSurge === 0 ? pick([1, "50%"]) : pick([0, 1, "25%"]);
    const { client } = this.#cluster;
    if (kind === Deployment)
      await client
        .resource(Deployment)
        .namespace("default")
        .create({
          metadata: { name },
          spec: { ...spec, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } },
        });
    else
      await client
        .resource(StatefulSet)
        .namespace("default")
        .create({
          metadata: { name },
          spec: {
            ...spec,
            serviceName: name,
            podManagementPolicy: pick(["OrderedReady", "Parallel"]),
            ...(this.#random.chance(0.5) && { volumeClaimTemplates: claimTemplates }),
          },
        });
    const minAvailable = int(replicas + 1);
    await client
      .resource(PodDisruptionBudget)
      .namespace("default")
      .create({ metadata: { name }, spec: { minAvailable, selector: { matchLabels: labels } } });
    this.#workloads.push(workload);
    const devices = isExtended ? ", with an extended resource" : hasDevices ? ", with devices" : "";
    return `creates ${kind.kind} ${name}: ${replicas} replicas, surge ${maxSurge}, unavailable ${maxUnavailable}, budget ${minAvailable}${devices}`;
  }

  async #createDevices(): Promise<void> {
    const { client } = this.#cluster;
    await client.resource(DeviceClass).create(deviceClass);
    await client.resource(ResourceClaimTemplate).namespace("default").create(deviceTemplate);
    for (const { metadata } of (await client.resource(Node).list()).items)
      await client.resource(ResourceSlice).create(devicesOf(metadata!.name!));
  }

  async #createAgents(): Promise<string> {
    const set = randomDaemonSet("agent", this.#random);
    await this.#cluster.client.resource(DaemonSet).namespace("default").create(set);
    return `creates DaemonSet agent: ${JSON.stringify(set.spec?.updateStrategy?.rollingUpdate)}`;
  }

  async #rollOutAgents(): Promise<string> {
    const spec = { template: agentTemplate("agent", ++this.#agentVersion) };
    const handle = this.#cluster.client.resource(DaemonSet).namespace("default");
    await handle.patch("agent", { type: "merge", patch: { spec } as never });
    return `rolls out version ${this.#agentVersion} of agent`;
  }

  async #createJob(): Promise<string> {
    const name = `task-${this.#jobs.length + 1}`;
    const job = randomJob(name, this.#random);
    await this.#cluster.client.resource(Job).namespace("default").create(job);
    this.#jobs.push(name);
    const { completions, parallelism, backoffLimit, completionMode = "NonIndexed", podFailurePolicy } = job.spec!;
    return `creates Job ${name}: ${completions} completions, parallelism ${parallelism}, back-off limit ${backoffLimit}, ${completionMode}${podFailurePolicy ? ", with a policy" : ""}`;
  }

  async #suspend(name: string, suspend: boolean): Promise<string> {
    await this.#cluster.client
      .resource(Job)
      .namespace("default")
      .patch(name, { type: "merge", patch: { spec: { suspend } } });
    return `${suspend ? "suspends" : "resumes"} ${name}`;
  }

  async #rollOut(workload: Workload): Promise<string> {
    const { name } = workload;
    workload.version++;
    const spec = { template: templateOf(workload) };
    await this.#patch(workload, { spec });
    return `rolls out version ${workload.version} of ${name}`;
  }

  async #scale(workload: Workload): Promise<string> {
    const replicas = this.#random.int(6);
    await this.#patch(workload, { spec: { replicas } });
    return `scales ${workload.name} to ${replicas}`;
  }

  async #patch({ kind, name }: Workload, patch: object): Promise<void> {
    const handle = this.#cluster.client.resource(kind as typeof Deployment).namespace("default");
    await handle.patch(name, { type: "merge", patch: patch as never });
  }

  async #crash({ name }: Workload): Promise<string | undefined> {
    const { int } = this.#random;
    const running = this.#cluster.pods(`app=${name}`).list();
    if (running.length === 0) return undefined;
    const pod = running[int(running.length)]!.metadata!.name!;
    const crashed = await this.#cluster
      .pods({ namespace: "default", name: pod })
      .crash({ exitCode: 137, reason: "OOMKilled" })
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof RangeError) return false;
          throw error;
        },
      );
    return crashed ? `crashes ${pod}` : undefined;
  }

  async #drain(): Promise<string> {
    const node = this.#node();
    const { client } = this.#cluster;
    await client.resource(Node).patch(node, { type: "merge", patch: { spec: { unschedulable: true } } });
    const pods = client.resource(Pod).namespace("default");
    const results: string[] = [];
    for (const { metadata, spec } of (await pods.list()).items)
      if (spec?.nodeName === node && metadata?.labels?.["app"] !== "agent")
        results.push(await this.#evict(metadata!.name!));
    return `drains ${node}: ${results.join(", ")}`;
  }

  async #evict(name: string): Promise<string> {
    try {
      const evicted = await evict(this.#cluster.client.resource(Pod).namespace("default"), name);
      return `${name} ${evicted ? "evicted" : "gone"}`;
    } catch (error) {
      if (isBlockedByDisruptionBudget(error)) return `${name} blocked`;
      throw error;
    }
  }

  async #uncordon(): Promise<string> {
    const node = this.#node();
    await this.#cluster.client.resource(Node).patch(node, { type: "merge", patch: { spec: { unschedulable: null } } });
    return `uncordons ${node}`;
  }

  async #failNode(): Promise<string | undefined> {
    const node = this.#node();
    if (this.#down.has(node)) return undefined;
    this.#down.add(node);
    const crashes = this.#random.chance(0.5);
    await (crashes ? this.#cluster.nodes(node).crash() : this.#cluster.nodes(node).partition());
    return `${node} ${crashes ? "crashes" : "is cut off"}`;
  }

  async #recoverNode(): Promise<string | undefined> {
    const [node] = this.#down;
    if (node === undefined) return undefined;
    this.#down.delete(node);
    await this.#cluster.nodes(node).recover();
    return `${node} recovers`;
  }

  async #deletePod(): Promise<string | undefined> {
    const pods = this.#cluster.client.resource(Pod).namespace("default");
    const { items } = await pods.list();
    if (items.length === 0) return undefined;
    const name = this.#random.pick(items).metadata!.name!;
    try {
      // The observer distinguishes it from pods that a controller deletes.
      await pods.patch(name, { type: "merge", patch: { metadata: { annotations: { "simulation/deleted": "true" } } } });
      await pods.delete(name);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return `deletes ${name}`;
  }

  /** Returns true while the controller that keeps the status of budgets up to date is running and isn't late. */
  get keepsBudgets(): boolean {
    return !this.#paused.has("disruption") && this.#lateBudgets <= 0;
  }

  #pauseController(): Promise<string> {
    // A Deployment relies on the counts of its ReplicaSets, here as in kube-controller-manager: with those of a paused
    // controller, two rollouts in succession take down too many pods.
    const name = this.#random.pick(["deployment", "statefulset", "disruption", "daemonset", "job"] as const);
    if (this.#paused.delete(name)) {
      this.#cluster.controllers.resume(name);
      return Promise.resolve(`${name} controller goes on`);
    }
    this.#paused.add(name);
    this.#cluster.controllers.pause(name);
    return Promise.resolve(`${name} controller pauses`);
  }

  async #remove(workload: Workload): Promise<string> {
    this.#workloads.splice(this.#workloads.indexOf(workload), 1);
    const handle = this.#cluster.client.resource(workload.kind as typeof Deployment).namespace("default");
    await handle.delete(workload.name);
    return `deletes ${workload.name}; ${await this.#create(workload.kind)}`;
  }

  #addFault(): void {
    const { pick } = this.#random;
    const resource = pick([
      "pods",
      "replicasets",
      "statefulsets",
      "deployments",
      "poddisruptionbudgets",
      "daemonsets",
      "jobs",
      "resourceclaims",
    ]);
    const verb = pick(["create", "update", "patch", "delete"]);
    const effect = pick([
      { type: "status", code: 500, message: "the disk is full" },
      { type: "status", code: 409, reason: "Conflict" },
      { type: "status", code: 503, retryAfterSeconds: 2 },
      { type: "delay", ms: 1_500 },
      { type: "reset" },
    ] as const);
    this.#removers.push(this.#cluster.server.faults.add({ match: { verb, resource }, effect, probability: 0.5 }));
    if (resource === "poddisruptionbudgets") this.#lateBudgets = 2;
    this.story.push(`half of the requests to ${verb} ${resource} meet ${JSON.stringify(effect)}`);
  }

  #node(): string {
    return this.#random.pick(["node-1", "node-2"]);
  }
}

function templateOf({ name, version, isExtended }: Workload): NonNullable<Deployment["spec"]>["template"] {
  const container = { name: "main", image: `${name}:v${version}`, ...(isExtended && { resources: extendedResources }) };
  return {
    metadata: { labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 5, containers: [container] },
  };
}
