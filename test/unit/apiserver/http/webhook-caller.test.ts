import { expect, it } from "vitest";
import { webhookUrl } from "../../../../src/apiserver/http/webhook-caller.js";

const hooks = { namespace: "system", name: "hooks" };

it.each([
  [{ url: "https://hooks.example/validate" }, "https://hooks.example/validate"],
  [{ url: "https://hooks.example//validate//pods/" }, "https://hooks.example/validate/pods"],
  [{ url: "https://hooks.example/a/./b/../c" }, "https://hooks.example/a/c"],
  [{ url: "https://hooks.example:8443" }, "https://hooks.example:8443"],
  [{ service: hooks }, "https://hooks.system.svc:443"],
  [{ service: { ...hooks, path: "/validate/", port: 8443 } }, "https://hooks.system.svc:8443/validate"],
])("webhook URL of %j is %s", (config, expected) => {
  expect(webhookUrl(config)).toBe(expected);
});
