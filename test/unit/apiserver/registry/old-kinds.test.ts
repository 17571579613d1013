import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
beforeAll(() => {
  server = createApiServer({ controllers: false });
});
afterAll(() => server.close());

const deployments = "/apis/apps/v1/namespaces/default/deployments";

it.each([
  [deployments, "apps/v1beta2", "Deployment"],
  [deployments, "extensions/v1beta1", "Deployment"],
  [deployments, "apps/v1alpha1", "Deployment"],
  [deployments, "extensions/v1beta1", "Ingress"],
  [deployments, "apps/v1", "DeploymentList"],
  [deployments, "apps/v1beta2", "DeploymentList"],
  [deployments, "apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["/apis/networking.k8s.io/v1/namespaces/default/ingresses", "extensions/v1beta1", "Ingress"],
  ["/apis/batch/v1/namespaces/default/jobs", "extensions/v1beta1", "Job"],
  ["/api/v1/namespaces/default/events", "events.k8s.io/v1beta1", "Event"],
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "apiextensions.k8s.io/v1beta1",
    "CustomResourceDefinition",
  ],
])("POST to %s rejects %s %s", async (path, apiVersion, kind) => {
  const response = await sendJson(server, {
    method: "POST",
    path,
    body: { apiVersion, kind, metadata: { name: "x" } },
  });
  expect(response.body).toMatchObject({ code: 400, reason: "BadRequest" });
});
