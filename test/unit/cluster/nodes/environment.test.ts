import { describe, expect, it } from "vitest";
import { hostnameOf } from "../../../../src/cluster/nodes/containers/environment.js";
import { serviceEnvironment } from "../../../../src/cluster/nodes/containers/service-environment.js";
import type { PodSpec, ServiceSpec } from "../../../../src/kinds/core/v1.js";

describe("The variables for a Service", () => {
  it.each<{ title: string; spec: ServiceSpec; env: Record<string, string> }>([
    { title: "are missing without a cluster IP", spec: { clusterIP: "None", ports: [{ port: 80 }] }, env: {} },
    {
      title: "are missing for an external name",
      spec: { externalName: "example.com", ports: [{ port: 80 }] },
      env: {},
    },
    {
      title: "name its address and its ports",
      spec: {
        clusterIP: "10.96.0.7",
        ports: [
          { name: "http-web", port: 80 },
          { name: "dns", port: 53, protocol: "UDP" },
        ],
      },
      env: {
        MY_WEB_SERVICE_HOST: "10.96.0.7",
        MY_WEB_SERVICE_PORT: "80",
        MY_WEB_SERVICE_PORT_HTTP_WEB: "80",
        MY_WEB_SERVICE_PORT_DNS: "53",
        MY_WEB_PORT: "tcp://10.96.0.7:80",
        MY_WEB_PORT_80_TCP: "tcp://10.96.0.7:80",
        MY_WEB_PORT_80_TCP_PROTO: "tcp",
        MY_WEB_PORT_80_TCP_PORT: "80",
        MY_WEB_PORT_80_TCP_ADDR: "10.96.0.7",
        MY_WEB_PORT_53_UDP: "udp://10.96.0.7:53",
        MY_WEB_PORT_53_UDP_PROTO: "udp",
        MY_WEB_PORT_53_UDP_PORT: "53",
        MY_WEB_PORT_53_UDP_ADDR: "10.96.0.7",
      },
    },
    {
      title: "put an IPv6 address in brackets in URLs",
      spec: { clusterIP: "fd00::7", ports: [{ port: 80 }] },
      env: {
        MY_WEB_SERVICE_HOST: "fd00::7",
        MY_WEB_SERVICE_PORT: "80",
        MY_WEB_PORT: "tcp://[fd00::7]:80",
        MY_WEB_PORT_80_TCP: "tcp://[fd00::7]:80",
        MY_WEB_PORT_80_TCP_PROTO: "tcp",
        MY_WEB_PORT_80_TCP_PORT: "80",
        MY_WEB_PORT_80_TCP_ADDR: "fd00::7",
      },
    },
  ])("$title", ({ spec, env }) => expect(serviceEnvironment([{ metadata: { name: "my-web" }, spec }])).toEqual(env));
});

describe("The host name of a pod", () => {
  const name = `${"a".repeat(61)}-.b`;
  it.each<{ title: string; spec: Partial<PodSpec>; expected: string }>([
    { title: "is the pod's name, cut to 63 characters", spec: {}, expected: "a".repeat(61) },
    { title: "is the given one", spec: { hostname: "web" }, expected: "web" },
    { title: "is short with a subdomain", spec: { hostname: "web", subdomain: "sub" }, expected: "web" },
    {
      title: "is full if the pod says so",
      spec: { hostname: "web", subdomain: "sub", setHostnameAsFQDN: true },
      expected: "web.sub.shop.svc.cluster.local",
    },
    {
      title: "is replaced by an override",
      spec: { hostname: "web", subdomain: "sub", hostnameOverride: "db.example.com" },
      expected: "db.example.com",
    },
    {
      title: "is that of its node in the network of the node",
      spec: { hostNetwork: true, nodeName: "node-1" },
      expected: "node-1",
    },
  ])("$title", ({ spec, expected }) =>
    expect(hostnameOf({ metadata: { name, namespace: "shop" }, spec: { containers: [], ...spec } })).toBe(expected),
  );
});
