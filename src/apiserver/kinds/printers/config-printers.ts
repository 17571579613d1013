import type {
  ConfigMap,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  ResourceQuota,
  Secret,
} from "../../../kinds/core/v1.js";
import type { Event as EventV1 } from "../../../kinds/events/v1.js";
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
  "/configmaps": {
    columns: "Data,Age",
    cells: ({ data, binaryData }: ConfigMap, age) => [count(data) + count(binaryData), age],
  },
  "/secrets": { columns: "Type,Data,Age", cells: ({ type, data }: Secret, age) => [type ?? "", count(data), age] },
  "/serviceaccounts": { columns: "Age", cells: (_: unknown, age) => [age] },
  "/namespaces": { columns: "Status,Age", cells: ({ status }: Namespace, age) => [status?.phase ?? "", age] },
  "/nodes": {
    columns: "Status,Roles,Age,Version,Internal-IP*,External-IP*,OS-Image*,Kernel-Version*,Container-Runtime*",
    cells: node,
  },
  "/persistentvolumeclaims": {
    columns: "Status,Volume,Capacity,Access Modes,StorageClass,VolumeAttributesClass,Age,VolumeMode*",
    cells: ({ metadata, spec, status }: PersistentVolumeClaim, age) => {
      const bound = (spec?.volumeName ?? "") !== "";
      return [
        isSet(metadata?.deletionTimestamp) ? "Terminating" : (status?.phase ?? ""),
        spec?.volumeName ?? "",
        bound ? (status?.capacity?.["storage"] ?? "0") : "",
        bound ? accessModes(status?.accessModes) : "",
        metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "",
        spec?.volumeAttributesClassName ?? "<unset>",
        age,
        spec?.volumeMode ?? "<unset>",
      ];
    },
  },
  "/persistentvolumes": {
    columns:
      "Capacity,Access Modes,Reclaim Policy,Status,Claim,StorageClass,VolumeAttributesClass,Reason,Age,VolumeMode*",
    cells: ({ metadata, spec, status }: PersistentVolume, age) => [
      spec?.capacity?.["storage"] ?? "0",
      accessModes(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? "",
      isSet(metadata?.deletionTimestamp) ? "Terminating" : (status?.phase ?? ""),
      spec?.claimRef === undefined ? "" : `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`,
      metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "",
      spec?.volumeAttributesClassName ?? "<unset>",
      status?.reason ?? "",
      age,
      spec?.volumeMode ?? "<unset>",
    ],
  },
  "/resourcequotas": {
    columns: "Request,Limit,Age",
    cells: ({ status }: ResourceQuota, age) => {
      const used = Object.entries(status?.hard ?? {})
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, hard]): [string, string] => [name, `${name}: ${status?.used?.[name] ?? "0"}/${hard}`]);
      const limit = ([name]: [string, string]): boolean => name.startsWith("limits.");
      const text = (list: [string, string][]): string => list.map(([, each]) => each).join(", ");
      return [text(used.filter((each) => !limit(each))), text(used.filter(limit)), age];
    },
  },
  "/componentstatuses": {
    columns: "Status,Message,Error",
    cells: ({ conditions }: { conditions?: { type: string; status: string; message?: string; error?: string }[] }) => {
      const healthy = conditions?.find((each) => each.type === "Healthy");
      return [
        healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy",
        healthy?.message ?? "",
        healthy?.error ?? "",
      ];
    },
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

/** How events are printed, the newest time first. */
export const eventPrinter: KindPrinter = {
  columns: "",
  cells: (given: Event, _, nowMs) => {
    const event = inOldNames(given);
    const first = event.firstTimestamp ?? event.eventTime;
    const last = event.series === undefined ? (event.lastTimestamp ?? first) : event.series.lastObservedTime;
    const about = event.involvedObject ?? {};
    const kind = (about.kind ?? "").toLowerCase();
    const source = [event.source?.component || event.reportingComponent, event.source?.host || event.reportingInstance]
      .filter((part) => (part ?? "") !== "")
      .join(", ");
    return [
      formatAge(last, nowMs),
      event.type ?? "",
      event.reason ?? "",
      (about.name ?? "") === "" ? kind : `${kind}/${about.name ?? ""}`,
      about.fieldPath ?? "",
      source,
      (event.message ?? "").trim(),
      formatAge(first, nowMs),
      event.series === undefined ? event.count || 1 : (event.series.count ?? 0),
    ];
  },
};

/** An event with the names that fields have in the core group. */
function inOldNames(event: Event): Event {
  const newer = event as unknown as EventV1;
  if (newer.regarding === undefined && newer.reportingController === undefined && newer.note === undefined)
    return event;
  const {
    regarding,
    reportingController,
    note,
    deprecatedSource,
    deprecatedCount,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
  } = newer;
  const renamed = {
    involvedObject: regarding ?? {},
    reportingComponent: reportingController,
    message: note,
    source: deprecatedSource,
    count: deprecatedCount,
    firstTimestamp: deprecatedFirstTimestamp,
    lastTimestamp: deprecatedLastTimestamp,
  };
  return { ...event, ...Object.fromEntries(Object.entries(renamed).filter(([, value]) => value !== undefined)) };
}

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

function count(map: object | undefined): number {
  return Object.keys(map ?? {}).length;
}

const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(modes: readonly string[] | undefined): string {
  const given = new Set(modes ?? []);
  return Object.keys(SHORT_MODES)
    .filter((mode) => given.has(mode))
    .map((mode) => SHORT_MODES[mode] ?? "")
    .join(",");
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
