import type { OwnerReference } from "../../meta/object.js";
import { formatTime } from "../objects/metadata.js";
import { internalContext } from "../registry/internal-context.js";
import type { ServedResource } from "../registry/resources.js";
import { createObject } from "../registry/write/create.js";
import type { Version } from "../storage/bucket.js";
import { metadataOf } from "./metadata-of.js";
import type { ControllerServices } from "./services.js";

const component = "garbage-collector-controller";
/** Most references to remember. */
const mostReported = 500;

/** Returns a function that records once that the owner of a dependent is in another namespace. */
export function foreignOwnerReporter(
  services: ControllerServices,
): (dependent: ServedResource, version: Version, owner: OwnerReference) => Promise<void> {
  const context = internalContext(services);
  const resource = services.resources.find("", "v1", "events")!;
  const reported = new Set<string>();
  return async ({ group, version: apiVersion, kind }, version, owner) => {
    const { namespace = "", name = "", uid = "" } = metadataOf(version);
    const reference = `${uid} ${owner.uid}`;
    if (reported.has(reference)) return;
    if (reported.size >= mostReported) reported.clear();
    reported.add(reference);
    const time = formatTime(services.clock.now());
    const identity = `${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}`;
    const place = namespace === "" ? "default" : namespace;
    const involvedObject = { apiVersion: group === "" ? apiVersion : `${group}/${apiVersion}`, kind, name, uid };
    await createObject(context, {
      resource,
      namespace: place,
      object: {
        kind: "Event",
        apiVersion: "v1",
        metadata: { generateName: `${name}.`, namespace: place },
        involvedObject: { ...involvedObject, ...(namespace !== "" && { namespace }) },
        reason: "OwnerRefInvalidNamespace",
        message: `ownerRef [${identity}] does not exist in namespace "${namespace}"`,
        source: { component },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
        type: "Warning",
        reportingComponent: component,
      },
      options: { dryRun: false, manager: "kube-controller-manager" },
    });
  };
}
