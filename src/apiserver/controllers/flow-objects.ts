import { bootstrapObject, bootstrapTemplates } from "../../gen/bootstrap.js";
import { onAbort } from "../../internal/abort.js";
import type { Timer } from "../../internal/clock.js";
import { isUnwanted, revisedBootstrapObject } from "../flowcontrol/bootstrap-revision.js";
import type { ApiObject } from "../objects/api-object.js";
import { internalContext } from "../registry/internal-context.js";
import type { ServedResource } from "../registry/resources.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { createObject } from "../registry/write/create.js";
import { deleteObject, plainDelete } from "../registry/write/delete.js";
import { updateObject } from "../registry/write/update.js";
import type { Controller } from "./controller.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

const flowControlGroup = "flowcontrol.apiserver.k8s.io";
const fieldManager = "api-priority-and-fairness-config-producer-v1";
const periodMs = 60_000;
const resources = { PriorityLevelConfiguration: "prioritylevelconfigurations", FlowSchema: "flowschemas" } as const;

interface Prescribed {
  readonly resource: ServedResource;
  readonly kind: string;
}

/**
 * Maintains the mandatory and the suggested objects of API Priority and Fairness every minute, like kube-apiserver:
 * creates those that are missing, restores specs that it controls, and removes objects of its own that it doesn't
 * prescribe. It sets its timer only after a change.
 */
export function createFlowObjectsController(services: ControllerServices): Controller {
  const context = internalContext(services);
  const { clock } = services;
  const options = { dryRun: false, manager: fieldManager };
  const startedAt = clock.monotonic();
  const prescribed = new Map<string, Prescribed>();
  for (const { kind, name } of bootstrapTemplates) {
    const plural = resources[kind as keyof typeof resources] as string | undefined;
    const resource = plural === undefined ? undefined : services.resources.find(flowControlGroup, "v1", plural);
    if (resource !== undefined) prescribed.set(`${resource.resource}/${name}`, { resource, kind });
  }

  const ensure = async (key: string): Promise<void> => {
    const [plural = "", name = ""] = key.split("/");
    const stored = getStored(services, `${flowControlGroup}/${plural}`, name);
    const wanted = prescribed.get(key);
    if (wanted === undefined) {
      if (stored === undefined || !isUnwanted(stored)) return;
      const resource = services.resources.find(flowControlGroup, "v1", plural)!;
      await deleteObject(context, { resource, namespace: "", name }, { ...plainDelete, uid: stored.metadata?.uid });
      return;
    }
    const { resource } = wanted;
    const object = bootstrapObject(wanted.kind, name) as ApiObject;
    if (stored === undefined) {
      const { apiVersion, kind, metadata, spec } = object;
      await createObject(context, {
        resource,
        namespace: "",
        object: structuredClone({
          apiVersion,
          kind,
          metadata: { name, annotations: metadata?.annotations },
          spec,
        }),
        options,
      });
      return;
    }
    if (revisedBootstrapObject(stored, object) === undefined) return;
    await updateObject(context, {
      resource,
      namespace: "",
      name,
      subresource: "",
      unconditional: true,
      options,
      transform: (existing) => structuredClone(revisedBootstrapObject(existing!, object) ?? existing!),
    });
  };

  const queue = createWorkQueue(services, "flow-control-objects", ensure);
  let timer: Timer | undefined;
  const ensureAll = (): void => {
    for (const key of prescribed.keys()) queue.add(key);
    for (const plural of Object.values(resources))
      for (const { metadata } of listStored(services, `${flowControlGroup}/${plural}`))
        queue.add(`${plural}/${metadata?.name ?? ""}`);
  };
  const arm = (): void => {
    if (services.closed.aborted) return;
    timer ??= clock.setTimer(
      () => {
        timer = undefined;
        ensureAll();
      },
      periodMs - ((clock.monotonic() - startedAt) % periodMs),
      { upkeep: true },
    );
  };
  onAbort(services.closed, () => timer?.cancel());

  return {
    onCommit({ name }) {
      if (name.startsWith(`${flowControlGroup}/`)) arm();
    },
    rescan: arm,
    idle: () => queue.idle(),
  };
}
