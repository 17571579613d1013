import type { LazyModule } from "../../internal/lazy-module.js";
import { lazyModule } from "../../internal/lazy-module.js";
import { apiService } from "./apiregistration/api-service.js";
import { lease } from "./coordination/lease.js";
import { componentStatus } from "./core/component-status.js";
import { configMap } from "./core/configmap.js";
import { endpoints } from "./core/endpoints.js";
import { event } from "./core/event.js";
import { namespace } from "./core/namespace.js";
import { resourceQuota } from "./core/resource-quota.js";
import { secret } from "./core/secret.js";
import { service } from "./core/service/service.js";
import { serviceAccount } from "./core/service-account.js";
import { endpointSlice } from "./discovery/endpoint-slice.js";
import { newEvent } from "./events/event.js";
import { flowSchema } from "./flowcontrol/flow-schema.js";
import { priorityLevel } from "./flowcontrol/priority-level.js";
import { storageVersion } from "./internal/storage-version.js";
import { lazyRules } from "./lazy-rules.js";
import { ipAddress } from "./networking/ip-address.js";
import { serviceCidr } from "./networking/service-cidr.js";
import { clusterRoleBinding, roleBinding } from "./rbac/role-bindings.js";
import { clusterRole, role } from "./rbac/roles.js";
import { priorityClass } from "./scheduling/priority-class.js";
import type { KindDefinition, ServingRules } from "./shared/kind-definition.js";
import type { StructHooks } from "./shared/walk-structs.js";

/** Definitions of the groups that are loaded at once. */
const definitions: readonly KindDefinition[] = [
  lease,
  componentStatus,
  configMap,
  endpoints,
  event,
  namespace,
  resourceQuota,
  secret,
  service,
  serviceAccount,
  newEvent,
  role,
  clusterRole,
  roleBinding,
  clusterRoleBinding,
  priorityClass,
  ipAddress,
  serviceCidr,
  endpointSlice,
  storageVersion,
  apiService,
  flowSchema,
  priorityLevel,
];

type Definitions = LazyModule<{ readonly definitions: readonly KindDefinition[] }>;

const workloads: Definitions = lazyModule(() => import("./workload-definitions.js"));

/**
 * Modules that are loaded with the first request for one of their kinds, by group or by `group/plural`. Kinds that share
 * structs, such as the pods in templates, are in one module, because their defaults belong to the structs.
 */
const lazyModules: Readonly<Record<string, Definitions>> = {
  "admissionregistration.k8s.io": lazyModule(() => import("./admissionregistration/definitions.js")),
  "apiextensions.k8s.io": lazyModule(() => import("./apiextensions/definitions.js")),
  "resource.k8s.io": lazyModule(() => import("./resource/definitions.js")),
  "/limitranges": workloads,
  "/nodes": workloads,
  "/persistentvolumeclaims": workloads,
  "/persistentvolumes": workloads,
  "/pods": workloads,
  "/podtemplates": workloads,
  "/replicationcontrollers": workloads,
  apps: workloads,
  autoscaling: workloads,
  batch: workloads,
  "certificates.k8s.io": workloads,
  "coordination.k8s.io/leasecandidates": workloads,
  "networking.k8s.io/ingressclasses": workloads,
  "networking.k8s.io/ingresses": workloads,
  "networking.k8s.io/networkpolicies": workloads,
  "node.k8s.io": workloads,
  policy: workloads,
  "storage.k8s.io": workloads,
};

function lazyModuleOf(group: string, resource: string): Definitions | undefined {
  for (const name of [`${group}/${resource}`, group]) if (Object.hasOwn(lazyModules, name)) return lazyModules[name];
  return undefined;
}

/** Definitions of a module by `group/plural`, and the defaults of their structs. */
interface Kinds {
  readonly byResource: ReadonlyMap<string, KindDefinition>;
  readonly defaults: StructHooks;
}

const eagerKinds = kindsIn(definitions);
const lazyKinds = new Map<Definitions, Kinds>();

function kindsIn(kinds: readonly KindDefinition[], defaults: StructHooks = {}): Kinds {
  return {
    byResource: new Map(kinds.map((definition) => [definition.resource, definition])),
    defaults: Object.assign({}, defaults, ...kinds.map((kind) => kind.defaults)) as StructHooks,
  };
}

/** Returns the kinds of the module that defines a kind. */
function kindsWith(group: string, resource: string): Kinds {
  const module = lazyModuleOf(group, resource);
  if (module === undefined) return eagerKinds;
  let kinds = lazyKinds.get(module);
  if (kinds === undefined) {
    kinds = kindsIn(module.get().definitions, eagerKinds.defaults);
    lazyKinds.set(module, kinds);
  }
  return kinds;
}

/** Loads the definition of a kind. Returns `undefined` if it is loaded. */
export function loadKind(group: string, resource: string): Promise<void> | undefined {
  return lazyModuleOf(group, resource)?.load();
}

/**
 * Returns the definition of a built-in kind, if it has one; others have only their schema. Throws an error if it isn't
 * loaded.
 */
export function kindDefinition(group: string, resource: string): KindDefinition | undefined {
  return kindsWith(group, resource).byResource.get(`${group}/${resource}`);
}

/** Returns what the server must know of a built-in kind to serve it before its definition is loaded. */
export function servingRules(group: string, resource: string): ServingRules {
  const name = `${group}/${resource}`;
  return (Object.hasOwn(lazyRules, name) ? lazyRules[name] : eagerKinds.byResource.get(name)) ?? {};
}

/**
 * Returns the defaults for the structs in a kind, by the OpenAPI name of the struct. Kinds that share a struct share its
 * defaults.
 */
export function structDefaults(group: string, resource: string): StructHooks {
  return kindsWith(group, resource).defaults;
}
