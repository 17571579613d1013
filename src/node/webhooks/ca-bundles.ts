import { createInformer } from "../../cache/informer/create-informer.js";
import type { Informer } from "../../cache/informer/informer.js";
import type { Client } from "../../client/client.js";
import type { Resource } from "../../client/resource/resource.js";
import { isConflict, isNotFound } from "../../errors/predicates.js";
import { base64Encode } from "../../internal/base64.js";
import { utf8Encode } from "../../internal/bytes.js";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../../kinds/admissionregistration/v1.js";
import { CustomResourceDefinition } from "../../kinds/apiextensions/v1.js";
import type { DeepReadonly, KubernetesObject } from "../../meta/object.js";
import type { JsonPatchOperation } from "../../patch/patch-types.js";
import type { SourceDependencies } from "./certificate-source.js";

/** Names of the objects whose `caBundle` the server keeps up to date. */
export interface CaBundleTargets {
  /** Names of ValidatingWebhookConfigurations. All their webhooks get the bundle. */
  readonly validatingWebhookConfigurations?: readonly string[] | undefined;
  /** Names of MutatingWebhookConfigurations. All their webhooks get the bundle. */
  readonly mutatingWebhookConfigurations?: readonly string[] | undefined;
  /** Names of CustomResourceDefinitions with a conversion webhook, such as `backups.storage.example.com`. */
  readonly customResourceDefinitions?: readonly string[] | undefined;
}

interface ClientConfig {
  readonly caBundle?: string | undefined;
}

/** An object with the fields in which targets list authorities. */
interface TargetObject extends KubernetesObject {
  readonly webhooks?: readonly { readonly clientConfig?: ClientConfig | undefined }[] | undefined;
  readonly spec?:
    | { readonly conversion?: { readonly webhook?: { readonly clientConfig?: ClientConfig | undefined } | undefined } }
    | undefined;
}

/** One configuration or definition. */
interface Target {
  /** Identity in messages. */
  readonly title: string;
  readonly name: string;
  readonly handle: Resource<TargetObject>;
  readonly informer: Informer<TargetObject>;
}

const fieldManager = "kubestream-webhooks";

/** Keeps the `caBundle` of configurations and definitions up to date. */
export class CaBundles {
  readonly #targets: readonly Target[];
  readonly #dependencies: SourceDependencies;

  /** `onChange` is called when a target changed. */
  constructor(
    client: Client,
    names: CaBundleTargets,
    { onChange, ...dependencies }: SourceDependencies & { readonly onChange: () => void },
  ) {
    this.#dependencies = dependencies;
    const { clock } = dependencies;
    const targets = (handle: Resource<TargetObject>, kind: string, of: readonly string[] = []): Target[] =>
      of.map((name) => {
        const informer = createInformer(handle, { fieldSelector: `metadata.name=${name}`, clock, bulkEncoding: false });
        informer.addHandler(onChange);
        informer.synced().then(onChange, () => undefined);
        return { title: `${kind} ${JSON.stringify(name)}`, name, handle, informer };
      });
    const { validatingWebhookConfigurations, mutatingWebhookConfigurations, customResourceDefinitions } = names;
    const typed = (resource: unknown): Resource<TargetObject> => resource as Resource<TargetObject>;
    this.#targets = [
      ...targets(
        typed(client.resource(ValidatingWebhookConfiguration)),
        "ValidatingWebhookConfiguration",
        validatingWebhookConfigurations,
      ),
      ...targets(
        typed(client.resource(MutatingWebhookConfiguration)),
        "MutatingWebhookConfiguration",
        mutatingWebhookConfigurations,
      ),
      ...targets(
        typed(client.resource(CustomResourceDefinition)),
        "CustomResourceDefinition",
        customResourceDefinitions,
      ),
    ];
  }

  /** False if a target doesn't list exactly these authorities; `undefined` if that isn't known of all targets. */
  isPublished(trusted: readonly string[]): boolean | undefined {
    if (this.#findStale(trusted) !== undefined) return false;
    return this.#targets.every(({ informer }) => informer.hasSynced) ? true : undefined;
  }

  /** Describes the first target that doesn't list exactly these authorities, or whose state is unknown. */
  describeStale(trusted: readonly string[]): string | undefined {
    const stale = this.#findStale(trusted);
    if (stale !== undefined) return `${stale.title} lacks the current caBundle`;
    const unknown = this.#targets.find(({ informer }) => !informer.hasSynced);
    if (unknown === undefined) return undefined;
    const { lastError } = unknown.informer;
    return `${unknown.title} cannot be read${lastError instanceof Error ? `: ${lastError.message}` : " yet"}`;
  }

  /** Objects that don't exist count as up to date, because no API server calls the webhooks for them. */
  #findStale(trusted: readonly string[]): Target | undefined {
    const bundle = encode(trusted);
    return this.#targets.find(({ informer, name }) => {
      const object = find(informer, name);
      return object !== undefined && changesOf(object, bundle).length > 0;
    });
  }

  /** Writes the bundle where it is missing. Rejects with the first error after it has tried all. */
  async publish(trusted: readonly string[]): Promise<void> {
    const bundle = encode(trusted);
    const errors: unknown[] = [];
    for (const { title, informer, name, handle } of this.#targets) {
      const object = find(informer, name);
      const operations = object === undefined ? [] : changesOf(object, bundle);
      if (operations.length === 0) continue;
      // The version makes the server refuse the patch if the webhooks' order has changed.
      const version: JsonPatchOperation = {
        op: "replace",
        path: "/metadata/resourceVersion",
        value: object?.metadata?.resourceVersion,
      };
      try {
        await handle.patch(name, { type: "json", operations: [version, ...operations] }, { fieldManager });
        this.#dependencies.log({ level: "info", message: `webhooks: updated the caBundle of ${title}` });
      } catch (error) {
        // The informer reports the newer state, which starts another attempt.
        if (!isConflict(error) && !isNotFound(error)) errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  async close(): Promise<void> {
    await Promise.all(this.#targets.map(({ informer }) => informer.close()));
  }
}

function find(informer: Informer<TargetObject>, name: string): DeepReadonly<TargetObject> | undefined {
  return informer.store.list().find(({ metadata }) => metadata?.name === name);
}

/** Returns the patch that sets the bundle in every webhook of an object. */
function changesOf(object: DeepReadonly<TargetObject>, bundle: string): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  const set = (config: ClientConfig | undefined, path: string): void => {
    if (config !== undefined && config.caBundle !== bundle)
      operations.push({ op: "add", path: `${path}/clientConfig/caBundle`, value: bundle });
  };
  (object.webhooks ?? []).forEach(({ clientConfig }, index) => {
    set(clientConfig, `/webhooks/${index}`);
  });
  set(object.spec?.conversion?.webhook?.clientConfig, "/spec/conversion/webhook");
  return operations;
}

function encode(trusted: readonly string[]): string {
  return base64Encode(utf8Encode(trusted.join("")));
}
