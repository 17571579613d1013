import { createClient } from "../../../../src/client/client.js";
import { Pod } from "../../../../src/kinds/core/v1.js";
import { type Answer, scripted } from "../scripted-transport.js";

/** Returns an answer with a Status. */
export const status = (code: number, reason: string, message: string): Answer => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason, message },
});

/** A pod as the server sends it. */
export const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", resourceVersion: "7" } };

/** Creates a client over a transport that gives some answers in turn, with a handle of it. */
export const setup = (...answers: Answer[]) => {
  const transport = scripted(...answers);
  const client = createClient({ transport, retry: false, onWarning: () => undefined });
  return { transport, client, pods: client.resource(Pod).namespace("apps") };
};
