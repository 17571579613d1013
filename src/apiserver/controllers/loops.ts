import { onAbort } from "../../internal/abort.js";
import { createApiEndpointsLoop } from "./api-endpoints.js";
import { createApiRegistrationLoop } from "./api-registrations.js";
import { createApiServiceStatusLoop } from "./api-service-status.js";
import { createDefinitionLoop } from "./definition-loop.js";
import { createFlowSchemaStatusLoop } from "./flow-schema-status.js";
import { createGarbageCollector } from "./garbage-collector.js";
import { createIpAddressLoop } from "./ip-addresses.js";
import type { Loop } from "./loop.js";
import { createNamespaceContentLoop, defaultServiceAccount, rootCaConfigMap } from "./namespace-contents.js";
import { createNamespaceDeleter } from "./namespace-deleter.js";
import type { ControllerServices } from "./services.js";

/** Which loops of the controller manager run beside the API. Each is on unless it is set to `false`. */
export interface LoopOptions {
  /** Empties namespaces that are being deleted and lets them go. */
  readonly namespaceLifecycle?: boolean;
  /** Deletes objects whose owners are gone; works off foreground and orphan deletions. */
  readonly garbageCollection?: boolean;
  /** Keeps a ServiceAccount `default` in every namespace. */
  readonly defaultServiceAccount?: boolean;
  /** Keeps a ConfigMap `kube-root-ca.crt` in every namespace. */
  readonly rootCaConfigMap?: boolean;
}

/** All loops that run, as one. */
export interface Loops {
  /** Says where the server can be reached. Resolves when the Endpoints and the EndpointSlice of the API's own Service say so. */
  advertise(address: string, port: number): Promise<void>;
  /** Looks at everything stored. */
  rescan(): void;
  /** Resolves when no loop has anything left to do. */
  idle(): Promise<void>;
}

const all: Required<LoopOptions> = {
  namespaceLifecycle: true,
  garbageCollection: true,
  defaultServiceAccount: true,
  rootCaConfigMap: true,
};
const none: Required<LoopOptions> = {
  namespaceLifecycle: false,
  garbageCollection: false,
  defaultServiceAccount: false,
  rootCaConfigMap: false,
};

/** Whether any of the controllers that can be left out runs. */
export function anyChosen(options: LoopOptions | false): boolean {
  return Object.values({ ...all, ...(options === false ? none : options) }).includes(true);
}

/** Starts the loops; they end with the server. */
export function startLoops(services: ControllerServices, options: LoopOptions | false, certificate: string): Loops {
  const chosen = options === false ? none : options;
  const apiEndpoints = createApiEndpointsLoop(services);
  const loops: Loop[] = [
    createFlowSchemaStatusLoop(services),
    createDefinitionLoop(services),
    createIpAddressLoop(services),
    createApiRegistrationLoop(services),
    createApiServiceStatusLoop(services),
    apiEndpoints,
  ];
  if (chosen.namespaceLifecycle !== false) loops.push(createNamespaceDeleter(services));
  if (chosen.garbageCollection !== false) loops.push(createGarbageCollector(services));
  if (chosen.defaultServiceAccount !== false) loops.push(createNamespaceContentLoop(services, defaultServiceAccount));
  if (chosen.rootCaConfigMap !== false) loops.push(createNamespaceContentLoop(services, rootCaConfigMap(certificate)));
  const end = services.store.onCommit((bucket, entry) => {
    for (const loop of loops) loop.onCommit(bucket, entry);
  });
  onAbort(services.closed, end);
  const rescan = (): void => {
    for (const loop of loops) loop.rescan();
  };
  rescan();
  return {
    advertise: (address, port) => apiEndpoints.advertise(address, port),
    rescan,
    async idle() {
      // One loop's work is the next one's trigger: done when a whole round changed nothing.
      for (let before = -1; before !== services.store.revision; ) {
        before = services.store.revision;
        for (const loop of loops) await loop.idle();
      }
    },
  };
}
