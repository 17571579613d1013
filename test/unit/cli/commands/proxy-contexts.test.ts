import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../../../src/cli/commands/proxy.js";

it("kubestream proxy rejects contexts that would have the same path", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-proxy-"));
  const kubeconfig = join(folder, "kubeconfig");
  const contexts = ["arn:aws/shop", "arn:aws-shop"].map((name) => ({ name, context: { cluster: "c", user: "u" } }));
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "u", user: {} }],
      contexts,
    }),
  );
  try {
    await expect(run(["--kubeconfig", kubeconfig, "--all-contexts", "--bind-address", "203.0.113.1"])).rejects.toThrow(
      "contexts arn:aws/shop and arn:aws-shop would both be served at /clusters/arn:aws-shop/: rename one",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
