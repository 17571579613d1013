import { utf8Encode } from "../../internal/bytes.js";
import { parseYamlDocuments } from "../../internal/yaml/yaml.js";
import { badRequest, throwInvalid } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime, metaOf } from "../objects/metadata.js";
import { internalContext } from "../registry/internal-context.js";
import { keyOf } from "../registry/read.js";
import { groupVersionOf, type ServedResource } from "../registry/resources.js";
import { commitStored } from "../registry/stored-version.js";
import { startsAtOne } from "../registry/write/generation.js";
import { createStrategyContext } from "../registry/write/strategy-context.js";
import { decodeFor } from "../wire/body.js";
import type { WireServices } from "../wire/services.js";

/** Objects to load: YAML or JSON text with any number of documents, or an array of objects. */
export type Manifests = string | readonly object[];

/**
 * Returns all objects of the manifests, with lists flattened. Throws a `SyntaxError` that names the line of invalid
 * YAML, and a `TypeError` for a document that isn't an object.
 */
export function readManifests(manifests: Manifests): ApiObject[] {
  const documents = typeof manifests === "string" ? parseYamlDocuments(manifests) : manifests;
  return documents.flatMap((document) => {
    if (document === null || document === undefined) return [];
    if (typeof document !== "object" || Array.isArray(document)) throw new TypeError("a manifest must be an object");
    const object = document as ApiObject;
    const { kind, items } = object as { kind?: string; items?: unknown[] };
    return kind?.endsWith("List") === true && Array.isArray(items) ? readManifests(items as object[]) : [object];
  });
}

function findResource({ resources }: WireServices, { apiVersion = "", kind }: ApiObject): ServedResource | undefined {
  const { group, version } = groupVersionOf(apiVersion);
  return resources.inGroupVersion(group, version)?.find((one) => one.kind === kind && one.verbs.includes("list"));
}

/** Finds the resource of an object's kind. Throws a 400 if it isn't served. */
function resourceOf(services: WireServices, object: ApiObject): ServedResource {
  const found = findResource(services, object);
  if (found === undefined)
    throw badRequest(
      `no kind ${JSON.stringify(object.kind ?? "")} is served in version ${JSON.stringify(object.apiVersion ?? "")}`,
    );
  return found;
}

/** Loads the rules of the kinds of all objects, which are then stored without other requests in between. */
async function loadRules(services: WireServices, objects: readonly ApiObject[]): Promise<void> {
  for (const object of objects) {
    const loading = findResource(services, object)?.load?.();
    if (loading !== undefined) await loading;
  }
}

/** Stores one object unchanged, apart from missing fields, which are filled in. Throws 400 and 422. */
function put(services: WireServices, given: ApiObject, defaultNamespace: string): void {
  const resource = resourceOf(services, given);
  const context = internalContext(services);
  const object = decodeFor(context, resource, {
    bytes: utf8Encode(JSON.stringify(given)),
    encoding: "json",
    mode: "Strict",
  });
  const { status } = object;
  // Loaded objects keep the addresses and ports they have, so nothing is allocated.
  const { allocate: _none, ...strategyContext } = createStrategyContext(context);
  resource.strategy.prepareForCreate?.(object, strategyContext);
  if (given.status !== undefined && status !== undefined) object.status = status;
  const meta = metaOf(object);
  if (resource.namespaced) meta.namespace ??= defaultNamespace;
  else delete meta.namespace;
  meta.uid ??= services.uuid();
  meta.creationTimestamp ??= formatTime(services.clock.now());
  if (startsAtOne(resource.strategy)) meta.generation ??= 1;
  delete meta.resourceVersion;
  throwInvalid(
    resource,
    meta.name ?? "",
    resource.errorsOfNew(object, resource.strategy.validate?.(object, strategyContext) ?? []),
  );
  const key = keyOf(resource, meta.namespace ?? "", meta.name!);
  commitStored(services.store, resource, { key, form: resource.loadedForm(object) });
}

const first = new Set(["CustomResourceDefinition", "Namespace"]);

/** True for the Endpoints and EndpointSlice of the Service `kubernetes`, which differ per server. */
function isServerAddress({ kind, metadata }: ApiObject): boolean {
  return (
    (kind === "Endpoints" || kind === "EndpointSlice") &&
    metadata?.name === "kubernetes" &&
    (metadata.namespace ?? "default") === "default"
  );
}

/**
 * Stores objects without admission, as if they had always existed, and replaces objects of the same name. Definitions
 * and namespaces are loaded first, whatever their order. Endpoints and EndpointSlice of the Service `kubernetes` are
 * skipped, because each server has its own. Returns the number of objects. Throws a `SyntaxError`, or an error whose
 * message names the object.
 */
export async function loadState(
  services: WireServices,
  manifests: Manifests,
  settled: () => Promise<void>,
  namespace = "default",
): Promise<number> {
  const objects = readManifests(manifests).filter((object) => !isServerAddress(object));
  const early = objects.filter((object) => first.has(object.kind ?? ""));
  const rest = objects.filter((object) => !first.has(object.kind ?? ""));
  await loadRules(services, objects);
  for (const object of early) putNamed(services, object, namespace);
  if (early.some((object) => object.kind === "CustomResourceDefinition")) await settled();
  for (const object of rest) putNamed(services, object, namespace);
  return objects.length;
}

function putNamed(services: WireServices, object: ApiObject, namespace: string): void {
  try {
    put(services, object, namespace);
  } catch (error) {
    throw new TypeError(
      `load ${object.kind ?? "object"} ${JSON.stringify(object.metadata?.name ?? "")}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}
