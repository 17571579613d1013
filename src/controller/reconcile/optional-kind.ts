import type { SharedInformerOptions } from "../../cache/informer/informer-factory.js";
import type { ListWatch } from "../../client/resource/collection.js";
import type { CustomResourceDefinition } from "../../kinds/apiextensions/v1.js";
import type { Kind } from "../../meta/kind.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { Source, SourceDefinition } from "./source.js";

/** Creates a source for a collection; `kindSource` with its handler bound. */
export type SourceOf = (
  definitions: ListWatch<CustomResourceDefinition>,
  onChange: (definition: DeepReadonly<CustomResourceDefinition> | undefined) => void,
  informer: SharedInformerOptions<CustomResourceDefinition>,
) => Source;

/** Creates the definition of an optional kind: it watches the one CustomResourceDefinition that defines it. */
export function createDefinition(
  kind: Pick<Kind, "group" | "version" | "plural">,
  definitions: ListWatch<CustomResourceDefinition>,
  sourceOf: SourceOf,
): SourceDefinition {
  const name = `${kind.plural}.${kind.group}`;
  return {
    watch(onServed) {
      const source = sourceOf(
        definitions,
        (definition) => onServed(definition !== undefined && isServed(definition, kind.version)),
        // The schemas are large, and only the state matters.
        { fieldSelector: `metadata.name=${name}`, projection: "served", transform: dropSchemas },
      );
      return { ...source, description: `the definition ${name}` };
    },
  };
}

function isServed({ spec, status }: DeepReadonly<CustomResourceDefinition>, version: string): boolean {
  const conditions = status?.conditions ?? [];
  return (
    conditions.some((condition) => condition.type === "Established" && condition.status === "True") &&
    spec.versions.some(({ name, served }) => name === version && served)
  );
}

function dropSchemas(definition: CustomResourceDefinition): CustomResourceDefinition {
  const versions = definition.spec.versions.map(({ name, served, storage }) => ({ name, served, storage }));
  return { ...definition, spec: { ...definition.spec, versions } };
}
