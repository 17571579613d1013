import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFileStorage } from "../../../../src/node/snapshots/file-storage.js";
import { killWriters } from "./kills.js";

it("a file storage reads what it wrote, replaces and removes it, with access for the user only", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "kubestream-files-")), "new");
  try {
    const storage = createFileStorage(folder);
    expect(await storage.read("a/../b")).toBe(undefined);
    await storage.write("a/../b", new Uint8Array([1, 2]));
    await storage.write("a/../b", new Uint8Array([3]));
    expect([...(await storage.read("a/../b"))!]).toEqual([3]);
    expect([
      statSync(folder).mode & 0o777,
      ...readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777),
    ]).toEqual([0o700, 0o600]);
    await storage.remove("a/../b");
    await storage.remove("a/../b");
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("a file storage removes files that a killed process left more than ten minutes ago", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-files-"));
  try {
    const unfinished = (letter: string): string => `${letter.repeat(64)}.snapshot.${randomUUID()}.tmp`;
    const [old, young, foreign] = [unfinished("a"), unfinished("b"), "of-another-program.tmp"];
    for (const name of [old, young, foreign]) writeFileSync(join(folder, name), "");
    for (const name of [old, foreign]) utimesSync(join(folder, name), 1, 1);
    await createFileStorage(folder).write("a", new Uint8Array([1]));
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([young, foreign]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.runIf(process.platform === "linux")("a file storage rejects for a pipe in the place of a snapshot", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-files-"));
  try {
    const storage = createFileStorage(folder);
    await storage.write("a", new Uint8Array([1]));
    const file = join(folder, readdirSync(folder)[0]!);
    rmSync(file);
    execFileSync("mkfifo", [file]);
    await expect(storage.read("a")).rejects.toThrow("is not a regular file");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("a file storage that can't write rejects and leaves no unfinished file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-files-"));
  try {
    const storage = createFileStorage(folder);
    await storage.write("a", new Uint8Array([1]));
    const [file] = readdirSync(folder);
    rmSync(join(folder, file!));
    mkdirSync(join(folder, file!));
    await expect(storage.write("a", new Uint8Array([2]))).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("a process that is killed while it writes leaves a complete snapshot", async () => {
  const { valid } = await killWriters(6, Math.random);
  expect(valid).toBe(6);
});
