// Copy files to and from a container, like `kubectl cp`. The container needs `tar`.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, copyFromPod, copyToPod } from "kubestream/node";

const client = await connect();
const pod = { namespace: "web", name: "pod-0" };
const folder = await mkdtemp(join(tmpdir(), "copy-files-"));
await mkdir(join(folder, "site"));
await writeFile(join(folder, "site/index.html"), "<h1>Hello</h1>");

// Relative paths in the container start in its working directory.
const onSkipped = (path: string) => console.log("skipped", path);
await copyToPod(client, pod, join(folder, "site"), "uploads", { onSkipped });
await copyFromPod(client, pod, "uploads", join(folder, "back"), { onSkipped });

console.log(await readdir(join(folder, "back")));
console.log(await readFile(join(folder, "back/index.html"), "utf8"));
await rm(folder, { recursive: true });
await client.close();
