import type { ApiObject } from "../objects/api-object.js";
import { internalContext } from "../registry/internal-context.js";
import type { ServedResource } from "../registry/resources.js";
import { getStored } from "../registry/stored-objects.js";
import { createObject } from "../registry/write/create.js";
import { updateObject } from "../registry/write/update.js";
import type { Controller } from "./controller.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

/** Address of the server. */
interface Place {
  readonly address: string;
  readonly port: number;
}

/** Maintains Endpoints and EndpointSlice of the Service `kubernetes`, as kube-apiserver does. */
export interface ApiEndpointsController extends Controller {
  /** Publishes the server's address. Resolves when both objects are stored. */
  advertise(address: string, port: number): Promise<void>;
}

const serviceName = "kubernetes";
const serviceKey = `default/${serviceName}`;

/** Creates the controller. The objects don't exist until `advertise` is called. */
export function createApiEndpointsController(services: ControllerServices): ApiEndpointsController {
  const context = internalContext(services);
  const resources = new Map(
    [
      services.resources.find("", "v1", "endpoints")!,
      services.resources.find("discovery.k8s.io", "v1", "endpointslices")!,
    ].map((resource) => [resource.bucket, resource]),
  );
  const options = { dryRun: false, manager: "kube-apiserver" };
  let place: Place | undefined;

  const queue = createWorkQueue(services, "kubernetes-service-endpoints-controller", async (bucket) => {
    if (place === undefined || getStored(services, "/namespaces", "default") === undefined) return;
    const resource = unvalidated(resources.get(bucket)!);
    const present = getStored(services, bucket, serviceKey);
    const { metadata, ...content } = bucket === "/endpoints" ? endpoints(place) : endpointSlice(place);
    if (
      present !== undefined &&
      Object.entries(content).every(([key, value]) => JSON.stringify(present[key]) === JSON.stringify(value))
    )
      return;
    if (present === undefined)
      await createObject(context, {
        resource,
        namespace: "default",
        object: { kind: resource.kind, metadata: { ...metadata, namespace: "default" }, ...content },
        options,
      });
    else
      await updateObject(context, {
        resource,
        namespace: "default",
        name: serviceName,
        subresource: "",
        unconditional: true,
        options,
        transform: (existing) => ({ ...existing, ...content }),
      });
  });

  const all = (): void => {
    for (const bucket of resources.keys()) queue.add(bucket);
  };

  return {
    onCommit({ name }, { version }) {
      if (version.key === serviceKey && resources.has(name)) queue.add(name);
    },
    rescan: all,
    idle: () => queue.idle(),
    async advertise(address, port) {
      place = { address, port };
      all();
      await queue.idle();
    },
  };
}

/** Skips validation, because a local server's loopback address isn't a valid endpoint for users. */
function unvalidated(resource: ServedResource): ServedResource {
  const { validate: _validate, validateUpdate: _validateUpdate, ...strategy } = resource.strategy;
  return { ...resource, strategy };
}

function endpoints({ address, port }: Place): ApiObject {
  return {
    metadata: { name: serviceName, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: "https", port, protocol: "TCP" }] }],
  };
}

function endpointSlice({ address, port }: Place): ApiObject {
  return {
    metadata: { name: serviceName, labels: { "kubernetes.io/service-name": serviceName } },
    addressType: address.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  };
}
