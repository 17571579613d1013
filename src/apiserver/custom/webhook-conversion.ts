import type { Definition, DefinitionVersion } from "../kinds/apiextensions/definition.js";
import { storageVersionOf } from "../kinds/apiextensions/definition.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, storedJson } from "../objects/metadata.js";
import type { ObjectConverter } from "../registry/resources.js";
import type { Version } from "../storage/bucket.js";
import type { ConverterServices } from "./ask-converter.js";
import { askConverter } from "./ask-converter.js";
import { decodeStored, fitForeignInto, storedVersion } from "./stored-form.js";

/** Maximum size of one call to the webhook: number of objects, and characters of stored JSON. */
const batchObjects = 500;
const batchSize = 1024 * 1024;

/**
 * Creates the converter of a definition, which calls its webhook. Conversions of stored versions are cached with them.
 */
export function createConverter(
  services: ConverterServices,
  definition: Definition,
  version: DefinitionVersion,
): ObjectConverter {
  const { group, names } = definition.spec;
  const own = `${group}/${version.name}`;
  const storage = storageVersionOf(definition);
  const known = new WeakMap<Version, string>();
  const pending = new WeakMap<Version, Promise<void>>();
  const isForeign = ({ json, storedAs }: Version): boolean =>
    json !== undefined && storedAs !== undefined && storedAs !== version.name;

  /**
   * Returns a stored object as the webhook gets it: with defaults, and without the resource version, which isn't
   * stored.
   */
  const decode = ({ json, storedAs }: Version): ApiObject => {
    const object: ApiObject = {
      kind: definition.status?.acceptedNames?.kind ?? names.kind,
      apiVersion: `${group}/${storedAs!}`,
      ...(JSON.parse(json!) as ApiObject),
    };
    decodeStored(object, storedVersion(definition, storedAs!));
    delete object.metadata!.resourceVersion;
    return object;
  };

  const convertBatch = async (versions: readonly Version[]): Promise<void> => {
    const converted = await askConverter(services, definition, versions.map(decode), own);
    converted.forEach((object, at) => {
      fitForeignInto(object, version);
      known.set(versions[at]!, storedJson(object, versions[at]!.revision, true));
    });
  };

  /** Converts one object; its resource version stays the same. */
  const convertOne = async (object: ApiObject, apiVersion: string): Promise<ApiObject> => {
    if (object.apiVersion === apiVersion) return object;
    const { resourceVersion, ...metadata } = object.metadata ?? {};
    const [converted] = await askConverter(
      services,
      definition,
      [{ ...object, metadata: copyJson(metadata) }],
      apiVersion,
    );
    if (resourceVersion !== undefined) converted!.metadata!.resourceVersion = resourceVersion;
    return converted!;
  };

  return {
    async prepare(versions, fresh = false) {
      const others: Promise<void>[] = [];
      const missing = versions.filter((one) => {
        if (!isForeign(one) || (!fresh && known.has(one))) return false;
        const running = fresh ? undefined : pending.get(one);
        if (running === undefined) return true;
        others.push(running);
        return false;
      });
      for (const batch of inBatches(missing)) {
        const work = convertBatch(batch).finally(() => {
          for (const one of batch) pending.delete(one);
        });
        for (const one of batch) pending.set(one, work);
        await work;
      }
      await Promise.all(others);
    },
    text(one) {
      if (!isForeign(one)) return undefined;
      const text = known.get(one);
      if (text === undefined)
        throw new TypeError(`revision ${one.revision} of ${one.key} was not converted before it was read`);
      return text;
    },
    async toStored(object) {
      if (storage === version.name) return object;
      const converted = await convertOne(object, `${group}/${storage}`);
      fitForeignInto(converted, storedVersion(definition, storage));
      return converted;
    },
    async fromStored(object) {
      if (storage === version.name) return object;
      const stored = copyJson(object);
      decodeStored(stored, storedVersion(definition, storage));
      const converted = await convertOne(stored, own);
      fitForeignInto(converted, version);
      return converted;
    },
    async convert(object, apiVersion) {
      return convertOne(await convertOne(object, own), apiVersion);
    },
  };
}

function inBatches(versions: readonly Version[]): Version[][] {
  const batches: Version[][] = [];
  let size = 0;
  for (const version of versions) {
    const length = version.json?.length ?? 0;
    let batch = batches.at(-1);
    if (batch === undefined || batch.length === batchObjects || size + length > batchSize) {
      batch = [];
      batches.push(batch);
      size = 0;
    }
    batch.push(version);
    size += length;
  }
  return batches;
}
