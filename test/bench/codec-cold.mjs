// CPU time of the whole process for the first list of a fresh process, per encoding, including the loading of the
// codec.
//
// npm run build && node test/bench/codec-cold.mjs
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ways = ["json all", "json drop", "json lazy", "pb all", "pb drop", "pb lazy"];
const options = { all: undefined, drop: { managedFields: "drop" }, lazy: { managedFields: "drop", lazy: true } };

if (process.argv[2] === "child") {
  const [, , , file, encoding, how] = process.argv;
  const body = readFileSync(file);
  const before = process.cpuUsage();
  const codec =
    encoding === "json"
      ? (await import("../../dist/codec/index.js")).json()
      : (await import("../../dist/codec/protobuf/index.js")).protobuf();
  const decoder = codec.createListDecoder(options[how]);
  const kept = [];
  for (let p = 0; p < body.length; p += 65536) kept.push(...decoder.push(body.subarray(p, p + 65536)));
  kept.push(...decoder.end().items);
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1000);
} else {
  const { json } = await import("../../dist/codec/index.js");
  const { protobuf } = await import("../../dist/codec/protobuf/index.js");
  const { makePod, podRandom } = await import("./codec/pods.mjs");
  const folder = mkdtempSync(join(tmpdir(), "codec-cold-"));
  const rows = [];
  for (const count of [1, 100, 1000, 5000]) {
    const random = podRandom();
    const list = {
      kind: "PodList",
      apiVersion: "v1",
      metadata: { resourceVersion: "1" },
      items: Array.from({ length: count }, (_, i) => makePod(i, random)),
    };
    writeFileSync(join(folder, "json"), json().encode(list));
    writeFileSync(join(folder, "pb"), protobuf().encode(list));
    const row = { pods: count };
    for (const way of ways) {
      const [encoding, how] = way.split(" ");
      const runs = Array.from({ length: 5 }, () =>
        Number(
          execFileSync(
            process.execPath,
            [fileURLToPath(import.meta.url), "child", join(folder, encoding), encoding, how],
            { encoding: "utf8" },
          ),
        ),
      );
      row[way] = Number(runs.sort((a, b) => a - b)[2].toFixed(1));
    }
    rows.push(row);
  }
  rmSync(folder, { recursive: true });
  console.log("CPU of the process, ms, for the first list");
  console.table(rows);
}
