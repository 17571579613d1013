import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, inject, it } from "vitest";
import { parse } from "yaml";
import { SelfSubjectReview } from "../../src/kinds/authentication/v1.js";
import { CertificateSigningRequest } from "../../src/kinds/certificates/v1.js";
import type { Node } from "../../src/kinds/core/v1.js";
import { connect } from "../../src/node/connection/connect.js";
import { approve } from "../../src/operations/approve.js";
import { createCertificateRequest } from "../support/certificate-request.js";

const { app, folder } = inject("packed");
const program = join(folder, "dist/cli/main.js");

it("kubestream cluster --watch starts nodes and the pods of a Deployment, and prints their events", async () => {
  const home = mkdtempSync(join(tmpdir(), "kubestream-program-"));
  const file = join(home, "web.yaml");
  writeFileSync(
    file,
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: web}]}}}}",
  );
  const child = spawn(
    process.execPath,
    [program, "cluster", "--anonymous-auth", "--nodes", "2", "--load", file, "--watch"],
    {
      cwd: app,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const lines: string[] = [];
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const line = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout })
      .once("line", resolve)
      .on("line", (each) => lines.push(each));
  });
  const { url } = JSON.parse(line) as { url: string };
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  expect(await get("/api/v1/nodes")).toMatchObject({
    items: [{ metadata: { name: "node-1" } }, { metadata: { name: "node-2" } }],
  });
  await expect
    .poll(() => get("/apis/apps/v1/namespaces/default/deployments/web"))
    .toMatchObject({ status: { availableReplicas: 2 } });
  await expect.poll(() => lines.filter((each) => /^[\d:]+ Pod\/default\/web-\S+ Started: /.test(each))).toHaveLength(2);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  rmSync(home, { recursive: true });
});

it("kubestream cluster --join --kubelet-webhook lets the API server decide who may use the kubelets", async () => {
  const home = mkdtempSync(join(tmpdir(), "kubestream-program-"));
  const kubeconfig = join(home, "config");
  const start = (...words: string[]) => {
    const child = spawn(process.execPath, [program, ...words, "--kubeconfig", kubeconfig], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    return { child, line: once(createInterface({ input: child.stdout }), "line"), ended: once(child, "exit") };
  };
  const server = start("apiserver", "--anonymous-auth");
  const { url } = JSON.parse(String(await server.line)) as { url: string };
  const cluster = start("cluster", "--join", "--kubelet-webhook");
  await cluster.line;
  const node = (await (await fetch(`${url}/api/v1/nodes/node-1`)).json()) as Node;
  const { Port: port } = node.status!.daemonEndpoints!.kubeletEndpoint!;
  const [response] = (await once(
    get({ host: "127.0.0.1", port, path: "/healthz", rejectUnauthorized: false, agent: false }),
    "response",
  )) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(401);
  cluster.child.kill("SIGTERM");
  expect(await cluster.ended).toEqual([0, null]);
  server.child.kill("SIGTERM");
  await server.ended;
  rmSync(home, { recursive: true });
});

it("kubestream cluster accepts the client certificates that it signs", async () => {
  const home = mkdtempSync(join(tmpdir(), "kubestream-program-"));
  const kubeconfig = join(home, "config");
  const child = spawn(process.execPath, [program, "cluster", "--nodes", "0", "--kubeconfig", kubeconfig], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await once(createInterface({ input: child.stdout }), "line");
  const { key, request } = createCertificateRequest("jane", ["developers"]);
  const admin = await connect({ kubeconfig });
  const requests = admin.resource(CertificateSigningRequest);
  await requests.create({
    metadata: { name: "jane" },
    spec: {
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth"],
      request: btoa(request),
    },
  });
  await approve(requests, "jane");
  const certificate = async (): Promise<string> => (await requests.get("jane")).status?.certificate ?? "";
  await expect.poll(certificate).not.toBe("");
  const [cluster] = (parse(readFileSync(kubeconfig, "utf8")) as { clusters: object[] }).clusters;
  const user = { "client-certificate-data": await certificate(), "client-key-data": btoa(key) };
  const own = join(home, "jane");
  writeFileSync(
    own,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ ...cluster, name: "c" }],
      users: [{ name: "jane", user }],
      contexts: [{ name: "c", context: { cluster: "c", user: "jane" } }],
      "current-context": "c",
    }),
  );
  const jane = await connect({ kubeconfig: own });
  expect((await jane.resource(SelfSubjectReview).create({})).status?.userInfo).toMatchObject({
    username: "jane",
    groups: ["developers", "system:authenticated"],
  });
  await Promise.all([admin.close(), jane.close()]);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  rmSync(home, { recursive: true });
});
