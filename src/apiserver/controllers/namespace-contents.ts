import { bootstrapTemplates } from "../../gen/bootstrap.js";
import { storedJson } from "../objects/metadata.js";
import type { InitialObject } from "../registry/bootstrap.js";
import { createObject } from "../registry/create.js";
import { internalContext } from "../registry/internal-context.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { updateObject } from "../registry/update.js";
import type { Controller } from "./controller.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

/** An object that every namespace has. */
export interface NamespaceContent {
  /** Name of the controller that maintains it. */
  readonly controller: string;
  /** Bucket of its resource in the core group. */
  readonly bucket: "/serviceaccounts" | "/configmaps";
  readonly kind: string;
  readonly name: string;
  /** Content of the object apart from its metadata. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Its fields, as the managed fields list them; absent if it has no content. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

const fieldManager = "kube-controller-manager";

/** Default ServiceAccount of pods. */
export const defaultServiceAccount: NamespaceContent = {
  controller: "serviceaccount-controller",
  bucket: "/serviceaccounts",
  kind: "ServiceAccount",
  name: "default",
  content: {},
};

/** ConfigMap with the server's CA certificate for pods. */
export function rootCaConfigMap(certificate: string): NamespaceContent {
  return {
    controller: "root-ca-certificate-publisher-controller",
    bucket: "/configmaps",
    kind: "ConfigMap",
    name: "kube-root-ca.crt",
    content: { data: { "ca.crt": certificate } },
    fields: { "f:data": { ".": {}, "f:ca.crt": {} } },
  };
}

/** Returns the contents of the namespaces of a new server, in the form in which their controllers would store them. */
export function initialContents(contents: readonly NamespaceContent[]): InitialObject[] {
  return bootstrapTemplates
    .filter(({ kind }) => kind === "Namespace")
    .flatMap(({ name: namespace }) => contents.map((each) => initialContent(each, namespace)));
}

function initialContent({ kind, name, content, fields }: NamespaceContent, namespace: string): InitialObject {
  const entry = { manager: fieldManager, operation: "Update" as const, apiVersion: "v1" };
  return {
    apiVersion: "v1",
    kind,
    namespace,
    name,
    json: ({ uid, time, revision }) => {
      const managed = fields && { managedFields: [{ ...entry, time, fieldsType: "FieldsV1", fieldsV1: fields }] };
      const metadata = { name, namespace, uid, creationTimestamp: time, ...managed };
      return storedJson({ metadata, ...content }, revision, false);
    },
  };
}

/** Creates the controller that maintains one object in every namespace that isn't being deleted. */
export function createNamespaceContentController(
  services: ControllerServices,
  { controller, bucket, kind, name, content }: NamespaceContent,
): Controller {
  const context = internalContext(services);
  const resource = services.resources.find("", "v1", bucket.slice(1))!;
  const options = { dryRun: false, manager: fieldManager };

  const queue = createWorkQueue(services, controller, async (namespace) => {
    const home = getStored(services, "/namespaces", namespace);
    if (home === undefined || home.metadata?.deletionTimestamp != null) return;
    const present = getStored(services, bucket, `${namespace}/${name}`);
    if (present === undefined) {
      const object = {
        kind,
        apiVersion: "v1",
        metadata: { name, namespace },
        ...structuredClone(content),
      };
      await createObject(context, { resource, namespace, object, options });
    } else if (Object.entries(content).some(([key, value]) => JSON.stringify(present[key]) !== JSON.stringify(value))) {
      await updateObject(context, {
        resource,
        namespace,
        name,
        subresource: "",
        unconditional: true,
        options,
        transform: (existing) => ({ ...existing, ...structuredClone(content) }),
      });
    }
  });

  return {
    onCommit({ name: changed }, { version }) {
      if (changed === "/namespaces" && version.json !== undefined) queue.add(version.key);
      else if (changed === bucket && version.key.endsWith(`/${name}`))
        queue.add(version.key.slice(0, -name.length - 1));
    },
    rescan() {
      for (const namespace of listStored(services, "/namespaces")) queue.add(namespace.metadata?.name ?? "");
    },
    idle: () => queue.idle(),
  };
}
