import { internalContext } from "../registry/internal-context.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { createObject } from "../registry/write/create.js";
import { deleteObject, plainDelete } from "../registry/write/delete.js";
import type { Version } from "../storage/bucket.js";
import type { Controller } from "./controller.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

const bucket = "apiregistration.k8s.io/apiservices";
const definitionsBucket = "apiextensions.k8s.io/customresourcedefinitions";
const automanagedLabel = "kube-aggregator.kubernetes.io/automanaged";

interface DefinitionSpec {
  readonly group?: string;
  readonly versions?: readonly { readonly name: string; readonly served?: boolean }[];
}

/** Maintains an APIService for every served group version of custom kinds, as kube-apiserver does. */
export function createApiRegistrationController(services: ControllerServices): Controller {
  const context = internalContext(services);
  const resource = services.resources.find("apiregistration.k8s.io", "v1", "apiservices")!;
  const options = { dryRun: false, manager: "kube-apiserver" };

  const queue = createWorkQueue(services, "crd-registration-controller", async (name) => {
    const present = getStored(services, bucket, name);
    const wanted = listStored(services, definitionsBucket).some((definition) =>
      namesOf(definition["spec"]).includes(name),
    );
    if (wanted && present === undefined) {
      const dot = name.indexOf(".");
      const spec = {
        group: name.slice(dot + 1),
        version: name.slice(0, dot),
        groupPriorityMinimum: 1000,
        versionPriority: 100,
      };
      await createObject(context, {
        resource,
        namespace: "",
        object: {
          apiVersion: "apiregistration.k8s.io/v1",
          kind: "APIService",
          metadata: { name, labels: { [automanagedLabel]: "true" } },
          spec,
        },
        options,
      });
    } else if (!wanted && present?.metadata?.labels?.[automanagedLabel] === "true") {
      await deleteObject(context, { resource, namespace: "", name }, plainDelete);
    }
  });

  const add = (version: Version | undefined): void => {
    if (version?.json === undefined) return;
    for (const name of namesOf((JSON.parse(version.json) as { spec?: unknown }).spec)) queue.add(name);
  };

  return {
    onCommit({ name }, { version, old }) {
      if (name === bucket && !version.exists) queue.add(version.key);
      if (name !== definitionsBucket) return;
      add(version);
      add(old);
    },
    rescan() {
      for (const definition of listStored(services, definitionsBucket))
        for (const name of namesOf(definition["spec"])) queue.add(name);
      for (const { metadata } of listStored(services, bucket))
        if (metadata?.labels?.[automanagedLabel] === "true") queue.add(metadata.name ?? "");
    },
    idle: () => queue.idle(),
  };
}

/** Returns the names of the APIServices for a definition's served versions, such as `v1.example.com`. */
function namesOf(spec: unknown): string[] {
  const { group = "", versions = [] } = (spec ?? {}) as DefinitionSpec;
  return versions.filter(({ served }) => served === true).map(({ name }) => `${name}.${group}`);
}
