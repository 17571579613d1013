import type { Service } from "../../kinds/core/v1.js";
import type { EndpointSlice } from "../../kinds/discovery/v1.js";
import { formatTime } from "../objects/metadata.js";
import { internalContext } from "../registry/internal-context.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { updateObject } from "../registry/update.js";
import type { Controller } from "./controller.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

const BUCKET = "apiregistration.k8s.io/apiservices";
const SLICES = "discovery.k8s.io/endpointslices";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

interface ApiServiceContent {
  readonly spec?: {
    readonly group?: string;
    readonly version?: string;
    readonly service?: { readonly name?: string; readonly namespace?: string; readonly port?: number };
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Maintains the `Available` condition of APIServices, as kube-apiserver does. */
export function createApiServiceStatusController(services: ControllerServices): Controller {
  const context = internalContext(services);
  const resource = services.resources.find("apiregistration.k8s.io", "v1", "apiservices")!;

  const queue = createWorkQueue(services, "apiservice-availability-controller", async (name) => {
    const stored = getStored(services, BUCKET, name) as ApiServiceContent | undefined;
    if (stored === undefined) return;
    const conditions = stored.status?.conditions ?? [];
    const before = conditions.find(({ type }) => type === "Available");
    const found = availability(services, stored.spec ?? {});
    if (before?.status === found.status && before.reason === found.reason && before.message === found.message) return;
    const lastTransitionTime =
      before?.status === found.status ? before.lastTransitionTime : formatTime(services.clock.now());
    const condition = { type: "Available", ...found, lastTransitionTime };
    await updateObject(context, {
      resource,
      namespace: "",
      name,
      subresource: "status",
      unconditional: true,
      options: { dryRun: false, manager: "kube-apiserver" },
      transform: (existing) => ({
        ...existing!,
        status: { conditions: [...conditions.filter(({ type }) => type !== "Available"), condition] },
      }),
    });
  });

  const all = (): void => {
    for (const { metadata } of listStored(services, BUCKET)) queue.add(metadata?.name ?? "");
  };

  return {
    onCommit({ name }, { version }) {
      if (name === BUCKET && version.json !== undefined) queue.add(version.key);
      else if (name === "/services" || name === SLICES) all();
    },
    rescan: all,
    idle: () => queue.idle(),
  };
}

function availability(
  services: ControllerServices,
  { group = "", version = "", service }: NonNullable<ApiServiceContent["spec"]>,
): Pick<Condition, "status" | "reason" | "message"> {
  if (service === undefined)
    return { status: "True", reason: "Local", message: "Local APIServices are always available" };
  const { name = "", namespace = "", port = 443 } = service;
  const no = (reason: string, message: string): Pick<Condition, "status" | "reason" | "message"> => ({
    status: "False",
    reason,
    message,
  });
  const shown = `service/${name} in ${JSON.stringify(namespace)}`;
  const stored = getStored(services, "/services", `${namespace}/${name}`) as Service | undefined;
  if (stored === undefined) return no("ServiceNotFound", `${shown} is not present`);
  if ((stored.spec?.type ?? "ClusterIP") === "ClusterIP") {
    const listening = stored.spec?.ports?.find((each) => each.port === port);
    if (listening === undefined) return no("ServicePortError", `${shown} is not listening on port ${String(port)}`);
    const slices = (listStored(services, SLICES, namespace) as unknown as EndpointSlice[]).filter(
      ({ metadata }) => metadata?.labels?.["kubernetes.io/service-name"] === name,
    );
    if (slices.length === 0) return no("EndpointsNotFound", `cannot find endpointslices for ${shown}`);
    const portName = listening.name ?? "";
    const ready = slices.some(
      ({ ports, endpoints }) =>
        (ports ?? []).some((each) => (each.name ?? "") === portName) &&
        ((endpoints as EndpointSlice["endpoints"] | null) ?? []).some(({ conditions }) => conditions?.ready !== false),
    );
    if (!ready)
      return no(
        "MissingEndpoints",
        `endpointslices for ${shown} have no addresses with port name ${JSON.stringify(portName)}`,
      );
  }
  // This server doesn't proxy requests to other API servers.
  const url = `https://${name}.${namespace}.svc:${String(port)}/${group === "" ? "api" : `apis/${group}`}/${version}`;
  return no("FailedDiscoveryCheck", `failing or missing response from ${url}: this server does not ask other servers`);
}
