import { onAbort } from "../../internal/abort.js";
import type { InitialObject } from "../registry/bootstrap.js";
import { createApiEndpointsController } from "./api-endpoints.js";
import { createApiRegistrationController } from "./api-registrations.js";
import { createApiServiceStatusController } from "./api-service-status.js";
import type { Controller } from "./controller.js";
import { createDefinitionController } from "./definition-controller.js";
import { createFlowObjectsController } from "./flow-objects.js";
import { createFlowSchemaStatusController } from "./flow-schema-status.js";
import { createGarbageCollector } from "./garbage-collector.js";
import { createIpAddressController } from "./ip-addresses.js";
import type { NamespaceContent } from "./namespace-contents.js";
import {
  createNamespaceContentController,
  defaultServiceAccount,
  initialContents,
  rootCaConfigMap,
} from "./namespace-contents.js";
import { createNamespaceDeleter } from "./namespace-deleter.js";
import { createPolicyStatusController } from "./policy-status.js";
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
  /** Reports type errors in the expressions of ValidatingAdmissionPolicies in their status. */
  readonly validatingAdmissionPolicyStatus?: boolean | undefined;
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

const toggles = [
  "namespaceLifecycle",
  "garbageCollection",
  "defaultServiceAccount",
  "rootCaConfigMap",
  "validatingAdmissionPolicyStatus",
] as const;

function isChosen(options: ControllerToggles | false, toggle: keyof ControllerToggles): boolean {
  return options !== false && options[toggle] !== false;
}

/** True if at least one of the optional controllers runs. */
export function anyChosen(options: ControllerToggles | false): boolean {
  return toggles.some((toggle) => isChosen(options, toggle));
}

/** Returns the contents that each namespace gets. */
function contentsOf(options: ControllerToggles | false, certificate: string): NamespaceContent[] {
  const contents: NamespaceContent[] = [];
  if (isChosen(options, "defaultServiceAccount")) contents.push(defaultServiceAccount);
  if (isChosen(options, "rootCaConfigMap")) contents.push(rootCaConfigMap(certificate));
  return contents;
}

/** Returns the objects that the controllers would create at the start of a new server. */
export function controllersInitialObjects(options: ControllerToggles | false, certificate: string): InitialObject[] {
  return initialContents(contentsOf(options, certificate));
}

/**
 * Starts the controllers. They stop when the server closes. They don't examine the objects of a new server, which are
 * stored as the controllers would leave them.
 */
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
  if (isChosen(options, "validatingAdmissionPolicyStatus")) controllers.push(createPolicyStatusController(services));
  if (isChosen(options, "garbageCollection")) controllers.push(createGarbageCollector(services));
  for (const content of contentsOf(options, certificate))
    controllers.push(createNamespaceContentController(services, content));
  const end = services.store.onCommit((bucket, entry) => {
    for (const controller of controllers) controller.onCommit(bucket, entry);
  });
  onAbort(services.closed, end);
  return {
    advertise: (address, port) => apiEndpoints.advertise(address, port),
    rescan() {
      for (const controller of controllers) controller.rescan();
    },
    async idle() {
      // One controller's write is work for the next: all are idle once a whole round changes nothing.
      for (let before = -1; before !== services.store.revision; ) {
        before = services.store.revision;
        for (const controller of controllers) await controller.idle();
      }
    },
  };
}
