import type { ContainerStatus, Pod } from "../kinds/core/v1.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";

/** Facts about nodes and containers that the API doesn't show. */
export interface NodeDiagnostics {
  /** Returns the condition of a node, such as `partitioned`; `undefined` if it's up or not simulated. */
  nodeProblem(name: string): string | undefined;
  /** Returns the last lines that a container wrote in its last run; empty if it isn't simulated. */
  lastOutput(pod: DeepReadonly<Pod>, container: string): readonly string[];
}

/** Describes a pod: its node, the states of its containers with the output of those that failed, unmet conditions. */
export function explainPod(pod: DeepReadonly<Pod>, diagnostics: NodeDiagnostics): string[] {
  const { metadata, spec, status } = pod;
  const node = spec?.nodeName;
  const problem = node === undefined ? undefined : diagnostics.nodeProblem(node);
  const place = `${node ?? "no node"}${problem === undefined ? "" : `, which is ${problem}`}`;
  const isOver = status?.phase === "Failed" || status?.phase === "Succeeded";
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const states = containers.flatMap((container) => [
    containerLine(container),
    ...(hasFailed(container) ? diagnostics.lastOutput(pod, container.name).map((line) => `  > ${line}`) : []),
  ]);
  // The condition `Ready` says what `ContainersReady` does, and a pod that is over meets neither.
  const unmet = isOver ? [] : conditionsOf(pod).filter((line) => !/^\S+=True|^ContainersReady=/.test(line));
  const reason = [status?.reason, status?.message].filter((part) => part !== undefined && part !== "").join(": ");
  const head = `${metadata?.name ?? ""} ${status?.phase ?? ""} on ${place}${isOver && reason !== "" ? `: ${reason}` : ""}`;
  return [head, ...[...states, ...unmet].map((line) => `  ${line}`)];
}

/** Returns a line for each condition of an object. */
export function conditionsOf(object: DeepReadonly<KubernetesObject>): string[] {
  const { conditions = [] } =
    (object as { status?: { conditions?: readonly Readonly<Record<string, unknown>>[] } }).status ?? {};
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return conditions.map(({ type, status, reason, message }) =>
    [`${text(type)}=${text(status)}`, text(reason), text(message)].filter((part) => part !== "").join(" "),
  );
}

function hasFailed({ state, lastState }: DeepReadonly<ContainerStatus>): boolean {
  const last = state?.terminated ?? lastState?.terminated;
  return last !== undefined && last.exitCode !== 0;
}

function containerLine({ name, state, lastState, restartCount, ready }: DeepReadonly<ContainerStatus>): string {
  const { waiting, terminated } = state ?? {};
  const last = lastState?.terminated;
  const ended = (end: { reason?: string | undefined; exitCode: number }): string =>
    `${end.reason ?? "Terminated"} (exit code ${end.exitCode})`;
  const current = waiting?.reason ?? (terminated ? ended(terminated) : ready ? "Running, ready" : "Running, not ready");
  const before = last === undefined ? "" : `, last run ${ended(last)}`;
  const message = waiting?.message ?? terminated?.message;
  return `${name}: ${current}, ${restartCount} restarts${before}${message ? `: ${message}` : ""}`;
}
