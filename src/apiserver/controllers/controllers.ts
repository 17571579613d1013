import { onAbort } from "../../internal/abort.js";
import { createApiEndpointsController } from "./api-endpoints.js";
import { createApiRegistrationController } from "./api-registrations.js";
import { createApiServiceStatusController } from "./api-service-status.js";
import type { Controller } from "./controller.js";
import { createDefinitionController } from "./definition-controller.js";
import { createFlowObjectsController } from "./flow-objects.js";
import { createFlowSchemaStatusController } from "./flow-schema-status.js";
import { createGarbageCollector } from "./garbage-collector.js";
import { createIpAddressController } from "./ip-addresses.js";
import { createNamespaceContentController, defaultServiceAccount, rootCaConfigMap } from "./namespace-contents.js";
import { createNamespaceDeleter } from "./namespace-deleter.js";
import type { ControllerServices } from "./services.js";

/** Switches for the built-in controllers. Each one runs unless it is set to `false`. */
export interface ControllerToggles {
  /** Empties namespaces that are being deleted and removes their finalizer. */
  readonly namespaceLifecycle?: boolean | undefined;
  /** Deletes objects whose owners are gone, and completes foreground and orphan deletions. */
  readonly garbageCollection?: boolean | undefined;
  /** Creates a ServiceAccount `default` in every namespace. */
  readonly defaultServiceAccount?: boolean | undefined;
  /** Creates a ConfigMap `kube-root-ca.crt` in every namespace. */
  readonly rootCaConfigMap?: boolean | undefined;
}

/** All running controllers. */
export interface Controllers {
  /**
   * Publishes the server's address. Resolves when Endpoints and EndpointSlice of the Service `kubernetes` contain it.
   */
  advertise(address: string, port: number): Promise<void>;
  /** Re-examines all stored objects. */
  rescan(): void;
  /** Resolves when no controller has work left. */
  idle(): Promise<void>;
}

const toggles = ["namespaceLifecycle", "garbageCollection", "defaultServiceAccount", "rootCaConfigMap"] as const;

function isChosen(options: ControllerToggles | false, toggle: keyof ControllerToggles): boolean {
  return options !== false && options[toggle] !== false;
}

/** True if at least one of the optional controllers runs. */
export function anyChosen(options: ControllerToggles | false): boolean {
  return toggles.some((toggle) => isChosen(options, toggle));
}

/** Starts the controllers. They stop when the server closes. */
export function startControllers(
  services: ControllerServices,
  options: ControllerToggles | false,
  certificate: string,
): Controllers {
  const apiEndpoints = createApiEndpointsController(services);
  const controllers: Controller[] = [
    createFlowSchemaStatusController(services),
    createFlowObjectsController(services),
    createDefinitionController(services),
    createIpAddressController(services),
    createApiRegistrationController(services),
    createApiServiceStatusController(services),
    apiEndpoints,
  ];
  if (isChosen(options, "namespaceLifecycle")) controllers.push(createNamespaceDeleter(services));
  if (isChosen(options, "garbageCollection")) controllers.push(createGarbageCollector(services));
  if (isChosen(options, "defaultServiceAccount"))
    controllers.push(createNamespaceContentController(services, defaultServiceAccount));
  if (isChosen(options, "rootCaConfigMap"))
    controllers.push(createNamespaceContentController(services, rootCaConfigMap(certificate)));
  const end = services.store.onCommit((bucket, entry) => {
    for (const controller of controllers) controller.onCommit(bucket, entry);
  });
  onAbort(services.closed, end);
  const rescan = (): void => {
    for (const controller of controllers) controller.rescan();
  };
  rescan();
  return {
    advertise: (address, port) => apiEndpoints.advertise(address, port),
    rescan,
    async idle() {
      // One controller's write is work for the next: all are idle once a whole round changes nothing.
      for (let before = -1; before !== services.store.revision; ) {
        before = services.store.revision;
        for (const controller of controllers) await controller.idle();
      }
    },
  };
}
