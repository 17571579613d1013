import { managedBy, serviceAllocations } from "../kinds/core/service/service-allocations.js";
import type { ApiObject } from "../objects/api-object.js";
import { internalContext } from "../registry/internal-context.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { deleteVersion } from "../registry/write/commit.js";
import { createObject } from "../registry/write/create.js";
import type { Controller } from "./controller.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

const bucket = "networking.k8s.io/ipaddresses";

/** Maintains an IPAddress for each cluster IP of a Service, as kube-apiserver does. */
export function createIpAddressController(services: ControllerServices): Controller {
  const context = internalContext(services);
  const resource = services.resources.find("networking.k8s.io", "v1", "ipaddresses")!;

  const queue = createWorkQueue(services, "service-ipaddresses-controller", async (address) => {
    const owner = serviceAllocations(services.store).addresses.get(address);
    const present = getStored(services, bucket, address);
    const ours = present?.metadata?.labels?.[managedBy.label] === managedBy.value;
    // Leave addresses alone that others have written.
    if (present !== undefined && (!ours || ownerOf(present) === owner)) return;
    if (present !== undefined) deleteVersion(context, resource, address);
    if (owner === undefined) return;
    await createObject(context, {
      resource,
      namespace: "",
      object: addressObject(address, owner),
      options: { dryRun: false, manager: "kube-apiserver" },
    });
  });

  const touch = (json: string | undefined): void => {
    if (json === undefined) return;
    const { spec } = JSON.parse(json) as { spec?: { clusterIPs?: string[] } };
    for (const address of spec?.clusterIPs ?? []) if (address !== "None") queue.add(address);
  };

  return {
    onCommit({ name }, { old, version }) {
      if (name !== "/services") return;
      touch(old?.json);
      touch(version.json);
    },
    rescan() {
      for (const address of serviceAllocations(services.store).addresses.keys())
        if (address !== "None") queue.add(address);
      for (const { metadata } of listStored(services, bucket)) queue.add(metadata?.name ?? "");
    },
    idle: () => queue.idle(),
  };
}

function ownerOf(object: ApiObject): string {
  const { namespace = "", name = "" } =
    (object["spec"] as { parentRef?: { namespace?: string; name?: string } } | undefined)?.parentRef ?? {};
  return `${namespace}/${name}`;
}

function addressObject(address: string, owner: string): ApiObject {
  const [namespace = "", name = ""] = owner.split("/");
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: {
      name: address,
      labels: {
        "ipaddress.kubernetes.io/ip-family": address.includes(":") ? "IPv6" : "IPv4",
        [managedBy.label]: managedBy.value,
      },
    },
    spec: { parentRef: { resource: "services", namespace, name } },
  };
}
