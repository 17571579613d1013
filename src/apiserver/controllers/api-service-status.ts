import { onAbort } from "../../internal/abort.js";
import type { Timer } from "../../internal/clock.js";
import type { Service } from "../../kinds/core/v1.js";
import type { EndpointSlice } from "../../kinds/discovery/v1.js";
import type { ServiceReference } from "../http/service-resolver.js";
import { formatTime } from "../objects/metadata.js";
import { internalContext } from "../registry/internal-context.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { updateObject } from "../registry/write/update.js";
import type { Controller } from "./controller.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue, type WorkQueue } from "./work-queue.js";

const bucket = "apiregistration.k8s.io/apiservices";
const slicesResource = "discovery.k8s.io/endpointslices";

/** Pauses between checks of an API that answers, and of one that doesn't. */
const healthyMs = 30_000;
const failedMs = 5_000;
const recheckMs = 1_000;

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

  const timers = new Map<string, Timer>();
  onAbort(services.closed, () => {
    for (const timer of timers.values()) timer.cancel();
  });
  const recheckLater = (name: string, waitMs: number): void => {
    timers.get(name)?.cancel();
    const timer = services.clock.setTimer(() => queue.add(name), waitMs, { upkeep: true });
    timers.set(name, timer);
  };

  const queue: WorkQueue = createWorkQueue(services, "apiservice-availability-controller", async (name) => {
    const stored = getStored(services, bucket, name) as ApiServiceContent | undefined;
    if (stored === undefined) {
      timers.get(name)?.cancel();
      timers.delete(name);
      return;
    }
    const conditions = stored.status?.conditions ?? [];
    const before = conditions.find(({ type }) => type === "Available");
    const found = await availability(services, stored.spec ?? {});
    if (stored.spec?.service !== undefined) recheckLater(name, found.status === "True" ? healthyMs : failedMs);
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
    for (const { metadata } of listStored(services, bucket)) queue.add(metadata?.name ?? "");
  };

  // Requests that fail ask for a check, at most one per second.
  let rechecked = { name: "", ms: 0 };
  services.aggregated.onRecheck((name) => {
    const ms = services.clock.now();
    if (rechecked.name === name && ms - rechecked.ms < recheckMs) return;
    rechecked = { name, ms };
    queue.add(name);
  });

  return {
    onCommit({ name }, { version }) {
      if (name === bucket && version.exists) queue.add(version.key);
      else if (name === "/services" || name === slicesResource) all();
    },
    rescan: all,
    idle: () => queue.idle(),
  };
}

type Found = Pick<Condition, "status" | "reason" | "message">;

async function availability(
  services: ControllerServices,
  { group = "", version = "", service }: NonNullable<ApiServiceContent["spec"]>,
): Promise<Found> {
  if (service === undefined)
    return { status: "True", reason: "Local", message: "Local APIServices are always available" };
  const { name = "", namespace = "", port = 443 } = service;
  const place = await services.findService({ namespace, name, port }).catch(() => undefined);
  const problem = place?.resolved === true ? undefined : serviceProblem(services, { name, namespace, port });
  if (problem !== undefined) return problem;
  const api = services.aggregated.find(group, version);
  try {
    if (api !== undefined) await services.aggregated.check(api);
    return { status: "True", reason: "Passed", message: "all checks passed" };
  } catch (error) {
    return no("FailedDiscoveryCheck", error instanceof Error ? error.message : String(error));
  }
}

function no(reason: string, message: string): Found {
  return { status: "False", reason, message };
}

/** Returns the reason why a stored Service can't be reached. */
function serviceProblem(services: ControllerServices, { name, namespace, port }: ServiceReference): Found | undefined {
  const shown = `service/${name} in ${JSON.stringify(namespace)}`;
  const stored = getStored(services, "/services", `${namespace}/${name}`) as Service | undefined;
  if (stored === undefined) return no("ServiceNotFound", `${shown} is not present`);
  if ((stored.spec?.type ?? "ClusterIP") === "ClusterIP") {
    const listening = stored.spec?.ports?.find((each) => each.port === port);
    if (listening === undefined) return no("ServicePortError", `${shown} is not listening on port ${String(port)}`);
    const slices = (listStored(services, slicesResource, namespace) as unknown as EndpointSlice[]).filter(
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
  return undefined;
}
