import type { Timer } from "../../internal/clock.js";
import {
  ConfigMap,
  type ConfigMapProjection,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  Secret,
  type Volume,
} from "../../kinds/core/v1.js";
import { ResourceClaim } from "../../kinds/resource/v1.js";
import { CSIDriver, VolumeAttachment } from "../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { attachedByController, isAttached } from "../controllers/shared/attached-volumes.js";
import { claimName, claimNames } from "../controllers/shared/claim-names.js";
import { allDeviceClaims, isReservedFor } from "../controllers/shared/device-claims.js";
import type { PodHost } from "./pod-host.js";

/** Pod whose objects `PodMounts` looks for. */
export interface MountingPod {
  /** Returns the pod in its current state. */
  get(): DeepReadonly<Pod>;
  /** Called when all objects are there. */
  changed(): void;
}

/** An object whose contents a volume shows. */
interface Source {
  readonly volume: string;
  readonly kind: "configmap" | "secret";
  readonly name: string;
  /** Keys that it must have. */
  readonly keys: readonly string[];
}

interface Problem {
  readonly reason: "FailedMount" | "FailedPrepareDynamicResources";
  readonly note: string;
  /** Milliseconds after which a kubelet reports it. Default: at once. */
  readonly reportedAfterMs?: number;
}

const firstDelayMs = 500;
const longestDelayMs = 122_000;
/** Time in milliseconds after which a kubelet reports volumes that it can't attach. */
const attachMs = 123_000;

/** Objects that a pod needs before it starts: the ConfigMaps, Secrets and claims that it mounts, and its ResourceClaims. */
export class PodMounts {
  readonly #host: Pick<PodHost, "client" | "clock" | "event" | "node">;
  readonly #pod: MountingPod;
  readonly #sources: readonly Source[];
  readonly #sinceMs: number;
  #mounted: boolean;
  #searching = false;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(host: Pick<PodHost, "client" | "clock" | "event" | "node">, pod: MountingPod, mounted = false) {
    this.#host = host;
    this.#pod = pod;
    const { volumes = [] } = pod.get().spec ?? {};
    this.#sources = volumes.flatMap(sourcesOf);
    this.#sinceMs = host.clock.now();
    const objects = [...this.#sources, ...claimNames(pod.get()), ...allDeviceClaims(pod.get())];
    this.#mounted = mounted || objects.length === 0;
  }

  /** True if all of them are there. */
  get mounted(): boolean {
    return this.#mounted;
  }

  /** Looks for them until all are there. */
  search(): void {
    if (this.#mounted || this.#searching) return;
    this.#searching = true;
    this.#check(firstDelayMs);
  }

  /** Ends the search. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #check(delayMs: number): void {
    const retry = (): void => {
      if (this.#stopped) return;
      this.#timer = this.#host.clock.setTimer(() => this.#check(Math.min(2 * delayMs, longestDelayMs)), delayMs);
    };
    const checks = [...this.#sources.map((source) => this.#missing(source)), this.#unmounted(), this.#unprepared()];
    Promise.all(checks).then((results) => {
      if (this.#stopped) return;
      const problems = results.filter((problem) => problem !== undefined);
      this.#mounted = problems.length === 0;
      if (this.#mounted) {
        this.#pod.changed();
        return;
      }
      const waitedMs = this.#host.clock.now() - this.#sinceMs;
      for (const { reason, note, reportedAfterMs = 0 } of problems)
        if (waitedMs >= reportedAfterMs) this.#host.event(this.#pod.get(), { type: "Warning", reason, note });
      retry();
    }, retry);
  }

  /** Returns the problem of a volume whose object or one of its keys is missing. */
  async #missing({ volume, kind, name, keys }: Source): Promise<Problem | undefined> {
    const { client } = this.#host;
    const { namespace = "" } = this.#pod.get().metadata!;
    const object =
      kind === "secret"
        ? await client.resource(Secret).namespace(namespace).getOptional(name)
        : await client.resource(ConfigMap).namespace(namespace).getOptional(name);
    const known = { ...object?.data, ...(object !== undefined && "binaryData" in object && object.binaryData) };
    const key = keys.find((each) => !Object.hasOwn(known, each));
    if (object !== undefined && key === undefined) return undefined;
    const missingKey = kind === "secret" ? "non-existent secret key" : "non-existent config key";
    const cause = object === undefined ? `${kind} "${name}" not found` : `references ${missingKey}: ${key}`;
    return { reason: "FailedMount", note: `MountVolume.SetUp failed for volume "${volume}" : ${cause}` };
  }

  /** Returns the problem of the first PersistentVolumeClaim that has no volume, or whose volume isn't attached. */
  async #unmounted(): Promise<Problem | undefined> {
    const pod = this.#pod.get();
    const { namespace = "" } = pod.metadata!;
    const claims = this.#host.client.resource(PersistentVolumeClaim).namespace(namespace);
    for (const volume of pod.spec?.volumes ?? []) {
      const name = claimName(pod, volume);
      if (name === undefined) continue;
      const claim = await claims.getOptional(name);
      const { status, metadata, spec } = claim ?? {};
      if (status?.phase === "Bound" || metadata?.annotations?.["pv.kubernetes.io/bind-completed"] !== undefined) {
        if (await this.#isUsable(spec?.volumeName)) continue;
        const lists = `unmounted volumes=[${volume.name}], unattached volumes=[${volume.name}], failed to process volumes=[]`;
        const note = `Unable to attach or mount volumes: ${lists}: context deadline exceeded`;
        return { reason: "FailedMount", note, reportedAfterMs: attachMs };
      }
      const cause = claim === undefined ? `persistentvolumeclaim "${name}" not found` : "PVC is not bound";
      const lists = `unmounted volumes=[${volume.name}], unattached volumes=[], failed to process volumes=[${volume.name}]`;
      const note = `Unable to attach or mount volumes: ${lists}: error processing PVC ${namespace}/${name}: ${cause}`;
      return { reason: "FailedMount", note, reportedAfterMs: attachMs };
    }
    return undefined;
  }

  /** Returns true for a volume that is attached to the node, or needn't be. */
  async #isUsable(name: string | undefined): Promise<boolean> {
    const { client, node } = this.#host;
    const volume = name === undefined ? undefined : await client.resource(PersistentVolume).getOptional(name);
    const csi = volume?.spec?.csi;
    if (csi === undefined) return true;
    const driver = await client.resource(CSIDriver).getOptional(csi.driver);
    if (driver?.spec.attachRequired === false) return true;
    const own = await client.resource(Node).getOptional(node);
    if (own?.metadata?.annotations?.[attachedByController] === undefined || isAttached(own, csi)) return true;
    await this.#answer(name!);
    return false;
  }

  /** Lets the attachment of a volume to the node succeed, in place of the volume's driver. */
  async #answer(volume: string): Promise<void> {
    const attachments = this.#host.client.resource(VolumeAttachment);
    for (const attachment of (await attachments.list()).items) {
      const { metadata, spec, status } = attachment;
      if (spec.nodeName !== this.#host.node || spec.source.persistentVolumeName !== volume) continue;
      if (status?.attached === true || status?.attachError !== undefined || metadata?.deletionTimestamp) continue;
      await attachments.subresource("status").update({ ...attachment, status: { ...status, attached: true } });
    }
  }

  /** Returns the problem of the first claim that isn't reserved for the pod. */
  async #unprepared(): Promise<Problem | undefined> {
    const pod = this.#pod.get();
    const claims = this.#host.client.resource(ResourceClaim).namespace(pod.metadata!.namespace!);
    for (const { entry, claim: name } of allDeviceClaims(pod)) {
      const claim = name === undefined ? undefined : await claims.getOptional(name);
      if (claim !== undefined && isReservedFor(claim, pod)) continue;
      const problem = claim === undefined ? "doesn't exist" : "isn't reserved for the pod";
      const note = `Failed to prepare dynamic resources: ResourceClaim ${name ?? `for ${entry}`} ${problem}`;
      return { reason: "FailedPrepareDynamicResources", note };
    }
    return undefined;
  }
}

/** An object and the keys of it that a volume shows: all without items. */
type Projection = DeepReadonly<Pick<ConfigMapProjection, "name" | "items" | "optional">>;

/** Volumes with this prefix are those of service accounts, which the API server adds to each pod. */
const accountVolume = "kube-api-access-";

/** Returns the objects that a volume can't do without. */
function sourcesOf({ name: volume, configMap, secret, projected }: DeepReadonly<Volume>): Source[] {
  const source = (kind: Source["kind"], { name = "", items = [], optional }: Projection): Source[] =>
    optional === true ? [] : [{ volume, kind, name, keys: items.map(({ key }) => key) }];
  const parts = volume.startsWith(accountVolume) ? [] : (projected?.sources ?? []);
  return [
    ...(configMap ? source("configmap", configMap) : []),
    ...(secret ? source("secret", { ...secret, name: secret.secretName }) : []),
    ...parts.flatMap((part) => [
      ...(part.configMap ? source("configmap", part.configMap) : []),
      ...(part.secret ? source("secret", part.secret) : []),
    ]),
  ];
}
