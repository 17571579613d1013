import { apply } from "./output/apply.js";
import { connecting } from "./output/connecting.js";
import { controllers } from "./output/controllers.js";
import { informers } from "./output/informers.js";
import { kinds } from "./output/kinds.js";
import type { Output } from "./output/output.js";
import { pods } from "./output/pods.js";
import { requests } from "./output/requests.js";
import { testing } from "./output/testing.js";
import { userInterfaces } from "./output/user-interfaces.js";
import { webhooks } from "./output/webhooks.js";
import { workloads } from "./output/workloads.js";

const topics: Readonly<Record<string, Readonly<Record<string, Output>>>> = {
  apply,
  connecting,
  controllers,
  informers,
  kinds,
  pods,
  requests,
  testing,
  "user-interfaces": userInterfaces,
  webhooks,
  workloads,
};

/** Expected output of each example, by its path below `examples`. */
export const expectedOutput: Readonly<Record<string, Output>> = Object.fromEntries(
  Object.entries(topics).flatMap(([topic, examples]) =>
    Object.entries(examples).map(([file, lines]) => [`${topic}/${file}`, lines]),
  ),
);
