import type { Output } from "./output.js";

/** Expected output of the examples in `examples/user-interfaces`. */
export const userInterfaces: Readonly<Record<string, Output>> = {
  "dashboard.ts": [/^3 { Pending: 3 }$/],
  "live-stores.ts": ["colours: blue blue", "colours: blue red", "Name,Data,Age page-9,page-10", "may delete: true"],
  "proxy.ts": [
    "audit: jane get configmaps 200",
    "{ colour: 'blue' }",
    "audit: jane list secrets 403",
    "forbidden: true",
  ],
};
