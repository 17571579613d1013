import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { decodeSnapshot } from "../../../../src/cache/persist/snapshot-format.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { createFileStorage } from "../../../../src/node/snapshots/file-storage.js";

/** Result of a series of kills. */
export interface KillReport {
  /** Snapshots that were read after a kill, each complete and of one generation. */
  readonly valid: number;
  /** Different generations among them. */
  readonly generations: number;
  /** Unfinished files that the killed processes left, which shows that kills hit writes. */
  readonly unfinished: number;
}

const source = new URL("../../../../src/", import.meta.url).pathname;

/** Writes generations of a snapshot without end: each object of generation g has `g`, and the version is g. */
const program = `
  import { encodeSnapshot } from "${source}cache/persist/snapshot-format.ts";
  import { systemClock } from "${source}internal/clock.ts";
  import { createFileStorage } from "${source}node/snapshots/file-storage.ts";
  // A test run that is killed closes the pipe, and must not leave this process behind.
  process.stdin.on("end", () => process.exit()).resume();
  const storage = createFileStorage(process.argv[2]);
  for (let g = Number(process.argv[3]); ; g++) {
    const objects = new Map(Array.from({ length: 300 + (g % 7) }, (_, i) => ["o" + i, { metadata: { name: "o" + i }, g, pad: "x".repeat(2000) }]));
    const bytes = await encodeSnapshot({ name: "store", resourceVersion: String(g), objects }, undefined, systemClock);
    if (g === Number(process.argv[3]) + 1) process.stdout.write("written once");
    await storage.write("store", bytes);
  }`;

/** Kills a writing process again and again. Throws if what remains isn't one complete generation. */
export async function killWriters(kills: number, random: () => number): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-kills-"));
  try {
    const writer = join(folder, "writer.mjs");
    const data = join(folder, "data");
    await build({
      stdin: { contents: program, resolveDir: source, loader: "ts" },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: writer,
      logLevel: "silent",
    });
    const storage = createFileStorage(data);
    const seen = new Set<string>();
    let valid = 0;
    for (let kill = 0; kill < kills; kill++) {
      await killOne([writer, data, String(1 + kill * 1_000)], random() * 25);
      const bytes = await storage.read("store");
      if (bytes === undefined) continue;
      const { objects, resourceVersion } = await decodeSnapshot(bytes, "store", undefined, systemClock);
      const wrong = ([...objects.values()] as { g: number }[]).filter(({ g }) => String(g) !== resourceVersion);
      if (wrong.length > 0 || objects.size !== 300 + (Number(resourceVersion) % 7))
        throw new Error(`a mixed snapshot of generation ${resourceVersion} after kill ${kill}`);
      seen.add(resourceVersion);
      valid++;
    }
    const unfinished = readdirSync(data).filter((name) => name.endsWith(".tmp")).length;
    return { valid, generations: seen.size, unfinished };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a writer, and kills it some milliseconds after its first write, however long that took. */
function killOne(words: readonly string[], afterMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...words], { stdio: ["pipe", "pipe", "inherit"] });
    child.on("error", reject);
    child.on("close", (code) => (code === null ? resolve() : reject(new Error(`the writer ended with ${code}`))));
    child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), afterMs));
  });
}
