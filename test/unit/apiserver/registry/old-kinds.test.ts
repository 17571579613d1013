import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";

let server: ApiServer;
beforeAll(() => {
  server = createApiServer({ controllers: false });
});
afterAll(() => server.close());

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const mismatch = (given: string, expected: string): string =>
  `the API version in the data (${given}) does not match the expected API version (${expected})`;
const unknown = (kind: string, given: string, wanted: string): string =>
  `${kind} in version "${given.split("/").at(-1)!}" cannot be handled as a ${wanted}: no kind "${kind}" is registered for version "${given}" in scheme "pkg/runtime/scheme.go:111"`;
const other = (kind: string, version: string): string =>
  `${kind} in version "${version}" cannot be handled as a Deployment: converting (${version}.${kind}) to (apps.Deployment): unknown conversion`;

it.each([
  [deployments, "apps/v1beta2", "Deployment", mismatch("apps/v1beta2", "apps/v1")],
  [deployments, "extensions/v1beta1", "Deployment", mismatch("extensions/v1beta1", "apps/v1")],
  [deployments, "apps/v1alpha1", "Deployment", unknown("Deployment", "apps/v1alpha1", "Deployment")],
  [deployments, "extensions/v1beta1", "Ingress", other("Ingress", "v1beta1")],
  [deployments, "apps/v1", "DeploymentList", other("DeploymentList", "v1")],
  [deployments, "apps/v1beta2", "DeploymentList", other("DeploymentList", "v1beta2")],
  [
    deployments,
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    unknown("CustomResourceDefinition", "apiextensions.k8s.io/v1", "Deployment"),
  ],
  [
    "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
    "extensions/v1beta1",
    "Ingress",
    mismatch("extensions/v1beta1", "networking.k8s.io/v1"),
  ],
  ["/apis/batch/v1/namespaces/default/jobs", "extensions/v1beta1", "Job", unknown("Job", "extensions/v1beta1", "Job")],
  ["/api/v1/namespaces/default/events", "events.k8s.io/v1beta1", "Event", mismatch("events.k8s.io/v1beta1", "v1")],
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "apiextensions.k8s.io/v1beta1",
    "CustomResourceDefinition",
    mismatch("apiextensions.k8s.io/v1beta1", "apiextensions.k8s.io/v1"),
  ],
])("%s told of a %s %s", async (path, apiVersion, kind, message) => {
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion, kind, metadata: { name: "x" } }),
    }),
  );
  expect(await response.json()).toMatchObject({ code: 400, message });
});
