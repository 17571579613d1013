import { expect, it } from "vitest";
import { findUnsupported } from "../../../../src/cluster/nodes/pod-support.js";
import type { PodSpec } from "../../../../src/kinds/core/v1.js";

const sysctl = (name: string): Partial<PodSpec> => ({ securityContext: { sysctls: [{ name, value: "1" }] } });
const unsafe = (name: string): string => `SysctlForbidden: forbidden sysctl: "${name}" not allowlisted`;

it.each<{ title: string; spec?: Partial<PodSpec>; labels?: Record<string, string>; problem?: string }>([
  { title: "accepts a pod that asks for nothing special" },
  { title: "accepts a pod for Linux", spec: { os: { name: "linux" } }, labels: { "kubernetes.io/os": "linux" } },
  {
    title: "rejects a pod for Windows",
    spec: { os: { name: "windows" } },
    problem: "PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS",
  },
  {
    title: "rejects a pod whose label names another operating system",
    spec: { os: { name: "windows" } },
    labels: { "kubernetes.io/os": "windows" },
    problem:
      "PodOSSelectorNodeLabelDoesNotMatch: Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
  },
  { title: "lets a pod set a safe kernel parameter", spec: sysctl("net.ipv4.tcp_syncookies") },
  { title: "lets a pod set a safe kernel parameter by its path", spec: sysctl("kernel/shm_rmid_forced") },
  {
    title: "rejects a pod that sets an unsafe kernel parameter",
    spec: sysctl("kernel.msgmax"),
    problem: unsafe("kernel.msgmax"),
  },
  {
    title: "rejects a pod that sets an unsafe kernel parameter by its path",
    spec: sysctl("net/ipv4/conf/eth0.1/rp_filter"),
    problem: unsafe("net.ipv4.conf.eth0/1.rp_filter"),
  },
])("kubelet $title", ({ spec, labels = {}, problem }) => {
  const found = findUnsupported({ metadata: { labels }, spec: { containers: [], ...spec } });
  expect(found && `${found.reason}: ${found.message}`).toBe(problem);
});
