// Random histories of workloads with all that acts on them: pods, budgets, quotas, Services, autoscalers and nodes.
import { createRandom } from "../../../../src/cluster/time/random.js";
import { create, onNodesOf, patch, readiness, remove, type Scenario, type ScenarioStep } from "../scenario.js";
import { createDevices, deviceSteps, podClaims } from "./device-steps.js";
import { nodeSteps } from "./node-steps.js";
import {
  crashPods,
  deletePod,
  disownPod,
  evictPod,
  failPod,
  holdPod,
  probePods,
  relabelPod,
  releasePods,
} from "./pod-steps.js";
import { policySteps } from "./policy-steps.js";
import { changeSettings, classOf, createVolumes, deleteReplicaSets, triggerCronJob, undo } from "./workload-steps.js";
import { createChoices, randomWorkload, scalable, updatable, type WorkloadKind, workloadKinds } from "./workloads.js";
import type { LiveWorkload, World } from "./world.js";

const stepsOfHistory = 8;
/** First seed of the histories with devices, and with zones, topology and families of Services. */
const firstWideSeed = 20_001;

/** Returns the history of a seed. The same seed gives the same one. */
export function randomScenario(seed: number): Scenario {
  const choices = createChoices(createRandom(seed));
  const name = `random-${String(seed)}`;
  const nodes = choices.chance(0.6) ? 1 : 3;
  const world: World = {
    name,
    choices,
    nodes,
    live: [],
    others: new Set(),
    changedNodes: new Map(),
    volumes: false,
    isWide: seed >= firstWideSeed,
  };
  const steps: ScenarioStep[] = [];
  while (steps.length < stepsOfHistory) steps.push(...nextSteps(world));
  const firstZone = world.isWide ? seed % 3 : undefined;
  return { name, nodes, firstZone, steps: [...steps, ...world.changedNodes.values(), releasePods()] };
}

function nextSteps(world: World): ScenarioStep[] {
  const { choices, live } = world;
  const missing = workloadKinds.filter((kind) => !live.some((each) => each.kind === kind));
  if (live.length === 0 || (live.length < 3 && choices.chance(0.25))) return createOne(world, choices.pick(missing));
  if (world.devices !== undefined && choices.chance(0.35)) return deviceSteps(world, world.devices);
  const workload = choices.pick(live);
  const roll = choices.below(100);
  if (roll < 45) return changeWorkload(world, workload);
  if (roll < 70) return world.nodes === 1 ? changePods(world, workload) : nodeSteps(world);
  if (roll < 90) return policySteps(world, workload);
  return deleteWorkload(world, workload);
}

/**
 * Returns the time in milliseconds that the creation of a workload needs: failed pods of a Job come again after ten
 * seconds, and pods of a StatefulSet start one after the other.
 */
const timeOf = (kind: WorkloadKind): number =>
  kind === "Job" || kind === "CronJob" || kind === "StatefulSet" ? 14_000 : 6_000;

function createOne(world: World, kind: WorkloadKind): ScenarioStep[] {
  const { choices, live, name } = world;
  const app = kind.toLowerCase();
  live.push({ kind, app, version: 1, crashed: false, paused: false });
  const needsDevices = world.isWide && choices.chance(0.6);
  const first = needsDevices && world.devices === undefined ? createDevices(world) : [];
  const place = { ...onNodesOf(name), ...(needsDevices && { resourceClaims: podClaims(choices, world.nodes) }) };
  const fields = randomWorkload(choices, kind, app, { place, storageClassName: "CLASS" });
  const step: ScenarioStep = {
    ...create(kind, app, fields, timeOf(kind)),
    run: (stage) => {
      const text = JSON.stringify(fields).replace('"CLASS"', JSON.stringify(classOf(stage.namespace)));
      return create(kind, app, JSON.parse(text) as object).run(stage);
    },
  };
  const needsVolumes = !world.volumes && JSON.stringify(fields).includes('"CLASS"');
  world.volumes ||= needsVolumes;
  return [...first, ...(needsVolumes ? [createVolumes()] : []), step];
}

function changeWorkload(world: World, workload: LiveWorkload): ScenarioStep[] {
  const { choices } = world;
  const { kind, app } = workload;
  const roll = choices.below(10);
  if (scalable.includes(kind) && roll < 3) return [patch(kind, app, { spec: { replicas: choices.below(6) } })];
  if (updatable.includes(kind) && roll < 6) {
    workload.version += 1;
    const image = choices.chance(0.2) ? "unready:1" : `${app}:${String(workload.version)}`;
    const containers = [{ name: "main", image, ...readiness }];
    return [patch(kind, app, { spec: { template: { spec: { containers } } } }, 9_000)];
  }
  if (kind === "Deployment" && roll < 8) {
    if (choices.chance(0.5)) return [undo(app)];
    workload.paused = !workload.paused;
    return [patch(kind, app, { spec: { paused: workload.paused } })];
  }
  if (kind === "CronJob" && roll < 5) return [triggerCronJob(app, String(workload.version++))];
  return changeSettings(choices, workload);
}

function changePods({ choices, others, live }: World, workload: LiveWorkload): ScenarioStep[] {
  const { app, kind } = workload;
  const isBatch = kind === "Job" || kind === "CronJob";
  switch (choices.below(10)) {
    case 0:
    case 1:
      return [deletePod(app, choices.pick([0, 1]))];
    case 2:
      return [evictPod(app)];
    case 3:
      return [failPod(app)];
    case 4:
    case 5:
      if (workload.crashed && !isBatch) return [deletePod(app, 0)];
      workload.crashed = true;
      return [{ ...crashPods(app, isBatch ? choices.pick([0, 1]) : 1), waitMs: isBatch ? 14_000 : 6_000 }];
    case 6:
      return [probePods(app, false), probePods(app, true)];
    case 7:
      // A pod without a controller is adopted by another one that selects it.
      if (!others.delete(`released ${app}`)) {
        others.add(`released ${app}`);
        return [relabelPod(app, `former-${app}`)];
      }
      return [relabelPod(`former-${app}`, choices.chance(0.3) ? choices.pick(live).app : app)];
    case 8:
      return [disownPod(app)];
    default:
      return [holdPod(app), ...(choices.chance(0.5) ? [releasePods()] : [])];
  }
}

function deleteWorkload({ choices, live }: World, workload: LiveWorkload): ScenarioStep[] {
  const { kind, app } = workload;
  if (kind === "Deployment" && choices.chance(0.3)) return [deleteReplicaSets(app)];
  const propagationPolicy = choices.pick(["Background", "Foreground", "Orphan"] as const);
  live.splice(live.indexOf(workload), 1);
  return [remove(kind, app, { propagationPolicy }, 8_000)];
}
