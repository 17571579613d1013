import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { chmod, mkdir, open, readdir, stat, utimes } from "node:fs/promises";
import { basename, dirname, join, posix, resolve, sep } from "node:path";
import type { Client } from "../../client/client.js";
import { ProtocolError } from "../../errors/errors.js";
import type { PodTarget } from "../../streams/pod-target.js";
import type { RemoteCommand } from "../../streams/remote-command.js";
import { exec } from "../../streams/remote-command.js";
import { readTar } from "./read-tar.js";
import { blockSize, encodeTarHeader, paddingOf } from "./tar-header.js";

/** Options of `copyToPod` and `copyFromPod`. */
export interface CopyOptions {
  /** Container; needed where the pod has several. */
  readonly container?: string;
  /** Told of what was left out: links, devices and pipes. Default: nothing is told. */
  readonly onSkipped?: (path: string) => void;
  /** Ends the copy. */
  readonly signal?: AbortSignal;
}

const maxErrorBytes = 4_096;

/**
 * Copies a local file or folder into a container, by `tar` there. Resolves when `tar` has ended well. `to` is the path
 * that it gets; with a `/` at its end, the folder that it is put in. Rejects with a `ProtocolError` that holds what
 * `tar` said, and for servers before 1.30, whose protocol cannot end its input.
 */
export async function copyToPod(
  client: Pick<Client, "connect">,
  pod: PodTarget,
  from: string,
  to: string,
  options: CopyOptions = {},
): Promise<void> {
  const { folder, name } = split(to.endsWith("/") ? `${to}${basename(resolve(from))}` : to);
  await stat(from);
  await withTar(client, pod, ["tar", "-xf", "-", "-C", folder], true, options, async (session) => {
    if (session.protocol !== "v5.channel.k8s.io")
      throw new ProtocolError(`copy: the server speaks only ${session.protocol}, which cannot end tar's input`);
    const output = discard(session.stdout);
    await writeTree(session, resolve(from), name, options);
    await session.write(new Uint8Array(2 * blockSize));
    await session.end();
    await output;
  });
}

/**
 * Copies a file or folder out of a container, by `tar` there. Resolves when all of it is written and `tar` has ended
 * well. `to` is the local path that it gets. Links are left out, and nothing is written beside `to`, whatever the archive
 * says.
 */
export async function copyFromPod(
  client: Pick<Client, "connect">,
  pod: PodTarget,
  from: string,
  to: string,
  options: CopyOptions = {},
): Promise<void> {
  const { folder, name } = split(from.replace(/\/+$/, ""));
  const target = resolve(to);
  await withTar(client, pod, ["tar", "-cf", "-", "-C", folder, "--", name], false, options, (session) =>
    extract(session.stdout, name, target, options),
  );
}

function split(path: string): { folder: string; name: string } {
  const clean = posix.normalize(path);
  const name = posix.basename(clean);
  if (name === "" || name === "." || name === "..")
    throw new TypeError(`${JSON.stringify(path)} names no file or folder`);
  return { folder: posix.dirname(clean), name };
}

async function withTar(
  client: Pick<Client, "connect">,
  pod: PodTarget,
  command: readonly string[],
  stdin: boolean,
  { container, signal }: CopyOptions,
  work: (session: RemoteCommand) => Promise<void>,
): Promise<void> {
  const session = await exec(client, pod, {
    command,
    stdin,
    ...(container !== undefined && { container }),
    ...(signal && { signal }),
  });
  try {
    const said = collect(session.stderr);
    const working = work(session).then(
      () => undefined,
      (error: unknown) => {
        // What is still running there has nobody left to talk to.
        void session.close();
        return { error };
      },
    );
    const [failure, status] = await Promise.all([working, session.exited.catch((error: unknown) => ({ error }))]);
    if ("error" in status) throw (failure ? failure.error : status.error) as Error;
    // What tar says explains a broken archive better than the archive does.
    if (status.code !== 0)
      throw new ProtocolError(`copy: tar in pod ${JSON.stringify(pod.name)} ended with ${status.code}: ${await said}`);
    if (failure) throw failure.error as Error;
  } finally {
    await session.close();
  }
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  try {
    for await (const chunk of bytes) if (text.length < maxErrorBytes) text += Buffer.from(chunk).toString("utf8");
  } catch {
    // The session's own failure is reported by its exit status.
  }
  return text.slice(0, maxErrorBytes).replace(/\s+/g, " ").trim();
}

async function discard(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = bytes[Symbol.asyncIterator]();
  while (!(await chunks.next()).done);
}

async function writeTree(session: RemoteCommand, local: string, path: string, options: CopyOptions): Promise<void> {
  options.signal?.throwIfAborted();
  const { mode, mtimeMs, size, ...kind } = await stat(local).then((stats) => ({
    mode: stats.mode,
    mtimeMs: stats.mtimeMs,
    size: stats.size,
    folder: stats.isDirectory(),
    file: stats.isFile(),
  }));
  const common = { path, mode, mtime: Math.floor(mtimeMs / 1_000) };
  if (kind.folder) {
    await session.write(encodeTarHeader({ ...common, type: "folder", size: 0 }));
    for (const entry of (await readdir(local, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = posix.join(path, entry.name);
      if (entry.isDirectory() || entry.isFile()) await writeTree(session, join(local, entry.name), inner, options);
      else options.onSkipped?.(join(local, entry.name));
    }
  } else if (kind.file) {
    await session.write(encodeTarHeader({ ...common, type: "file", size }));
    let written = 0;
    if (size > 0) {
      for await (const chunk of createReadStream(local, { end: size - 1, highWaterMark: 256 * 1024 })) {
        written += (chunk as Buffer).length;
        await session.write(chunk as Buffer);
      }
    }
    if (written !== size) throw new ProtocolError(`copy: ${local} became shorter while it was read`);
    await session.write(new Uint8Array(paddingOf(size)));
  } else options.onSkipped?.(local);
}

async function extract(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  target: string,
  options: CopyOptions,
): Promise<void> {
  let file: FileHandle | undefined;
  let path = target;
  let found = false;
  try {
    await readTar(bytes, {
      async entry(header) {
        path = placeOf(header.path, name, target);
        if (header.type === "other") {
          options.onSkipped?.(header.path);
          return undefined;
        }
        found = true;
        await mkdir(header.type === "folder" ? path : dirname(path), { recursive: true });
        if (header.type === "folder") return undefined;
        file = await open(path, "w");
        const handle = file;
        return (chunk) => handle.writeFile(chunk);
      },
      async ended(header) {
        await file?.close();
        file = undefined;
        if (header.type !== "file") return;
        await chmod(path, header.mode & 0o777);
        await utimes(path, header.mtime, header.mtime);
      },
    });
  } finally {
    await file?.close();
  }
  if (!found) throw new ProtocolError("copy: the archive holds no file and no folder");
}

/** Local path of an entry. Throws a `ProtocolError` for one that is not below what was asked for. */
function placeOf(path: string, name: string, target: string): string {
  const clean = posix.normalize(path);
  if (clean !== name && !clean.startsWith(`${name}/`))
    throw new ProtocolError(`copy: the archive holds ${JSON.stringify(path)}, which was not asked for`);
  const place = resolve(target, clean.slice(name.length).replace(/^\/+/, "").split("/").join(sep));
  if (place !== target && !place.startsWith(target.endsWith(sep) ? target : `${target}${sep}`))
    throw new ProtocolError(`copy: the archive holds ${JSON.stringify(path)}, which is not below what was asked for`);
  return place;
}
