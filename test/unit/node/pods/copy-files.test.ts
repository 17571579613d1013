import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packTar, type TarHeader } from "modern-tar";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ProtocolError } from "../../../../src/errors/errors.js";
import { copyFromPod, copyToPod } from "../../../../src/node/pods/copy-files.js";
import { fakeCluster } from "../fake-cluster.js";
import type { FakeProcess } from "../fake-kubelet.js";
import { until } from "../local-server.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "copy-"));
});
afterEach(() => rm(folder, { recursive: true }));

const pod = { namespace: "apps", name: "web-0" };

/** Runs the command locally, so that the other end is a real tar. */
async function run({ command, stdin, stdout, stderr }: FakeProcess): Promise<number> {
  const child = spawn(command[0]!, command.slice(1), { stdio: "pipe" });
  const ended = new Promise<number>((resolve) => {
    child.on("error", () => resolve(127));
    child.on("close", (code) => resolve(code ?? 1));
  });
  child.stdin.on("error", () => undefined);
  const feeding = (async () => {
    for await (const chunk of stdin) child.stdin.write(chunk);
    child.stdin.end();
  })();
  const [out, err] = [child.stdout, child.stderr].map(async (stream, index) => {
    for await (const chunk of stream) await (index === 0 ? stdout : stderr)(chunk as Buffer);
  });
  await Promise.all([out, err]);
  const code = await ended;
  void feeding;
  return code;
}

const tree = async (root: string, below = ""): Promise<Record<string, string>> => {
  const found: Record<string, string> = {};
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) Object.assign(found, { [`${path}/`]: "" }, await tree(root, path));
    else
      found[path] =
        `${String((await readFile(join(root, path))).length)} ${((await stat(join(root, path))).mode & 0o777).toString(8)}`;
  }
  return found;
};

it("copyToPod and copyFromPod copy a tree with modes and times", async () => {
  await using fixture = await fakeCluster({ run });
  const source = join(folder, "source");
  const long = `${"d".repeat(80)}/${"é".repeat(60)}.txt`;
  await mkdir(join(source, "d".repeat(80)), { recursive: true });
  await mkdir(join(source, "empty"));
  await writeFile(join(source, "big"), Buffer.alloc(3_000_001, "abc"));
  await writeFile(join(source, "none"), "");
  await writeFile(join(source, long), "long");
  await writeFile(join(source, "run.sh"), "#!", { mode: 0o755 });
  await utimes(join(source, "run.sh"), 1_000_000_000, 1_000_000_000);
  await symlink("/etc/passwd", join(source, "link"));
  const skipped: string[] = [];
  await mkdir(join(folder, "remote"));
  await copyToPod(fixture.client, pod, source, join(folder, "remote/there"), {
    onSkipped: (path) => skipped.push(path),
  });
  await symlink("/etc/passwd", join(folder, "remote/there/link2"));
  await copyFromPod(fixture.client, pod, join(folder, "remote/there"), join(folder, "back"), {
    onSkipped: (path) => skipped.push(path),
  });
  const { link: _link, ...expected } = await tree(source);
  expect(await tree(join(folder, "back"))).toEqual(expected);
  expect(skipped).toEqual([join(source, "link"), "there/link2"]);
  expect((await stat(join(folder, "back/run.sh"))).mtimeMs).toBe(1_000_000_000_000);
  expect(Buffer.compare(await readFile(join(folder, "back/big")), await readFile(join(source, "big")))).toBe(0);
});

it("copyToPod copies a file into a folder and under another name", async () => {
  await using fixture = await fakeCluster({ run });
  await writeFile(join(folder, "a"), "content");
  await mkdir(join(folder, "remote"));
  await copyToPod(fixture.client, pod, join(folder, "a"), `${join(folder, "remote")}/`);
  await copyFromPod(fixture.client, pod, join(folder, "remote/a"), join(folder, "b"));
  expect(await readFile(join(folder, "b"), "utf8")).toBe("content");
  expect(fixture.kubelet.requests[0]).toContain(
    `command=tar&command=-xf&command=-&command=-C&command=${encodeURIComponent(join(folder, "remote"))}&`,
  );
});

it("copyFromPod works over v4, and copyToPod reports that it does not", async () => {
  await using fixture = await fakeCluster({ run, protocols: ["v4.channel.k8s.io"] });
  await writeFile(join(folder, "a"), "content");
  await copyFromPod(fixture.client, pod, join(folder, "a"), join(folder, "b"));
  expect(await readFile(join(folder, "b"), "utf8")).toBe("content");
  await expect(copyToPod(fixture.client, pod, join(folder, "a"), join(folder, "c"))).rejects.toThrow(
    /only supports v4.channel.k8s.io/,
  );
});

it("copyFromPod reports the error output of tar, and a missing tar", async () => {
  await using fixture = await fakeCluster({ run });
  await writeFile(join(folder, "a"), "content");
  await expect(copyToPod(fixture.client, pod, join(folder, "a"), join(folder, "nowhere/a"))).rejects.toThrow(
    /tar in pod "web-0" exited with code 2: .*nowhere/,
  );
  await expect(copyFromPod(fixture.client, pod, join(folder, "nowhere"), join(folder, "b"))).rejects.toThrow(
    /exited with code 2: .*nowhere/,
  );
  await expect(copyToPod(fixture.client, pod, join(folder, "not-here"), "/tmp/x")).rejects.toMatchObject({
    code: "ENOENT",
  });
  await expect(copyFromPod(fixture.client, pod, "/", join(folder, "b"))).rejects.toThrow(TypeError);
});

const file = (path: string, more: Partial<TarHeader> = {}): Promise<Uint8Array> =>
  packTar([{ header: { name: path, size: 3, mtime: new Date(0), ...more }, body: "abc" }]);
const meta = (size: number): Uint8Array => {
  const block = Buffer.alloc(512);
  block.write("pax-header", 0);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("        x", 148);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((left, byte) => left + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
};

it.each<[string, () => Promise<Uint8Array>, string]>([
  ["climbs out with ..", () => file("data/../../evil"), "which was not requested"],
  ["contains an absolute path", () => file("/etc/evil"), "which was not requested"],
  ["contains another file", () => file("other"), "which was not requested"],
  ["renames an entry in a pax header", () => file("data/a", { pax: { path: "../evil" } }), "which was not requested"],
  ["ends too early", async () => (await file("data/a")).subarray(0, 600), "broken: Tar archive is truncated"],
  ["lacks its end marker", async () => (await file("data/a")).subarray(0, 1_024), "broken: Tar archive is truncated"],
  ["is not an archive", async () => Buffer.alloc(2_048, "x"), "the tar archive is broken"],
  ["is empty", async () => Buffer.alloc(1_024), "contains no file"],
  ["has an endless pax header", async () => meta(9_000_000), "broken: Tar metadata entry exceeds maximum size"],
])("copyFromPod rejects an archive that %s", async (_name, archive, message) => {
  await using fixture = await fakeCluster({
    async run({ stdout }) {
      await stdout(Buffer.from(await archive()));
      return 0;
    },
  });
  const failure = await copyFromPod(fixture.client, pod, "/x/data", join(folder, "data")).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ProtocolError);
  expect(String(failure)).toContain(message);
  expect((await readdir(folder)).filter((name) => name !== "data")).toEqual([]);
});

it("copyToPod ends with its signal, and with a local failure while tar still runs", async () => {
  await using fixture = await fakeCluster({
    async run({ stdout, gone }) {
      await stdout(Buffer.from(await file("data/a")));
      await gone;
      return 0;
    },
  });
  const controller = new AbortController();
  const copying = copyFromPod(fixture.client, pod, "/x/data", join(folder, "data"), { signal: controller.signal });
  await until(() => fixture.kubelet.open() === 1);
  controller.abort(new Error("enough"));
  await expect(copying).rejects.toThrow("enough");
  await writeFile(join(folder, "taken"), "");
  await expect(copyFromPod(fixture.client, pod, "/x/data", join(folder, "taken"))).rejects.toMatchObject({
    code: expect.stringMatching(/EEXIST|ENOTDIR/) as string,
  });
  await until(() => fixture.kubelet.open() === 0);
});

it("copyFromPod reads GNU tar archives with long names, deep folders and incremental headers", async () => {
  const source = join(folder, "data");
  const deep = join("d".repeat(99), "e".repeat(99), "f".repeat(99));
  await mkdir(join(source, deep), { recursive: true });
  await writeFile(join(source, deep, "g".repeat(120)), "deep");
  await writeFile(join(source, "a"), "abc");
  await utimes(join(source, "a"), 0, 0);
  for (const format of ["gnu", "posix", "ustar"]) {
    for (const more of format === "gnu" ? [[], ["--incremental"]] : [[]]) {
      await using fixture = await fakeCluster({
        run: (process) =>
          run({ ...process, command: ["tar", `--format=${format}`, ...more, "-C", folder, "-cf", "-", "data"] }),
      });
      const target = join(folder, `${format}${String(more.length)}`);
      if (format === "ustar") {
        // This format has no room for such a name, and tar reports it.
        await expect(copyFromPod(fixture.client, pod, "/x/data", target)).rejects.toThrow(/exited with code 2/);
        continue;
      }
      await copyFromPod(fixture.client, pod, "/x/data", target);
      expect(await tree(target)).toEqual(await tree(source));
      expect((await stat(join(target, "a"))).mtimeMs).toBe(0);
    }
  }
});

it("copyToPod writes folders with names that fill a header, readable by GNU tar", async () => {
  await using fixture = await fakeCluster({ run });
  const source = join(folder, "source");
  await mkdir(join(folder, "remote"));
  for (const length of [90, 91, 92, 93, 94, 95, 120, 150, 160, 250])
    await mkdir(join(source, ...(`${"x".repeat(length)}`.match(/.{1,80}/g) ?? []), `é${String(length)}`), {
      recursive: true,
    });
  await utimes(source, -1_000, -1_000);
  await copyToPod(fixture.client, pod, source, join(folder, "remote/there"));
  expect(await tree(join(folder, "remote/there"))).toEqual(await tree(source));
});
