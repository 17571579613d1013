import { createReadStream } from "node:fs";
import { chmod, mkdir, open, readdir, stat, utimes } from "node:fs/promises";
import { basename, dirname, join, posix, resolve, sep } from "node:path";
import type { TarPackController } from "modern-tar";
import type { Client } from "../../client/client.js";
import { ProtocolError } from "../../errors/errors.js";
import { handleRejection } from "../../internal/handle-rejection.js";
import { trimEnd } from "../../internal/trim-end.js";
import type { PodTarget } from "../../streams/pod-target.js";
import type { ExecOptions, RemoteCommand } from "../../streams/remote-command.js";
import { exec } from "../../streams/remote-command.js";
import { loadTar, readTar } from "./read-tar.js";

/** Options for `copyToPod` and `copyFromPod`. */
export interface CopyOptions {
  /** Name of the container. Required if the pod has several. */
  readonly container?: string | undefined;
  /** Called with the path of every skipped entry: links, devices and pipes. Default: entries are skipped silently. */
  readonly onSkipped?: ((path: string) => void) | undefined;
  /** Aborts the copy. */
  readonly signal?: AbortSignal | undefined;
}

const maxErrorBytes = 4_096;

/** Latest time that fits into the octal digits of a tar header: in the year 2242. */
const maxTarTimeMs = 0o77777777777 * 1_000;

/**
 * Copies a local file or folder into a container, which must have `tar`. `to` is the path of the copy; if it ends with
 * `/`, the copy goes into that folder under its own name. Resolves when `tar` has succeeded. Rejects with a
 * `ProtocolError` that contains the error output of `tar`, or if the server is older than 1.30, whose protocol can't
 * close standard input.
 *
 * @example
 * ```ts
 * import { connect, copyToPod } from "kubestream/node";
 *
 * const client = await connect();
 * await copyToPod(client, { namespace: "web", name: "web-0" }, "site", "/srv/site", {
 *   onSkipped: (path) => console.warn(`skipped ${path}`),
 * });
 * await client.close();
 * ```
 */
// eslint-disable-next-line max-params -- the operands of `kubectl cp`
export async function copyToPod(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  from: string,
  to: string,
  options: CopyOptions = {},
): Promise<void> {
  const { folder, name } = split(to.endsWith("/") ? `${to}${basename(resolve(from))}` : to);
  await stat(from);
  await withTar(
    client,
    pod,
    { ...options, command: ["tar", "-xf", "-", "-C", folder], stdin: true },
    async (session) => {
      if (session.protocol !== "v5.channel.k8s.io")
        throw new ProtocolError(`copy: the server only supports ${session.protocol}, which cannot close tar's input`);
      const output = discard(session.stdout);
      await sendTree(session, resolve(from), name, options);
      await session.end();
      await output;
    },
  );
}

/**
 * Copies a file or folder out of a container, which must have `tar`. `to` is the local path of the copy. Resolves when
 * everything is written and `tar` has succeeded. Links are skipped, and nothing is ever written outside of `to`,
 * whatever the archive contains. Rejects with a `ProtocolError` that contains the error output of `tar`.
 *
 * @example
 * ```ts
 * import { connect, copyFromPod } from "kubestream/node";
 *
 * const client = await connect();
 * await copyFromPod(client, { namespace: "web", name: "web-0" }, "/var/log/app", "logs");
 * await client.close();
 * ```
 */
// eslint-disable-next-line max-params -- the operands of `kubectl cp`
export async function copyFromPod(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  from: string,
  to: string,
  options: CopyOptions = {},
): Promise<void> {
  const { folder, name } = split(trimEnd(from, "/"));
  const target = resolve(to);
  await withTar(client, pod, { ...options, command: ["tar", "-cf", "-", "-C", folder, "--", name] }, (session) =>
    extract(session.stdout, name, target, options),
  );
}

function split(path: string): { folder: string; name: string } {
  const clean = posix.normalize(path);
  const name = posix.basename(clean);
  if (name === "" || name === "." || name === "..")
    throw new TypeError(`${JSON.stringify(path)} does not name a file or folder`);
  return { folder: posix.dirname(clean), name };
}

async function withTar(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  { command, stdin = false, container, signal }: CopyOptions & Pick<ExecOptions, "command" | "stdin">,
  work: (session: RemoteCommand) => Promise<void>,
): Promise<void> {
  const session = await exec(client, pod, {
    command,
    stdin,
    ...(container !== undefined && { container }),
    ...(signal && { signal }),
  });
  try {
    const errorOutput = collect(session.stderr);
    const working = work(session).then(
      () => undefined,
      (error: unknown) => {
        // Ends the remote tar, which would otherwise wait for input.
        void session.close();
        return { error };
      },
    );
    const [failure, status] = await Promise.all([working, session.exited.catch((error: unknown) => ({ error }))]);
    if ("error" in status) throw (failure ? failure.error : status.error) as Error;
    // The error output of tar explains a broken archive better than the archive does.
    if (status.code !== 0)
      throw new ProtocolError(
        `copy: tar in pod ${JSON.stringify(pod.name)} exited with code ${status.code}: ${await errorOutput}`,
      );
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
    // The session reports its failure through the exit status.
  }
  return text.slice(0, maxErrorBytes).replace(/\s+/g, " ").trim();
}

async function discard(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = bytes[Symbol.asyncIterator]();
  while (!(await chunks.next()).done);
}

/** Sends the file or folder as an archive. Rejects with the first error of reading, packing or sending. */
async function sendTree(session: RemoteCommand, local: string, name: string, options: CopyOptions): Promise<void> {
  const { createTarPacker } = await loadTar();
  const { readable, controller } = createTarPacker();
  const packing = packTree(controller, local, name, options)
    .then(() => controller.finalize())
    .catch((error: unknown) => controller.error(error));
  for await (const chunk of readable) await session.write(chunk);
  await packing;
}

async function packTree(archive: TarPackController, local: string, path: string, options: CopyOptions): Promise<void> {
  options.signal?.throwIfAborted();
  const stats = await stat(local);
  const common = {
    name: stats.isDirectory() ? `${path}/` : path,
    mode: stats.mode & 0o7777,
    mtime: new Date(Math.min(Math.max(0, stats.mtimeMs), maxTarTimeMs)),
  };
  if (stats.isDirectory()) {
    await archive.add({ ...common, type: "directory", size: 0 }).close();
    for (const entry of (await readdir(local, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = posix.join(path, entry.name);
      if (entry.isDirectory() || entry.isFile()) await packTree(archive, join(local, entry.name), inner, options);
      else handleRejection(options.onSkipped?.(join(local, entry.name)));
    }
  } else if (stats.isFile())
    await packFile(archive.add({ ...common, type: "file", size: stats.size }), local, stats.size);
  else handleRejection(options.onSkipped?.(local));
}

async function packFile(body: WritableStream<Uint8Array>, local: string, size: number): Promise<void> {
  const writer = body.getWriter();
  let written = 0;
  if (size > 0) {
    // The header contains the size, so bytes appended during the copy are left out.
    for await (const chunk of createReadStream(local, { end: size - 1, highWaterMark: 256 * 1024 })) {
      written += (chunk as Buffer).length;
      await writer.write(chunk as Buffer);
    }
  }
  if (written !== size) throw new ProtocolError(`copy: ${local} shrank during the copy`);
  await writer.close();
}

async function extract(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  target: string,
  options: CopyOptions,
): Promise<void> {
  let found = false;
  for await (const { path, type, mode, mtime, body } of readTar(bytes)) {
    const place = placeOf(path, name, target);
    if (type === "other") {
      handleRejection(options.onSkipped?.(path));
      continue;
    }
    found = true;
    await mkdir(type === "folder" ? place : dirname(place), { recursive: true });
    if (type === "folder") continue;
    await writeTo(place, body);
    await chmod(place, mode & 0o777);
    await utimes(place, mtime, mtime);
  }
  if (!found) throw new ProtocolError("copy: the archive contains no file or folder");
}

async function writeTo(path: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "w");
  try {
    for await (const chunk of body) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

/** Returns the local path of an entry. Throws a `ProtocolError` for an entry outside of the requested path. */
function placeOf(path: string, name: string, target: string): string {
  const clean = posix.normalize(path);
  if (clean !== name && !clean.startsWith(`${name}/`))
    throw new ProtocolError(`copy: the archive contains ${JSON.stringify(path)}, which was not requested`);
  const place = resolve(target, clean.slice(name.length).replace(/^\/+/, "").split("/").join(sep));
  if (place !== target && !place.startsWith(target.endsWith(sep) ? target : `${target}${sep}`))
    throw new ProtocolError(
      `copy: the archive contains ${JSON.stringify(path)}, which is outside of the requested path`,
    );
  return place;
}
