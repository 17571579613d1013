import { deepEqual } from "../../../internal/deep-equal.js";
import type { Node, NodeSelector, NodeSelectorRequirement } from "../../../kinds/core/v1.js";
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceClass,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { concerns, type RequestOption } from "./requests.js";
import type { ChosenDevice } from "./search.js";

/** Returns the allocation of a claim whose devices are chosen. */
export function allocationResult(
  claim: DeepReadonly<ResourceClaim>,
  chosen: readonly ChosenDevice[],
  node: DeepReadonly<Node>,
  services: { deviceClass(name: string): DeepReadonly<DeviceClass> | undefined; uuid(): string },
): AllocationResult {
  const options = [...new Set(chosen.map(({ option }) => option))];
  const config = [...classConfig(options, services), ...claimConfig(claim, options)];
  const nodeSelector = selectorOf(chosen, node);
  return structuredClone({
    devices: { results: chosen.map((each) => resultOf(each, services)), ...(config.length > 0 && { config }) },
    ...(nodeSelector && { nodeSelector }),
  }) as AllocationResult;
}

function resultOf(
  { option: { name, wanted }, device, share }: ChosenDevice,
  { uuid }: { uuid(): string },
): DeepReadonly<DeviceRequestAllocationResult> {
  const { adminAccess, tolerations } = wanted;
  const { bindingConditions, bindingFailureConditions } = device.device;
  return {
    request: name,
    driver: device.driver,
    pool: device.pool.name,
    device: device.device.name,
    ...(adminAccess === true && { adminAccess }),
    ...(tolerations && { tolerations }),
    ...(bindingConditions && { bindingConditions }),
    ...(bindingFailureConditions && { bindingFailureConditions }),
    ...(share && { shareID: uuid() }),
    ...(share && Object.keys(share).length > 0 && { consumedCapacity: share }),
  };
}

/** Returns the configuration of the requests' classes, each with the requests that it concerns. */
function classConfig(
  options: readonly RequestOption[],
  { deviceClass }: { deviceClass(name: string): DeepReadonly<DeviceClass> | undefined },
): DeepReadonly<DeviceAllocationConfiguration>[] {
  const byClass = new Map<string, string[]>();
  for (const { name, wanted } of options)
    byClass.set(wanted.deviceClassName, [...(byClass.get(wanted.deviceClassName) ?? []), name]);
  return [...byClass].flatMap(([name, requests]) =>
    (deviceClass(name)?.spec.config ?? []).map((each) => ({ source: "FromClass" as const, requests, ...each })),
  );
}

/** Returns the configuration that the claim has for its requests, those that an alternative wasn't chosen for left out. */
function claimConfig(
  { spec }: DeepReadonly<ResourceClaim>,
  options: readonly RequestOption[],
): DeepReadonly<DeviceAllocationConfiguration>[] {
  return (spec.devices?.config ?? [])
    .filter(({ requests }) => options.some((option) => concerns(requests, option)))
    .map((each) => ({ source: "FromClaim" as const, ...each }));
}

/** Returns the selector of the nodes on which all devices can be used; `undefined` for all nodes. */
function selectorOf(chosen: readonly ChosenDevice[], node: DeepReadonly<Node>): DeepReadonly<NodeSelector> | undefined {
  if (chosen.some(({ device: { place, device } }) => (place.nodeName ?? "") !== "" || device.bindsToNode === true)) {
    const thisNode = { key: "metadata.name", operator: "In" as const, values: [node.metadata!.name!] };
    return { nodeSelectorTerms: [{ matchFields: [thisNode] }] };
  }
  const terms = chosen.flatMap(({ device: { place } }) => place.nodeSelector?.nodeSelectorTerms ?? []);
  const matchFields = distinct(terms.flatMap((term) => term.matchFields ?? []));
  const matchExpressions = distinct(terms.flatMap((term) => term.matchExpressions ?? []));
  if (matchFields.length === 0 && matchExpressions.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      { ...(matchFields.length > 0 && { matchFields }), ...(matchExpressions.length > 0 && { matchExpressions }) },
    ],
  };
}

function distinct(
  requirements: readonly DeepReadonly<NodeSelectorRequirement>[],
): DeepReadonly<NodeSelectorRequirement>[] {
  const normal = ({ values = [], ...rest }: DeepReadonly<NodeSelectorRequirement>): object => ({
    ...rest,
    values: [...values].sort(),
  });
  return requirements.filter(
    (each, index) => requirements.findIndex((other) => deepEqual(normal(each), normal(other))) === index,
  );
}
