import { isExtendedResource } from "../../../apiserver/kinds/shared/resource-names.js";
import type { ContainerExtendedResourceRequest, Pod } from "../../../kinds/core/v1.js";
import type { DeviceClass, DeviceRequest, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { ownerReference } from "../../../objects/owner-references.js";
import type { NodeInfo } from "../snapshot/node-info.js";
import { amountOf, type Resources } from "../snapshot/pod-resources.js";

/** Annotation of a claim that the scheduler makes for the extended resources of a pod. */
const annotation = "resource.kubernetes.io/extended-resource-claim";
/** Start of the name of the resource that each device class has without naming one. */
const implicitPrefix = "deviceclass.resource.kubernetes.io/";

/** Claim for the extended resources that a pod gets from devices of a node. */
export interface ExtendedClaim {
  /** Claim with a name and a UID that only exist until it is created. */
  readonly claim: ResourceClaim;
  /** Requests of the claim by container and resource. */
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** Returns the class of the devices that provide an extended resource; `undefined` if none do. */
export type ClassOfResource = (resource: string) => DeepReadonly<DeviceClass> | undefined;

/** Returns the requested resources that devices may provide. */
export function extendedResources(requests: Resources): string[] {
  return Object.keys(requests).filter(
    (name) => requests[name]! > 0 && (name.startsWith(implicitPrefix) || isExtendedResource(name)),
  );
}

/** Returns true if a node offers a resource itself, so that devices don't provide it there. */
export function offers({ allocatable }: NodeInfo, resource: string): boolean {
  return (allocatable[resource] ?? 0) > 0;
}

/** Returns the extended resources that a class provides. */
export function resourcesOf({ metadata, spec }: DeepReadonly<DeviceClass>): string[] {
  const { extendedResourceName } = spec;
  return [`${implicitPrefix}${metadata!.name}`, ...(extendedResourceName === undefined ? [] : [extendedResourceName])];
}

/** Returns the preferred one of the classes that provide a resource: the newest; of several, the first by name. */
export function preferredClass(classes: readonly DeepReadonly<DeviceClass>[]): DeepReadonly<DeviceClass> | undefined {
  const isBetter = (a: DeepReadonly<DeviceClass>, b: DeepReadonly<DeviceClass>): boolean => {
    const [created, other] = [a, b].map(({ metadata }) => Date.parse(metadata?.creationTimestamp ?? ""));
    return created === other ? a.metadata!.name! < b.metadata!.name! : created! > other!;
  };
  return classes.reduce<DeepReadonly<DeviceClass> | undefined>(
    (best, each) => (best === undefined || isBetter(each, best) ? each : best),
    undefined,
  );
}

/** Returns true for a claim that the scheduler made for the extended resources of a pod. */
export function isExtendedClaim({ metadata }: DeepReadonly<ResourceClaim>): boolean {
  return metadata?.annotations?.[annotation] === "true";
}

/** Returns the claim for the resources that a pod gets from devices of a node. */
export function extendedClaim(
  pod: DeepReadonly<Pod>,
  resources: readonly string[],
  classOf: ClassOfResource,
): ExtendedClaim {
  const { namespace, name, uid } = pod.metadata!;
  const parts = [...resources].sort().map((resource) => requestsFor(pod, resource, classOf(resource)!.metadata!.name!));
  const requests = parts.flatMap((part) => part.requests).sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    claim: {
      metadata: {
        namespace: namespace!,
        name: "<extended-resources>",
        uid: uid!,
        generateName: `${name}-extended-resources-`,
        annotations: { [annotation]: "true" },
        ownerReferences: [ownerReference(pod, { controller: true, blockOwnerDeletion: false })],
      },
      spec: { devices: { requests } },
    },
    mappings: parts.flatMap((part) => part.mappings),
  };
}

/** Devices that a container requests. */
interface ContainerRequest {
  readonly index: number;
  readonly container: string;
  /** Name of the request in the claim. */
  readonly name: string;
  readonly count: number;
  /** True for an init container that ends before the containers after it start. */
  readonly isBrief: boolean;
}

/**
 * Returns the requests for one resource of all containers of a pod. Init containers use the devices of the containers
 * after them. If those don't suffice, they share the devices of the largest additional request.
 */
function requestsFor(
  pod: DeepReadonly<Pod>,
  resource: string,
  deviceClassName: string,
): { requests: DeviceRequest[]; mappings: ContainerExtendedResourceRequest[] } {
  const own = containerRequests(pod, resource);
  const lasting = own.filter(({ isBrief }) => !isBrief);
  const brief = own.filter(({ isBrief }) => isBrief).map((request) => ({ ...request, ...reuse(request, lasting) }));
  const extra = brief.reduce<(typeof brief)[number] | undefined>(
    (most, each) => (each.missing > (most?.missing ?? 0) ? each : most),
    undefined,
  );
  const all = [...lasting, ...(extra === undefined ? [] : [{ ...extra, count: extra.missing }])];
  const mapping = ({ container }: ContainerRequest, requestName: string): ContainerExtendedResourceRequest => ({
    containerName: container,
    resourceName: resource,
    requestName,
  });
  return {
    requests: all.map(({ name, count }) => ({
      name,
      exactly: { deviceClassName, allocationMode: "ExactCount", count },
    })),
    mappings: [
      ...lasting.map((each) => mapping(each, each.name)),
      ...brief.flatMap((each) => [
        ...each.reused.map(({ name }) => mapping(each, name)),
        ...(each.missing > 0 ? [mapping(each, extra!.name)] : []),
      ]),
    ],
  };
}

function containerRequests({ spec }: DeepReadonly<Pod>, resource: string): ContainerRequest[] {
  const { initContainers = [], containers = [] } = spec ?? {};
  return [...initContainers, ...containers]
    .map(({ name: container, resources, restartPolicy }, index) => {
      const requests = resources?.requests ?? {};
      return {
        index,
        container,
        name: `container-${index}-request-${Object.keys(requests).sort().indexOf(resource)}`,
        count: amountOf(resource, requests[resource] ?? "0"),
        isBrief: index < initContainers.length && restartPolicy !== "Always",
      };
    })
    .filter(({ count }) => count > 0);
}

/** Returns the requests of later containers that an init container uses, and how many devices it needs in addition. */
function reuse(
  { index, count }: ContainerRequest,
  lasting: readonly ContainerRequest[],
): { reused: ContainerRequest[]; missing: number } {
  const reused: ContainerRequest[] = [];
  let missing = count;
  for (const other of lasting) {
    if (missing <= 0) break;
    if (other.index < index) continue;
    reused.push(other);
    missing -= other.count;
  }
  return { reused, missing: Math.max(0, missing) };
}
