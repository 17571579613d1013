import { failure, forbidden, notFound } from "../errors/status.js";
import { groupResourceOf } from "./resources.js";
import type { AdmissionAttributes, AdmissionPlugin, RegistryContext } from "./services.js";
import { getStored } from "./stored-objects.js";

/** Namespaces that can't be deleted. */
const immortal = new Set(["default", "kube-system", "kube-public"]);

/** Group of access reviews. They are answered in any namespace, because a refusal would reveal which ones exist. */
const reviewsGroup = "authorization.k8s.io";

/** Rejects creations in missing or terminating namespaces, and deletions of the built-in namespaces. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  admit(attributes, context) {
    const { resource, operation } = attributes;
    if (operation !== "CREATE" || !resource.namespaced || resource.group === reviewsGroup) return;
    requireNamespace(context, attributes);
  },
  validate(attributes) {
    if (
      attributes.operation === "DELETE" &&
      attributes.resource.bucket === "/namespaces" &&
      immortal.has(attributes.name)
    ) {
      throw forbidden({ group: "", resource: "namespaces" }, attributes.name, "this namespace may not be deleted");
    }
  },
};

/** Throws 404 or 403 unless objects can be created in the namespace. */
function requireNamespace(context: RegistryContext, { resource, namespace, name }: AdmissionAttributes): void {
  const object = getStored(context.services, "/namespaces", namespace);
  if (object === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  if (object.metadata?.deletionTimestamp == null) return;
  const refused = forbidden(
    groupResourceOf(resource),
    name === "" ? "Unknown" : name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  throw failure(403, "Forbidden", refused.message, {
    ...refused.status.details,
    causes: [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  });
}
