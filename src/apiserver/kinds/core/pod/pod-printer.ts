import type { Container, ContainerState, ContainerStatus, Pod } from "../../../../kinds/core/v1.js";
import { firstBy } from "../../../internal/group-by.js";
import type { ApiObject } from "../../../objects/api-object.js";
import type { KindPrinter } from "../../shared/kind-printer.js";
import { isSet } from "../../shared/kind-printer.js";
import { formatAge } from "../../shared/print-age.js";

/** Table columns of pods. */
export const podPrinter: KindPrinter<Pod> = {
  columns: "Ready,Status,Restarts,Age,IP*,Node*,Nominated Node*,Readiness Gates*",
  cells: (pod, age, nowMs) => {
    const { spec, status } = pod;
    const summary = summarize(pod);
    const restarts =
      summary.restarts !== 0 && summary.lastRestart !== undefined
        ? `${String(summary.restarts)} (${formatAge(summary.lastRestart, nowMs)} ago)`
        : String(summary.restarts);
    return [
      `${String(summary.ready)}/${String(summary.total)}`,
      summary.reason,
      restarts,
      age,
      status?.podIPs?.[0]?.ip || "<none>",
      spec?.nodeName || "<none>",
      status?.nominatedNodeName || "<none>",
      gates(pod),
    ];
  },
  conditions: (object: ApiObject) => {
    const { phase } = (object as Pod).status ?? {};
    if (phase === "Succeeded")
      return [
        { type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
      ];
    if (phase === "Failed")
      return [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }];
    return undefined;
  },
};

interface Summary {
  ready: number;
  total: number;
  restarts: number;
  lastRestart: string | undefined;
  reason: string;
}

/** Sums up container restarts. */
class Restarts {
  count = 0;
  last: string | undefined;

  add(status: ContainerStatus): void {
    this.count += status.restartCount;
    const finished = status.lastState?.terminated?.finishedAt;
    if (
      finished !== undefined &&
      finished !== null &&
      (this.last === undefined || Date.parse(finished) > Date.parse(this.last))
    )
      this.last = finished;
  }
}

function summarize(pod: Pod): Summary {
  const { spec, status } = pod;
  const phase = status?.phase ?? "";
  let reason: string = status?.reason || phase;
  if (status?.conditions?.some((each) => each.type === "PodScheduled" && each.reason === "SchedulingGated") === true)
    reason = "SchedulingGated";
  const sidecars = new Map((spec?.initContainers ?? []).filter(isSidecar).map((each) => [each.name, each]));
  const init = initialize(status?.initContainerStatuses ?? [], sidecars, spec?.initContainers?.length ?? 0);
  // A bookmark of a table watch prints an empty pod, whose containers are null.
  const total = (spec?.containers ?? []).length + sidecars.size;
  let { ready } = init;
  let restarts = init.all;
  reason = init.reason ?? reason;
  const initialized =
    status?.conditions?.some((each) => each.type === "Initialized" && each.status === "True") === true;
  if (init.reason === undefined || initialized) {
    restarts = init.sidecars;
    const main = containers(status?.containerStatuses ?? [], restarts, reason);
    ready += main.ready;
    reason = main.reason;
    if (reason === "Completed") {
      const podReady = status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
      if (main.running && podReady) reason = "Running";
      else if (main.error !== "") reason = main.error;
      else if (main.running) reason = "NotReady";
    }
  }
  const deleted = isSet(pod.metadata?.deletionTimestamp);
  if (deleted && status?.reason === "NodeLost") reason = "Unknown";
  else if (deleted && phase !== "Failed" && phase !== "Succeeded") reason = "Terminating";
  return { ready, total, restarts: restarts.count, lastRestart: restarts.last, reason };
}

function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

/** Examines the init containers in order until one isn't done. */
function initialize(
  statuses: readonly ContainerStatus[],
  sidecars: ReadonlyMap<string, Container>,
  count: number,
): { ready: number; reason: string | undefined; all: Restarts; sidecars: Restarts } {
  const all = new Restarts();
  const own = new Restarts();
  let ready = 0;
  for (const [index, status] of statuses.entries()) {
    all.add(status);
    if (sidecars.has(status.name)) own.add(status);
    const { terminated, waiting } = status.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (sidecars.has(status.name) && status.started === true) {
      if (status.ready) ready += 1;
      continue;
    }
    let reason = `Init:${String(index)}/${String(count)}`;
    if (terminated !== undefined) reason = `Init:${terminationReason(terminated)}`;
    else if ((waiting?.reason ?? "") !== "" && waiting?.reason !== "PodInitializing")
      reason = `Init:${waiting?.reason ?? ""}`;
    return { ready, reason, all, sidecars: own };
  }
  return { ready, reason: undefined, all, sidecars: own };
}

function terminationReason(terminated: NonNullable<ContainerState["terminated"]>): string {
  if ((terminated.reason ?? "") !== "") return terminated.reason ?? "";
  return (terminated.signal ?? 0) !== 0
    ? `Signal:${String(terminated.signal)}`
    : `ExitCode:${String(terminated.exitCode)}`;
}

/** Examines the containers in reverse, so that the first one takes precedence. */
function containers(
  statuses: readonly ContainerStatus[],
  restarts: Restarts,
  phase: string,
): { ready: number; reason: string; error: string; running: boolean } {
  let [ready, reason, error, running] = [0, phase, "", false];
  for (const status of [...statuses].reverse()) {
    restarts.add(status);
    const { terminated, waiting } = status.state ?? {};
    if ((waiting?.reason ?? "") !== "") reason = waiting?.reason ?? "";
    else if (terminated !== undefined) {
      reason = terminationReason(terminated);
      if (terminated.exitCode !== 0) error = reason;
    } else if (status.ready && status.state?.running !== undefined) {
      running = true;
      ready += 1;
    }
  }
  return { ready, reason, error, running };
}

function gates({ spec, status }: Pod): string {
  const wanted = spec?.readinessGates ?? [];
  if (wanted.length === 0) return "<none>";
  const conditions = firstBy(status?.conditions, ({ type }) => type);
  const open = wanted.filter((gate) => conditions.get(gate.conditionType)?.status === "True");
  return `${String(open.length)}/${String(wanted.length)}`;
}
