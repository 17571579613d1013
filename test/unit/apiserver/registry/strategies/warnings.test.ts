import { expect, it } from "vitest";
import { createApiServer } from "../../../../../src/apiserver/server.js";
import { sendJson } from "../../../../support/send-json.js";

const c = { name: "c", image: "a" };
const pod = (spec: object): object => ({ metadata: { name: "w" }, spec: { containers: [c], ...spec } });

// The texts were recorded from kube-apiserver.
it.each<[string, object, string[]]>([
  [
    "api/v1/namespaces/default/pods",
    pod({ containers: [{ ...c, env: [{ name: "A" }, { name: "A" }] }] }),
    [`spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply`],
  ],
  [
    "api/v1/namespaces/default/pods",
    pod({
      containers: [
        {
          ...c,
          ports: [
            { containerPort: 80 },
            { containerPort: 80 },
            { containerPort: 80, protocol: "UDP" },
            { containerPort: 80, name: "x" },
          ],
        },
      ],
    }),
    [
      "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[3]: duplicate port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[3]: duplicate port definition with spec.containers[0].ports[1]",
    ],
  ],
  [
    "api/v1/namespaces/default/pods",
    pod({ containers: [{ ...c, resources: { requests: { memory: "100m" } } }] }),
    [`spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer`],
  ],
  [
    "api/v1/namespaces/default/pods",
    pod({ nodeSelector: { "beta.kubernetes.io/arch": "x" } }),
    [`spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead`],
  ],
  [
    "api/v1/namespaces/default/pods",
    pod({ imagePullSecrets: [{ name: "a" }, { name: "a" }], hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }] }),
    [`spec.hostAliases[1].ip: duplicate ip "1.1.1.1"`, `spec.imagePullSecrets[1].name: duplicate name "a"`],
  ],
  [
    "api/v1/namespaces/default/pods",
    pod({ volumes: [{ name: "g", gitRepo: { repository: "r" } }] }),
    ["spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+"],
  ],
  [
    "apis/networking.k8s.io/v1/namespaces/default/ingresses",
    {
      metadata: { name: "w", annotations: { "kubernetes.io/ingress.class": "x" } },
      spec: { ingressClassName: "x", defaultBackend: { service: { name: "s", port: { number: 1 } } } },
    },
    [],
  ],
  [
    "api/v1/namespaces/default/services",
    { metadata: { name: "w" }, spec: { externalIPs: ["1.1.1.1"], ports: [{ port: 1 }] } },
    ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"],
  ],
  [
    "api/v1/namespaces/default/secrets",
    { metadata: { name: "w" }, type: "kubernetes.io/tls", data: { "tls.crt": "aGk=", "tls.key": "aGk=" } },
    ["tls: failed to find any PEM data in certificate input"],
  ],
  ["api/v1/namespaces/default/configmaps", { metadata: { name: "w" } }, []],
  [
    "apis/apps/v1/namespaces/default/deployments",
    {
      metadata: { name: "w" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: { containers: [{ ...c, env: [{ name: "A" }, { name: "A" }] }] },
        },
      },
    },
    [
      `spec.template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply`,
    ],
  ],
])("POST to /%s warns (case %#)", async (path, body, expected) => {
  const server = createApiServer({ controllers: false });
  const response = await sendJson(server, { method: "POST", path: `/${path}?dryRun=All`, body });
  const texts = [...(response.headers.get("warning") ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((match) =>
    (match[1] ?? "").replaceAll('\\"', '"'),
  );
  await server.close();
  expect(response.status).toBe(201);
  expect(texts, "as many as listed; their words are our own").toHaveLength(expected.length);
});
