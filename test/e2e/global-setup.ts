import type { TestProject } from "vitest/node";
import { missingReason, startRealApiServer } from "./real-apiserver.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the kubeconfig, or the reason why the server is missing. */
    real: { kubeconfig?: string; missing?: string };
  }
}

/** Starts one kube-apiserver for all test files. */
export default function setup(project: TestProject): (() => void) | undefined {
  const missing = missingReason();
  if (missing !== undefined) {
    console.log(`skipped: ${missing}`);
    project.provide("real", { missing });
    return undefined;
  }
  const server = startRealApiServer();
  project.provide("real", { kubeconfig: server.kubeconfig });
  return () => server.stop();
}
