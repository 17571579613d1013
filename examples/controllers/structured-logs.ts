// The log of a controller as levels, messages and fields. With pino, pass `pino({ level: "debug" })` instead of the logger
// below; one of bunyan or Fastify fits, too.
import { createController, logToPino, type StructuredLogger } from "kubestream/controller";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const print = (level: string) => (fields: object, message?: string) => {
  const { controller, colour } = fields as Record<string, unknown>;
  console.log(level, message, JSON.stringify({ controller, colour }));
};
const logger: StructuredLogger = {
  error: print("error"),
  warn: print("warn"),
  info: print("info"),
  debug: print("debug"),
};

const client = await connect();
const configMaps = client.resource(ConfigMap).namespace("default");
await configMaps.create({ metadata: { name: "logged", labels: { logged: "yes" } }, data: { colour: "blue" } });
const controller = createController({
  name: "reader",
  for: configMaps,
  informer: { labelSelector: "logged=yes" },
  log: logToPino(logger),
  reconcile: (_request, { object, log }) => log("info", "checked", { colour: object?.data?.["colour"] }),
});
const done = new Promise<void>((resolve) => void controller.onReconcile(() => resolve()));
controller.start();
await done;
await controller.stop();
await configMaps.delete("logged");
await client.close();
