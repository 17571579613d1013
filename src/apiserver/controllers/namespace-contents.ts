import { bootstrapTemplates } from "../../gen/bootstrap.js";
import type { ApiObject } from "../objects/api-object.js";
import { storedJson } from "../objects/metadata.js";
import type { InitialObject } from "../registry/bootstrap.js";
import { internalContext } from "../registry/internal-context.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { createObject } from "../registry/write/create.js";
import { updateObject } from "../registry/write/update.js";
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
  readonly annotations?: Readonly<Record<string, string>>;
  /** Content of the object apart from its metadata. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Its fields, as the managed fields list them; absent if it has no content. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Explanation of the ConfigMap for people, as kube-controller-manager writes it. */
const rootCaAnnotations = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the " +
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
};

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
    annotations: rootCaAnnotations,
    content: { data: { "ca.crt": certificate } },
    fields: {
      "f:data": { ".": {}, "f:ca.crt": {} },
      "f:metadata": { "f:annotations": { ".": {}, "f:kubernetes.io/description": {} } },
    },
  };
}

/** Returns the contents of the namespaces of a new server, in the form in which their controllers would store them. */
export function initialContents(contents: readonly NamespaceContent[]): InitialObject[] {
  return bootstrapTemplates
    .filter(({ kind }) => kind === "Namespace")
    .flatMap(({ name: namespace }) => contents.map((each) => initialContent(each, namespace)));
}

function initialContent(
  { kind, name, annotations, content, fields }: NamespaceContent,
  namespace: string,
): InitialObject {
  const entry = { manager: fieldManager, operation: "Update" as const, apiVersion: "v1" };
  return {
    apiVersion: "v1",
    kind,
    namespace,
    name,
    json: ({ uid, time, revision }) => {
      const managed = fields && { managedFields: [{ ...entry, time, fieldsType: "FieldsV1", fieldsV1: fields }] };
      const metadata = {
        name,
        namespace,
        uid,
        creationTimestamp: time,
        ...(annotations && { annotations }),
        ...managed,
      };
      return storedJson({ metadata, ...content }, revision, false);
    },
  };
}

/** Creates the controller that maintains one object in every namespace that isn't being deleted. */
export function createNamespaceContentController(
  services: ControllerServices,
  { controller, bucket, kind, name, annotations, content }: NamespaceContent,
): Controller {
  const context = internalContext(services);
  const resource = services.resources.find("", "v1", bucket.slice(1))!;
  const options = { dryRun: false, manager: fieldManager };

  /** Other texts for people stay. */
  const isCurrent = ({ metadata, ...present }: ApiObject): boolean =>
    Object.entries(content).every(([key, value]) => JSON.stringify(present[key]) === JSON.stringify(value)) &&
    Object.keys(annotations ?? {}).every((key) => (metadata?.annotations?.[key] ?? "") !== "");

  const queue = createWorkQueue(services, controller, async (namespace) => {
    const home = getStored(services, "/namespaces", namespace);
    if (home === undefined || home.metadata?.deletionTimestamp != null) return;
    const present = getStored(services, bucket, `${namespace}/${name}`);
    if (present === undefined) {
      const object = {
        kind,
        apiVersion: "v1",
        metadata: { name, namespace, ...(annotations && { annotations: { ...annotations } }) },
        ...structuredClone(content),
      };
      await createObject(context, { resource, namespace, object, options });
    } else if (!isCurrent(present)) {
      await updateObject(context, {
        resource,
        namespace,
        name,
        subresource: "",
        unconditional: true,
        options,
        transform: (existing) => ({
          ...existing,
          metadata: { ...existing!.metadata, annotations: { ...existing!.metadata?.annotations, ...annotations } },
          ...structuredClone(content),
        }),
      });
    }
  });

  return {
    onCommit({ name: changed }, { version }) {
      if (changed === "/namespaces" && version.exists) queue.add(version.key);
      else if (changed === bucket && version.key.endsWith(`/${name}`))
        queue.add(version.key.slice(0, -name.length - 1));
    },
    rescan() {
      for (const namespace of listStored(services, "/namespaces")) queue.add(namespace.metadata?.name ?? "");
    },
    idle: () => queue.idle(),
  };
}
