import type { TestProject } from "vitest/node";
import { minorVersion } from "./control-plane.js";
import { missingReason, startRealApiServer } from "./real-apiserver.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the kubeconfig and minor version of Kubernetes, or the reason why the server is missing. */
    real: { kubeconfig?: string; minor?: number; missing?: string };
  }
}

/** Starts one kube-apiserver for all test files. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const missing = missingReason();
  if (missing !== undefined) {
    console.log(`skipped: ${missing}`);
    project.provide("real", { missing });
    return undefined;
  }
  const server = await startRealApiServer();
  project.provide("real", { kubeconfig: server.kubeconfig, minor: minorVersion() });
  return () => server.stop();
}
