import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findInCluster } from "../../../../src/node/kubeconfig/in-cluster.js";
import { useFolder } from "./use-folder.js";

const folder = useFolder();

describe("in-cluster configuration", () => {
  it("uses the service account's files and namespace", async () => {
    await folder.write("sa/token", "t");
    await folder.write("sa/ca.crt", "ca");
    await folder.write("sa/namespace", "web\n");
    const connection = await findInCluster(
      { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" },
      join(folder.path, "sa"),
    );
    expect(connection).toMatchObject({
      namespace: "web",
      ca: { file: join(folder.path, "sa/ca.crt") },
      user: { tokenFile: join(folder.path, "sa/token") },
    });
    expect(connection?.server.href).toBe("https://[fd00::1]/");
  });

  it("reports missing files, and is unavailable outside of a pod", async () => {
    expect(await findInCluster({}, folder.path)).toBeUndefined();
    await expect(
      findInCluster({ KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" }, folder.path),
    ).rejects.toThrow("automountServiceAccountToken");
  });
});
