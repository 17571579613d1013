import { expect, it } from "vitest";
import { readTar } from "../../../../src/node/pods/read-tar.js";

/** A header of 512 bytes. `tail` fills the bytes after the group name's end, which ustar and GNU tar use differently. */
function header(name: string, type: string, size: number, { magic = "ustar\u000000", tail = "" } = {}): Buffer {
  const bytes = Buffer.alloc(512);
  const fields: readonly (readonly [number, string])[] = [
    [0, name],
    [100, "0000644\0"],
    [124, `${size.toString(8).padStart(11, "0")}\0`],
    [136, "00000000000\0"],
    [148, "        "],
    [156, type],
    [257, magic],
    [345, tail],
  ];
  for (const [at, text] of fields) bytes.write(text, at, "latin1");
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}

const padded = (content: Buffer): Buffer =>
  Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);

/** A pax header with one record. */
function pax(type: "x" | "g", key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const digits = String(rest.length + 3).length;
  const record = Buffer.from(`${String(rest.length + digits)}${rest}`);
  return Buffer.concat([header("pax", type, record.length), padded(record)]);
}

async function pathsOf(...blocks: readonly Buffer[]): Promise<string[]> {
  const archive = Buffer.concat([...blocks, Buffer.alloc(1024)]);
  async function* source(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = 0; at < archive.length; at += 65_536) yield await Promise.resolve(archive.subarray(at, at + 65_536));
  }
  const paths: string[] = [];
  for await (const { path } of readTar(source())) paths.push(path);
  return paths;
}

it("readTar reads the times that GNU tar -G writes behind the names as no part of a path", async () => {
  const times = `14000000000\u000014000000000\0`;
  expect(await pathsOf(header("web/a", "0", 0, { magic: "ustar  \0", tail: times }))).toEqual(["web/a"]);
  expect(await pathsOf(header("a", "0", 0, { tail: "web/long" }))).toEqual(["web/long/a"]);
});

it.each<[string, (index: number) => Buffer]>([
  ["global pax headers", (index) => pax("g", `k${String(index % 1000)}`, "x".repeat(800))],
  ["pax headers of a file", (index) => pax("x", `k${String(index % 1000)}`, "x".repeat(800))],
])("readTar takes time linear in the number of %s", async (_name, block) => {
  const time = async (count: number): Promise<number> => {
    const blocks = Array.from({ length: count }, (_, index) => block(index));
    const before = process.cpuUsage();
    expect(await pathsOf(...blocks, header("web/a", "0", 0))).toEqual(["web/a"]);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  await time(100);
  const short = Math.min(await time(200), await time(200), await time(200));
  const long = Math.min(await time(3_200), await time(3_200));
  // 16 times as many; quadratic work takes 256 times as long.
  expect(long).toBeLessThan(100 * Math.max(short, 10));
});

it("readTar refuses a pax header of many megabytes", async () => {
  await expect(pathsOf(header("pax", "x", 64 * 1024 * 1024), Buffer.alloc(4096))).rejects.toThrow("is broken");
});
