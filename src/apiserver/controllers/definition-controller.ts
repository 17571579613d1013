import { onAbort } from "../../internal/abort.js";
import { lazyModule } from "../../internal/lazy-module.js";
import { pushAll } from "../../internal/push-all.js";
import { compareVersions } from "../../meta/compare-versions.js";
import { ApiFailure } from "../errors/status.js";
import {
  bucketOf,
  cleanupFinalizer,
  type Definition,
  type DefinitionCondition,
  definitionsBucket,
  isTrue,
  setCondition,
} from "../kinds/apiextensions/definition.js";
import { formatTime } from "../objects/metadata.js";
import { internalContext } from "../registry/internal-context.js";
import { readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import type { RegistryContext } from "../registry/services.js";
import { deleteObject, plainDelete } from "../registry/write/delete.js";
import { updateObject } from "../registry/write/update.js";
import type { Version } from "../storage/bucket.js";
import type { Controller } from "./controller.js";
import { metadataOf } from "./metadata-of.js";
import { acceptNames } from "./names.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

/**
 * Creates the controller for CustomResourceDefinitions. It accepts their names, establishes them, publishes their
 * resources, and deletes their objects before a definition is removed.
 */
export function createDefinitionController(services: ControllerServices): Controller {
  const controller = new DefinitionController(services);
  const queue = createWorkQueue(services, "customresourcedefinition-controller", (name) => controller.work(name));
  const rescan = (): void => {
    const names = controller.names();
    // Definitions are in a snapshot only if this process has loaded what serves them.
    if (names.length === 0 || custom.load() === undefined) controller.publish();
    for (const name of names) queue.add(name);
  };
  return {
    onCommit(bucket, entry) {
      if (bucket.name === definitionsBucket) {
        queue.add(entry.version.key);
        for (const name of controller.rivals(entry.version.key, entry.old)) queue.add(name);
        return;
      }
      const name = controller.waiting.get(bucket.name);
      if (name !== undefined) queue.add(name);
    },
    rescan,
    idle: () => queue.idle(),
  };
}

/** Resources of definitions. They need CEL, so the module is loaded with the first request for definitions. */
const custom = lazyModule(() => import("../custom/custom-resource.js"));

/** Loads the module that serves custom resources. Returns `undefined` if that is done. */
export function loadCustomResources(): Promise<void> | undefined {
  return custom.load();
}

/** Milliseconds from the change of a definition until older watches end. */
const watchesEndAfterMs = 1000;

interface Published {
  readonly key: string;
  /** Fingerprint of everything that affects how objects are served. */
  readonly form: string;
  readonly resources: ServedResource[];
}

class DefinitionController {
  /** Definitions that wait until the objects in a bucket are gone. */
  readonly waiting: Map<string, string> = new Map();
  readonly #services: ControllerServices;
  readonly #resource: ServedResource;
  readonly #published = new Map<string, Published>();

  constructor(services: ControllerServices) {
    this.#services = services;
    this.#resource = services.resources.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")!;
  }

  names(): string[] {
    return this.#all().map((definition) => definition.metadata?.name ?? "");
  }

  /** Returns the definitions of the same group, which may claim a name that this one gave up. */
  rivals(name: string, old: Version | undefined): string[] {
    const before = old === undefined ? undefined : this.#read(old);
    const now = this.#get(name);
    if (
      before === undefined ||
      (now !== undefined && JSON.stringify(now.status?.acceptedNames) === JSON.stringify(before.status?.acceptedNames))
    )
      return [];
    return this.#all()
      .filter((one) => one.spec.group === before.spec.group && one.metadata?.name !== name)
      .map((one) => one.metadata?.name ?? "");
  }

  async work(name: string): Promise<void> {
    const loading = custom.load();
    if (loading !== undefined) await loading;
    const definition = this.#get(name);
    if (definition === undefined) {
      this.publish();
      return;
    }
    const rivals = this.#all().filter((one) => one.spec.group === definition.spec.group && one.metadata?.name !== name);
    if (acceptNames(structuredClone(definition), rivals, this.#now())) {
      await this.#change(name, "status", (current) => void acceptNames(current, rivals, this.#now()));
      return;
    }
    if (isTrue(definition, "NamesAccepted") && !isTrue(definition, "Established")) {
      // Clients create objects as soon as they see the condition.
      this.publish();
      await this.#setCondition(name, {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      });
      return;
    }
    this.publish();
    if (
      definition.metadata?.deletionTimestamp != null &&
      definition.metadata.finalizers?.includes(cleanupFinalizer) === true
    )
      await this.#finalize(name, definition);
  }

  /** Updates the table so that it serves exactly the definitions that are established or have their names. */
  publish(): void {
    const definitions = this.#all().filter(
      (definition) => isTrue(definition, "Established") || isTrue(definition, "NamesAccepted"),
    );
    const gone = new Set(this.#published.keys());
    const resources: ServedResource[] = [];
    for (const definition of definitions) {
      const name = definition.metadata?.name ?? "";
      gone.delete(name);
      const { generation, uid, deletionTimestamp } = definition.metadata ?? {};
      const key = JSON.stringify([uid, generation, deletionTimestamp, definition.status?.acceptedNames]);
      const form = JSON.stringify([generation, definition.status?.acceptedNames]);
      let published = this.#published.get(name);
      if (published?.key !== key) {
        if (published !== undefined && published.form !== form) this.#endWatches(bucketOf(definition));
        published = { key, form, resources: custom.get().customResources(this.#services, definition) };
        this.#published.set(name, published);
        this.#services.store.bucket(bucketOf(definition));
      }
      pushAll(resources, published.resources);
    }
    for (const name of gone) this.#withdraw(name);
    resources.sort(
      (a, b) =>
        compareText(a.group, b.group) || compareVersions(a.version, b.version) || compareText(a.resource, b.resource),
    );
    this.#services.resources.setCustom(resources);
  }

  /** Ends watches that use the previous definition, so that their clients reconnect. */
  #endWatches(bucket: string): void {
    const watches = this.#services.store.bucket(bucket).watchers.all();
    if (watches.length === 0) return;
    const timer = this.#services.clock.setTimer(() => {
      forget();
      for (const watch of watches) watch.end();
    }, watchesEndAfterMs);
    const forget = onAbort(this.#services.closed, () => timer.cancel());
  }

  #withdraw(name: string): void {
    const bucket = this.#published.get(name)?.resources[0]?.bucket;
    this.#published.delete(name);
    if (bucket === undefined) return;
    this.waiting.delete(bucket);
    this.#services.store.dropBucket(bucket);
  }

  /** Deletes all objects, then removes the definition's finalizer. */
  async #finalize(name: string, definition: Definition): Promise<void> {
    const bucket = bucketOf(definition);
    // Use the stored version, so that most objects need no conversion.
    const resource = isTrue(definition, "Established")
      ? custom.get().storageResource(this.#services, definition)
      : undefined;
    if (!this.waiting.has(bucket)) {
      this.waiting.set(bucket, name);
      await this.#setCondition(name, {
        type: "Terminating",
        status: "True",
        reason: "InstanceDeletionInProgress",
        message: "CustomResource deletion is in progress",
      });
    }
    const left = resource === undefined ? 0 : await this.#deleteAll(resource);
    if (left > 0) return;
    await this.#setCondition(name, {
      type: "Terminating",
      status: "False",
      reason: "InstanceDeletionCompleted",
      message: "removed all instances",
    });
    await this.#change(name, "", (current) => {
      const metadata = (current.metadata ??= {});
      metadata.finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
    });
    this.waiting.delete(bucket);
  }

  /** Returns the number of objects that finalizers hold back. */
  async #deleteAll(resource: ServedResource): Promise<number> {
    const bucket = this.#services.store.bucket(resource.bucket);
    for (const version of bucket.versions("", undefined, this.#services.store.revision)) {
      const slash = version.key.indexOf("/");
      const [namespace, name] =
        slash < 0 ? ["", version.key] : [version.key.slice(0, slash), version.key.slice(slash + 1)];
      if (metadataOf(version).deletionTimestamp != null) continue;
      await ignoreNotFound(deleteObject(this.#context(), { resource, namespace, name }, plainDelete));
    }
    return bucket.live;
  }

  #setCondition(name: string, condition: DefinitionCondition): Promise<void> {
    return this.#change(name, "status", (current) => setCondition(current, condition, this.#now()));
  }

  async #change(name: string, subresource: string, change: (definition: Definition) => void): Promise<void> {
    await ignoreNotFound(
      updateObject(this.#context(), {
        resource: this.#resource,
        namespace: "",
        name,
        subresource,
        options: { dryRun: false, manager: "kube-apiserver" },
        unconditional: true,
        transform: (existing) => {
          const definition = structuredClone(existing) as unknown as Definition;
          change(definition);
          return definition as never;
        },
      }),
    );
  }

  #context(): RegistryContext {
    return internalContext(this.#services);
  }

  #now(): string {
    return formatTime(this.#services.clock.now());
  }

  #get(name: string): Definition | undefined {
    const version = this.#services.store.bucket(definitionsBucket).get(name);
    return version === undefined ? undefined : this.#read(version);
  }

  #read(version: Version): Definition {
    return readObject(this.#resource, version) as unknown as Definition;
  }

  #all(): Definition[] {
    const definitions: Definition[] = [];
    this.#services.store.bucket(definitionsBucket).scan("", undefined, this.#services.store.revision, (version) => {
      definitions.push(this.#read(version));
      return undefined;
    });
    return definitions;
  }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function ignoreNotFound(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    // The object was deleted concurrently.
    if (!(error instanceof ApiFailure) || error.status.code !== 404) throw error;
  }
}
