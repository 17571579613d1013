import { pushAll } from "../../../../internal/push-all.js";
import type {
  Container,
  ContainerExtendedResourceRequest,
  ContainerStatus,
  HostIP,
  LinuxContainerUser,
  Pod,
  PodExtendedResourceClaimStatus,
  PodSpec,
  ResourceClaim,
} from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { firstBy } from "../../../internal/group-by.js";
import { isIpv6 } from "../../../objects/formats.js";
import * as check from "../../shared/checks.js";
import { duplicate, forbidden, invalid, required, tooLong } from "../../shared/field-errors.js";
import { annotationUpdateErrors } from "./pod-annotation-errors.js";

const healthStates = ["Healthy", "Unhealthy", "Unknown"];
const ownConditions = new Set(["PodScheduled", "Ready", "Initialized"]);
const negativeMessage = "must be a non-negative integer";
const unknownContainer = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
const unknownResource =
  "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
const mostMessage = 1024;
const mostId = 2 ** 31 - 1;
const kinds = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

export function validatePodStatus(pod: Pod, old: Pod): FieldError[] {
  const { status = {}, spec = { containers: [] } } = pod;
  const { status: before = {}, spec: wanted = { containers: [] } } = old;
  const errors = annotationUpdateErrors(pod, old);
  (status.conditions ?? []).forEach(({ type, observedGeneration = 0 }, index) => {
    const at = `status.conditions[${String(index)}]`;
    if (observedGeneration < 0) errors.push(invalid(`${at}.observedGeneration`, observedGeneration, negativeMessage));
    if (!ownConditions.has(type)) pushAll(errors, check.qualifiedName(`${at}.Type`, type));
  });
  const nominated = status.nominatedNodeName ?? "";
  if (nominated !== "" && nominated !== (before.nominatedNodeName ?? "")) {
    pushAll(errors, check.dnsSubdomain("status.nominatedNodeName", nominated));
    if ((wanted.nodeName ?? "") !== "")
      errors.push(forbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node"));
  }
  if ((status.observedGeneration ?? 0) < 0)
    errors.push(invalid("status.observedGeneration", status.observedGeneration, negativeMessage));
  pushAll(errors, check.immutable("status.qosClass", status.qosClass, before.qosClass));
  for (const kind of kinds) pushAll(errors, transitions(status[kind] ?? [], before[kind] ?? [], kind, wanted));
  const claims = new Set<string>();
  const known = new Set(spec.resourceClaims?.map((claim) => claim.name));
  (status.resourceClaimStatuses ?? []).forEach(({ name, resourceClaimName }, index) => {
    const at = `status.resourceClaimStatuses[${String(index)}]`;
    if (!known.has(name))
      errors.push(invalid(`${at}.name`, name, "must match the name of an entry in `spec.resourceClaims`"));
    if (claims.has(name)) errors.push(duplicate(`${at}.name`, name));
    claims.add(name);
    if (resourceClaimName !== undefined)
      pushAll(errors, check.dnsSubdomain(`${at}.resourceClaimName`, resourceClaimName));
  });
  pushAll(errors, extendedClaimErrors(status.extendedResourceClaimStatus, spec));
  pushAll(errors, addresses("status.podIPs", status.podIPs, before.podIPs));
  const host = status.hostIPs?.[0];
  if (host !== undefined && (status.hostIP ?? "") !== host.ip)
    errors.push(invalid("status.hostIPs[0].ip", host.ip, "must be equal to `hostIP`"));
  pushAll(errors, addresses("status.hostIPs", status.hostIPs, before.hostIPs));
  for (const kind of kinds)
    (status[kind] ?? []).forEach(({ user }, index) =>
      pushAll(errors, userErrors(user?.linux, `status.${kind}[${String(index)}].user.linux`, spec.os?.name)),
    );
  pushAll(
    errors,
    resourceErrors(status.containerStatuses ?? [], spec.containers, "status.containerStatuses"),
    resourceErrors(status.initContainerStatuses ?? [], spec.initContainers ?? [], "status.initContainerStatuses"),
  );
  (status.ephemeralContainerStatuses ?? []).forEach(({ allocatedResourcesStatus = [] }, index) => {
    if (allocatedResourcesStatus.length > 0)
      errors.push(
        forbidden(
          `status.ephemeralContainerStatuses[${String(index)}].allocatedResourcesStatus`,
          "must not be specified in container status",
        ),
      );
  });
  return errors;
}

/** Returns the errors of the claim for the extended resources of a pod. A missing list is null. */
function extendedClaimErrors(
  claim:
    | (Omit<PodExtendedResourceClaimStatus, "requestMappings"> & {
        readonly requestMappings: readonly ContainerExtendedResourceRequest[] | null;
      })
    | undefined,
  { initContainers = [], containers }: PodSpec,
): FieldError[] {
  if (claim === undefined) return [];
  const at = "status.extendedResourceClaimStatus";
  const { resourceClaimName } = claim;
  const requestMappings = claim.requestMappings ?? [];
  const errors: FieldError[] = [];
  if (requestMappings.length === 0)
    errors.push(required(`${at}.requestMappings`, "at least one request mapping is required"));
  const byName = new Map([...initContainers, ...containers].map((container) => [container.name, container]));
  const seen = new Set<string>();
  requestMappings.forEach(({ containerName, resourceName, requestName }, index) => {
    const each = `${at}.requestMappings[${String(index)}]`;
    const container = byName.get(containerName);
    if (container === undefined) errors.push(invalid(`${each}.containerName`, containerName, unknownContainer));
    else if (container.resources?.requests?.[resourceName] === undefined)
      errors.push(invalid(`${each}.resourceName`, resourceName, unknownResource));
    pushAll(errors, check.dnsLabel(`${at}.requestName`, requestName));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key))
      errors.push(
        duplicate(`${each}.containerName`, containerName),
        duplicate(`${each}.resourceName`, resourceName),
        duplicate(`${each}.requestName`, requestName),
      );
    seen.add(key);
  });
  return resourceClaimName === ""
    ? [...errors, required(`${at}.resourceClaimName`, "")]
    : [...errors, ...check.dnsSubdomain(`${at}.resourceClaimName`, resourceClaimName)];
}

/** Returns the errors of terminated containers that run again although their restart policy forbids it. */
function transitions(
  now: readonly ContainerStatus[],
  before: readonly ContainerStatus[],
  kind: (typeof kinds)[number],
  spec: PodSpec,
): FieldError[] {
  const containers: readonly Container[] =
    kind === "containerStatuses"
      ? spec.containers
      : kind === "initContainerStatuses"
        ? (spec.initContainers ?? [])
        : [];
  const statusesNow = firstBy(now, (each) => each.name);
  const containersByName = firstBy(containers, (each) => each.name);
  if (kind !== "ephemeralContainerStatuses" && mayRestartAll(spec)) return [];
  return before.flatMap(({ name, state }, index) => {
    if (state?.terminated === undefined) return [];
    const after = statusesNow.get(name);
    if (after === undefined || after.state?.terminated !== undefined) return [];
    const container = containersByName.get(name);
    const { exitCode } = state.terminated;
    const policy = container?.restartPolicy ?? (container === undefined ? "Never" : (spec.restartPolicy ?? "Always"));
    const again = policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
    return again || (container !== undefined && hasRestartRule(container, exitCode))
      ? []
      : [forbidden(`status.${kind}[${String(index)}].state`, "may not be transitioned to non-terminated state")];
  });
}

/** Returns true if a rule of a pod may restart all of its containers, whatever their restart policies. */
function mayRestartAll({ containers, initContainers = [] }: PodSpec): boolean {
  return [...containers, ...initContainers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
}

/** Returns true if a rule restarts a container that ended with an exit code. */
function hasRestartRule({ restartPolicyRules = [] }: Container, exitCode: number): boolean {
  return restartPolicyRules.some(({ exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) === true;
    return exitCodes?.operator === "NotIn" ? !listed : listed;
  });
}

function addresses(at: string, given: readonly HostIP[] = [], before: readonly HostIP[] = []): FieldError[] {
  const now = given.map(({ ip }) => ip);
  const known = before.map(({ ip }) => ip);
  const errors = check.eachItem(now, at, (ip, path) => (known.includes(ip) ? [] : check.ipAddress(path, ip)));
  if (now.length < 2 || (now.length === 2 && isIpv6(now[0]!) !== isIpv6(now[1]!))) return errors;
  return [...errors, invalid(at, now, "may specify no more than one IP for each IP family")];
}

function userErrors(user: LinuxContainerUser | undefined, at: string, os: string | undefined): FieldError[] {
  if (user === undefined) return [];
  if (os === "windows") return [forbidden(at, "cannot be set for a windows pod")];
  return [
    ...check.between(`${at}.uid`, user.uid, 0, mostId),
    ...check.between(`${at}.gid`, user.gid, 0, mostId),
    ...check.eachItem(user.supplementalGroups, `${at}.supplementalGroups`, (group, path) =>
      check.between(path, group, 0, mostId),
    ),
  ];
}

function resourceErrors(
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  at: string,
): FieldError[] {
  const byName = firstBy(containers, (each) => each.name);
  const claimsByName = new Map(
    [...byName].map(([name, { resources }]) => [name, new Set(resources?.claims?.map(claimedName))]),
  );
  return statuses.flatMap(({ name, allocatedResourcesStatus = [] }, index) => {
    const container = byName.get(name);
    return allocatedResourcesStatus.flatMap((allocated, place) => {
      const path = `${at}[${String(index)}].allocatedResourcesStatus[${String(place)}]`;
      const errors: FieldError[] = [];
      if (container !== undefined) {
        const claimed = allocated.name.startsWith("claim:");
        const found = claimed
          ? claimsByName.get(name)!.has(allocated.name)
          : container.resources?.requests?.[allocated.name] !== undefined;
        if (!found)
          errors.push(
            invalid(`${path}.name`, allocated.name, "must match a resource request or claim of the container"),
          );
      }
      const ids = new Set<string>();
      (allocated.resources ?? []).forEach(({ resourceID, health = "", message }, at2) => {
        const here = `${path}.resources[${String(at2)}]`;
        pushAll(errors, check.oneOf(`${here}.health`, health, healthStates));
        if (message === "") errors.push(required(`${here}.message`, "must be non-empty if specified"));
        else if (message !== undefined && message.length > mostMessage)
          errors.push(tooLong(`${here}.message`, mostMessage));
        if (ids.has(resourceID)) errors.push(duplicate(`${here}.resourceID`, resourceID));
        ids.add(resourceID);
      });
      return errors;
    });
  });
}

/** Returns the name that a status uses for a claim of a container. */
function claimedName({ name, request = "" }: ResourceClaim): string {
  return `claim:${name}${request === "" ? "" : `/${request}`}`;
}
