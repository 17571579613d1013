import type { Output } from "./output.js";

/** Expected output of the examples in `examples/pods`. */
export const pods: Readonly<Record<string, Output>> = {
  "attach.ts": ["reloaded"],
  "copy-files.ts": ["[ 'index.html' ]", "<h1>Hello</h1>"],
  "debug-container.ts": ["[ 'debugger busybox:1.37' ]", "{ cpu: '250m', memory: '64Mi' }"],
  "exec.ts": ["tr: 0 HELLO", "sh: 3 oops", "shell: [ 'one', 'two' ] 4"],
  "logs.ts": ["tail: listening", "tail: ready", "25 bytes", "follow: starting", "follow: listening", "follow: ready"],
  "pod-logs.ts": ["shop-a main | run 0 begins", "shop-a main | run 1 begins", "shop-b main | run 0 begins"],
  "port-forward.ts": ["forwarding to the pod: true", "200 hello from the pod", "HTTP/1.1 200 OK"],
  "service-proxy.ts": [
    "/api/v1/namespaces/web/services/web:http/proxy/metrics",
    "200 requests_total 3 (?format=text)",
    'no endpoints available for service "idle"',
  ],
};
