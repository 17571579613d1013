import type { DaemonSet } from "../../../src/kinds/apps/v1.js";
import type { Job } from "../../../src/kinds/batch/v1.js";
import type { PersistentVolumeClaim, PodResourceClaim } from "../../../src/kinds/core/v1.js";
import type { DeviceClass, ResourceClaimTemplate, ResourceSlice } from "../../../src/kinds/resource/v1.js";
import type { Random } from "../random.js";

/** Exit code that fails a whole Job by its policy. */
export const fatalExitCode = 42;

/** Claims of a StatefulSet's pods for a volume. */
export const claimTemplates: PersistentVolumeClaim[] = [
  {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
];

const device = "device";

/** Claims of pods for a device each. */
export const resourceClaims: PodResourceClaim[] = [{ name: device, resourceClaimTemplateName: device }];

/** Template of these claims, and its class. */
export const deviceTemplate: ResourceClaimTemplate = {
  metadata: { name: device },
  spec: { spec: { devices: { requests: [{ name: device, exactly: { deviceClassName: device } }] } } },
};
const extendedResourceName = "example.com/device";
export const deviceClass: DeviceClass = { metadata: { name: device }, spec: { extendedResourceName } };

/** Resources of a container that gets a device without naming a claim. */
export const extendedResources = { limits: { [extendedResourceName]: "1" } };

/** Parts of the devices that claims share. Each claim gets one of them. */
export const partsOfDevice = 2;
const shareable = {
  allowMultipleAllocations: true,
  capacity: { parts: { value: String(partsOfDevice), requestPolicy: { default: "1" } } },
};

/** Returns the devices of a node, which suffice for all pods of a rollout. Claims share the first ones. */
export function devicesOf(nodeName: string): ResourceSlice {
  return {
    metadata: { name: nodeName },
    spec: {
      driver: "devices.example.com",
      nodeName,
      pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
      devices: Array.from({ length: 10 }, (_, index) => ({
        name: `device-${index}`,
        ...(index < 3 && shareable),
      })),
    },
  };
}

/** Returns a DaemonSet that replaces its pods one by one, or starts new ones first. */
export function randomDaemonSet(name: string, { chance }: Random): DaemonSet {
  const rollingUpdate = chance(0.5) ? { maxSurge: 1, maxUnavailable: 0 } : { maxUnavailable: 1 };
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: agentTemplate(name, 1),
      updateStrategy: { type: "RollingUpdate", rollingUpdate },
    },
  };
}

/** Returns the template of a version of a DaemonSet's pods. */
export function agentTemplate(name: string, version: number): NonNullable<DaemonSet["spec"]>["template"] {
  return {
    metadata: { labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 5, containers: [{ name: "main", image: `${name}:v${version}` }] },
  };
}

/** Returns a Job whose pods run for some seconds and fail at times. */
export function randomJob(name: string, { chance, int }: Random): Job {
  const template = {
    metadata: { labels: { app: name } },
    spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: `${name}:v1` }] },
  };
  const rules: NonNullable<NonNullable<Job["spec"]>["podFailurePolicy"]>["rules"] = [
    { action: "FailJob", onExitCodes: { operator: "In", values: [fatalExitCode] } },
    { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
  ];
  return {
    metadata: { name },
    spec: {
      completions: 1 + int(5),
      parallelism: 1 + int(3),
      backoffLimit: int(4),
      ...(chance(0.5) && { completionMode: "Indexed" }),
      ...(chance(0.6) && { podFailurePolicy: { rules } }),
      template,
    },
  };
}
