import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DroppingProxy } from "../../src/cli/demo/dropping-proxy.js";
import { createDroppingProxy } from "../../src/cli/demo/dropping-proxy.js";
import type { Client } from "../../src/client/client.js";
import { connect } from "../../src/node/connection/connect.js";
import type { Target } from "./target.js";

/** Runs `body` with a client whose connections go through a proxy that can drop them. */
export async function throughProxy(
  target: Target,
  body: (client: Client, proxy: DroppingProxy) => Promise<void>,
): Promise<void> {
  const text = readFileSync(target.kubeconfig(), "utf8");
  const address = /https?:\/\/(127[.]0[.]0[.]1|localhost):(\d+)/.exec(text);
  if (address === null) throw new Error("the kubeconfig names no loopback server");
  const proxy = await createDroppingProxy("127.0.0.1", Number(address[2]));
  const folder = mkdtempSync(join(tmpdir(), "kubestream-proxied-"));
  const kubeconfig = join(folder, "kubeconfig");
  copyFileSync(target.kubeconfig(), kubeconfig);
  writeFileSync(kubeconfig, text.replaceAll(`:${address[2]!}`, `:${String(proxy.port)}`));
  const client = await connect({ kubeconfig });
  try {
    await body(client, proxy);
  } finally {
    await client.close();
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
