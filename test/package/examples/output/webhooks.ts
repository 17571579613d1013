import type { Output } from "./output.js";

/** Expected output of the examples in `examples/webhooks`. */
export const webhooks: Readonly<Record<string, Output>> = {
  "conversion.ts": ["{ host: 'web.example', port: 8080 }", "{ address: 'web.example:8080' }"],
  "webhook-server.ts": ["ready", "{ colour: 'blue' }", /red is reserved$/, "[ 'ca.crt', 'tls.crt', 'tls.key' ]"],
  "webhook.ts": [
    "warning: size defaults to small",
    "{ colour: 'blue', size: 'small' }",
    /denied the request: red is reserved$/,
  ],
};
