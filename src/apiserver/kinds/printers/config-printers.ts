import type { Namespace, Node } from "../../../kinds/core/v1.js";
import type { ResourcePoolStatusRequest } from "../../../kinds/resource/v1alpha3.js";
import type { DeviceTaintRule } from "../../../kinds/resource/v1beta2.js";
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../../../kinds/storage/v1.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import { isSet } from "../shared/kind-printer.js";
import { formatAge } from "../shared/print-age.js";

/** How nodes, namespaces, configuration, events and storage are printed, by resource. */
export const configPrinters: Readonly<Record<string, KindPrinter>> = {
  "/namespaces": { columns: "Status,Age", cells: ({ status }: Namespace, age) => [status?.phase ?? "", age] },
  "/nodes": {
    columns: "Status,Roles,Age,Version,Internal-IP*,External-IP*,OS-Image*,Kernel-Version*,Container-Runtime*",
    cells: node,
  },
  "storage.k8s.io/storageclasses": {
    columns: "Provisioner,ReclaimPolicy,VolumeBindingMode,AllowVolumeExpansion,Age",
    name: ({ metadata }: StorageClass) => {
      const { annotations } = metadata ?? {};
      const isDefault =
        annotations?.["storageclass.kubernetes.io/is-default-class"] === "true" ||
        annotations?.["storageclass.beta.kubernetes.io/is-default-class"] === "true";
      return `${metadata?.name ?? ""}${isDefault ? " (default)" : ""}`;
    },
    cells: (each: StorageClass, age) => [
      each.provisioner,
      each.reclaimPolicy ?? "Delete",
      each.volumeBindingMode ?? "Immediate",
      each.allowVolumeExpansion ?? false,
      age,
    ],
  },
  "storage.k8s.io/csidrivers": {
    columns:
      "AttachRequired:boolean,PodInfoOnMount:boolean,StorageCapacity:boolean,TokenRequests,RequiresRepublish:boolean,Modes,Age",
    cells: ({ spec }: CSIDriver, age) => [
      spec.attachRequired ?? true,
      spec.podInfoOnMount ?? false,
      spec.storageCapacity ?? false,
      spec.tokenRequests?.map((each) => each.audience).join(",") ?? "<unset>",
      spec.requiresRepublish ?? false,
      (spec.volumeLifecycleModes ?? []).join(",") || "<none>",
      age,
    ],
  },
  "storage.k8s.io/csinodes": {
    columns: "Drivers:integer,Age",
    cells: ({ spec }: CSINode, age) => [(spec.drivers as unknown[] | null)?.length ?? 0, age],
  },
  "storage.k8s.io/volumeattachments": {
    columns: "Attacher/name,PV,Node,Attached:boolean,Age",
    cells: ({ spec, status }: VolumeAttachment, age) => [
      spec.attacher,
      spec.source.persistentVolumeName ?? "",
      spec.nodeName,
      status?.attached ?? false,
      age,
    ],
  },
  "resource.k8s.io/devicetaintrules": {
    columns: "Key,Value,Effect,TimeAdded,Age",
    cells: ({ spec: { taint } }: DeviceTaintRule, age, nowMs) => [
      taint.key,
      taint.value ?? "",
      taint.effect,
      formatAge(taint.timeAdded, nowMs),
      age,
    ],
  },
  "resource.k8s.io/resourcepoolstatusrequests": {
    columns: "Driver,Total,Available,Allocated,Unavailable,Errors,Pools:integer,Status,Completed",
    cells: poolStatus,
  },
  "storage.k8s.io/volumeattributesclasses": {
    columns: "DriverName,Age",
    cells: ({ driverName }: VolumeAttributesClass, age) => [driverName, age],
  },
};

function poolStatus({ spec, status }: ResourcePoolStatusRequest, _: string, nowMs: number): unknown[] {
  const condition = status?.conditions?.find(
    ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
  );
  const pools = status?.pools ?? [];
  const count = status?.poolCount ?? 0;
  const sum = (amount: (pool: (typeof pools)[number]) => number | undefined): string =>
    String(pools.reduce((total, pool) => total + (amount(pool) ?? 0), 0));
  const sums =
    isSet(status) && condition?.type !== "Failed"
      ? [
          sum((pool) => pool.totalDevices),
          sum((pool) => pool.availableDevices),
          sum((pool) => pool.allocatedDevices),
          sum((pool) => pool.unavailableDevices),
          sum((pool) => (pool.validationError === undefined ? 0 : 1)),
        ]
      : ["-", "-", "-", "-", "-"];
  const state = condition?.type ?? "Pending";
  return [
    spec.driver,
    ...sums,
    count,
    state === "Complete" && count > pools.length ? `Complete (${String(pools.length)}/${String(count)} pools)` : state,
    state === "Complete" ? formatAge(condition?.lastTransitionTime, nowMs) : "<none>",
  ];
}

const ROLE = "node-role.kubernetes.io/";

function node({ metadata, spec, status }: Node, age: string): unknown[] {
  const ready = status?.conditions?.filter((each) => each.type === "Ready").at(-1);
  const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  const roles = Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith(ROLE) ? key.slice(ROLE.length) || [] : key === "kubernetes.io/role" ? value || [] : [],
  );
  const info = status?.nodeInfo;
  const address = (type: string): string => status?.addresses?.find((each) => each.type === type)?.address ?? "<none>";
  const kernel = info?.kernelVersion || "<unknown>";
  return [
    spec?.unschedulable === true ? `${state},SchedulingDisabled` : state,
    [...new Set(roles)].sort().join(",") || "<none>",
    age,
    info?.kubeletVersion ?? "",
    address("InternalIP"),
    address("ExternalIP"),
    info?.osImage || "<unknown>",
    (info?.architecture ?? "") === "" ? kernel : `${kernel} (${info?.architecture ?? ""})`,
    info?.containerRuntimeVersion || "<unknown>",
  ];
}
