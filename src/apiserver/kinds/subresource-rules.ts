import type { Pod } from "../../kinds/core/v1.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf } from "../objects/metadata.js";
import { dropDisabled } from "./core/pod/drop-disabled.js";
import { validateEphemeralUpdate, validateResize } from "./core/pod/subresource-errors.js";
import type { SubresourceStrategy } from "./strategy.js";
import { validateNamespaceFinalizers } from "./validation/validate-nodes.js";

interface Container {
  name: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  resizePolicy?: unknown;
}

interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: (Container & { image?: string })[];
  nodeName?: string;
}

/** Restores everything but what `take` copies into the old object. */
function onlyFrom(object: ApiObject, old: ApiObject, take: (into: ApiObject, from: ApiObject) => void): void {
  const result = copyJson(old);
  take(result, object);
  const { resourceVersion, managedFields } = metaOf(object);
  if (resourceVersion !== undefined) metaOf(result).resourceVersion = resourceVersion;
  if (managedFields !== undefined) metaOf(result).managedFields = managedFields;
  else delete metaOf(result).managedFields;
  const meta = object.metadata!;
  for (const key of Object.keys(meta)) Reflect.deleteProperty(meta, key);
  Object.assign(meta, result.metadata);
  for (const key of Object.keys(object)) if (key !== "metadata") Reflect.deleteProperty(object, key);
  for (const key of Object.keys(result)) if (key !== "metadata") object[key] = result[key];
}

const spec = (object: ApiObject): PodSpec => object.spec ?? {};

/** Rules by `group/plural` and subresource. */
export const subresourceRules: Readonly<Record<string, Readonly<Record<string, SubresourceStrategy>>>> = {
  "/pods": {
    ephemeralcontainers: {
      raisesGeneration: true,
      prepare: (object, old) =>
        onlyFrom(object, old, (into, from) => {
          const asked = spec(from).ephemeralContainers;
          if (asked === undefined) delete spec(into).ephemeralContainers;
          else spec(into).ephemeralContainers = asked;
          dropDisabled(into.spec as never);
        }),
      validate: (object, old) => validateEphemeralUpdate(object as unknown as Pod, old as unknown as Pod),
    },
    resize: {
      raisesGeneration: true,
      prepare: (object, old) =>
        onlyFrom(object, old, (into, from) => {
          for (const key of ["containers", "initContainers"] as const) {
            for (const container of spec(into)[key] ?? []) {
              const asked = spec(from)[key]?.find((one) => one.name === container.name);
              if (asked === undefined) continue;
              if (asked.resources !== undefined) container.resources = asked.resources;
              if (asked.resizePolicy !== undefined) container.resizePolicy = asked.resizePolicy;
            }
          }
        }),
      validate: (object, old) => validateResize(object as unknown as Pod, old as unknown as Pod),
    },
    binding: {},
  },
  "/namespaces": {
    finalize: {
      prepare(object, old) {
        if (old.status === undefined) delete object.status;
        else object.status = copyJson(old.status);
      },
      validate: (object) => validateNamespaceFinalizers(object as never),
    },
  },
};
