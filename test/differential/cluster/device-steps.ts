// Steps of scenarios and random histories that create devices, and claims for them.
import {
  type Device,
  type DeviceClaim,
  DeviceClass,
  type DeviceRequest,
  type ResourceClaimSpec,
  ResourceSlice,
} from "../../../src/kinds/resource/v1.js";
import { act, create, type ScenarioStep, type Stage } from "./scenario.js";

/** Returns the name of a driver or class of the scenario's namespace, so that scenarios don't share devices. */
export const ownName = (namespace: string): string => `${namespace}.example.com`;

/** Returns a step that creates the class of the devices of the scenario. */
export const deviceClass = (
  waitMs = 1_000,
  { prefix = "", spec = () => ({}) }: { prefix?: string; spec?: (driver: string) => object } = {},
): ScenarioStep =>
  act(
    `create the device class ${prefix}`,
    ({ client, namespace }) => {
      const driver = ownName(namespace);
      return client.resource(DeviceClass).create({
        metadata: { name: `${prefix}${driver}`, labels: { scenario: namespace } },
        spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }], ...spec(driver) },
      });
    },
    waitMs,
  );

/** Returns a step that creates a pool of devices on the node of the scenario with a number. */
export const devices = (pool: string, node: number, list: Device[], waitMs?: number): ScenarioStep =>
  act(
    `create the devices of ${pool}`,
    ({ client, namespace }) =>
      client.resource(ResourceSlice).create({
        metadata: { name: `${pool}-${namespace}`, labels: { scenario: namespace } },
        spec: {
          driver: ownName(namespace),
          nodeName: nodeName(namespace, node),
          pool: { name: pool, generation: 1, resourceSliceCount: 1 },
          devices: list,
        },
      }),
    waitMs,
  );

/** Returns the name of a node that only the scenario of a namespace uses. */
const nodeName = (namespace: string, number: number): string => `${namespace.replace(/-\d+$/, "")}-${number}`;

/** A request, or its fields for the class of the scenario. */
export type Request = DeviceRequest | ((className: string) => DeviceRequest);

/** Returns a request for a device of the scenario's class. */
export const one =
  (name: string, exactly: object = {}) =>
  (deviceClassName: string): DeviceRequest => ({
    name,
    exactly: { deviceClassName, ...exactly },
  });

const claimSpec = (
  { namespace }: Stage,
  requests: readonly Request[],
  more: Partial<DeviceClaim> = {},
): ResourceClaimSpec => ({
  devices: {
    requests: requests.map((each) => (typeof each === "function" ? each(ownName(namespace)) : each)),
    ...more,
  },
});

/** Returns a step that creates a claim. */
export const claim = (name: string, requests: readonly Request[], waitMs?: number): ScenarioStep =>
  act(
    `create the claim ${name}`,
    (stage) => create("ResourceClaim", name, { spec: claimSpec(stage, requests) }).run(stage),
    waitMs,
  );

/** Returns a step that creates a template of claims. */
export const claimTemplate = (name: string, requests: readonly Request[]): ScenarioStep =>
  act(
    `create the template ${name}`,
    (stage) => create("ResourceClaimTemplate", name, { spec: { spec: claimSpec(stage, requests) } }).run(stage),
    500,
  );
