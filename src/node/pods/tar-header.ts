import { ProtocolError } from "../../errors/errors.js";

/** What a tar archive says of one file or folder. */
export interface TarHeader {
  /** Path with `/`, without one at the end. */
  readonly path: string;
  /** What it is; links, devices and pipes are `other`. */
  readonly type: "file" | "folder" | "other";
  /** Permission bits. */
  readonly mode: number;
  /** Length in bytes; 0 unless it is a file. */
  readonly size: number;
  /** Time of the last change, in seconds since the epoch. */
  readonly mtime: number;
}

/** Length of a tar block. */
export const blockSize = 512;

const maxOctal = 0o77777777777;

/** Bytes that fill up the last block of a file. */
export function paddingOf(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}

/** Makes the header of an entry; a long path or a large size gets a pax header before it. */
export function encodeTarHeader(header: TarHeader): Uint8Array {
  const path = Buffer.from(header.type === "folder" ? `${header.path}/` : header.path, "utf8");
  if (path.length <= 100 && header.size <= maxOctal)
    return encodeBlock(path, header, header.type === "folder" ? "5" : "0", header.size);
  const records = Buffer.concat([paxRecord("path", path), paxRecord("size", Buffer.from(String(header.size)))]);
  return Buffer.concat([
    encodeBlock(Buffer.from("pax-header"), header, "x", records.length),
    records,
    Buffer.alloc(paddingOf(records.length)),
    encodeBlock(path.subarray(0, 100), header, header.type === "folder" ? "5" : "0", Math.min(header.size, maxOctal)),
  ]);
}

function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function encodeBlock(path: Uint8Array, { mode, mtime }: TarHeader, type: string, size: number): Buffer {
  const block = Buffer.alloc(blockSize);
  const octal = (value: number, width: number): string =>
    `${Math.max(0, Math.trunc(value))
      .toString(8)
      .padStart(width - 1, "0")}\0`;
  block.set(path, 0);
  block.write(octal(mode & 0o7777, 8), 100, "latin1");
  block.write(octal(0, 8), 108, "latin1");
  block.write(octal(0, 8), 116, "latin1");
  block.write(octal(size, 12), 124, "latin1");
  block.write(octal(Math.min(mtime, maxOctal), 12), 136, "latin1");
  block.write("        ", 148, "latin1");
  block.write(type, 156, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  block.write(`${octal(checksumOf(block), 7)} `, 148, "latin1");
  return block;
}

function checksumOf(block: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < blockSize; index++) sum += index >= 148 && index < 156 ? 32 : block[index]!;
  return sum;
}

/** A header as it stands in the archive: those of type `x`, `g`, `L` and `K` speak of the next one. */
export interface RawTarHeader extends Omit<TarHeader, "type"> {
  /** Letter of the type. */
  readonly letter: string;
}

/** Reads a header; `undefined` for a block of zeros, which ends the archive. Throws a `ProtocolError` for what is none. */
export function decodeTarHeader(block: Uint8Array): RawTarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const buffer = Buffer.from(block.buffer, block.byteOffset, block.length);
  if (readNumber(buffer, 148, 8) !== checksumOf(buffer))
    throw new ProtocolError("the tar archive is broken: a header's checksum is wrong");
  const prefix =
    buffer.toString("latin1", 257, 262) === "ustar" && buffer[345] !== 0 ? `${readText(buffer, 345, 155)}/` : "";
  return {
    path: prefix + readText(buffer, 0, 100),
    letter: String.fromCharCode(buffer[156]! || 0x30),
    mode: readNumber(buffer, 100, 8) & 0o7777,
    size: readNumber(buffer, 124, 12),
    mtime: readNumber(buffer, 136, 12),
  };
}

function readText(buffer: Buffer, start: number, length: number): string {
  const end = buffer.indexOf(0, start);
  return buffer.toString("utf8", start, end < 0 ? start + length : Math.min(end, start + length));
}

/** Octal digits, or for what they cannot hold base 256 after a set bit. */
function readNumber(buffer: Buffer, start: number, length: number): number {
  if ((buffer[start]! & 0x80) !== 0) {
    let value = buffer[start]! & 0x7f;
    for (let index = start + 1; index < start + length; index++) value = value * 256 + buffer[index]!;
    return value;
  }
  const text = buffer
    .toString("latin1", start, start + length)
    .replace(/[\0 ]+$/, "")
    .trim();
  if (!/^[0-7]*$/.test(text)) throw new ProtocolError("the tar archive is broken: a number is not octal");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

/** Reads the records of a pax header. Throws a `ProtocolError` if their lengths do not fit. */
export function decodePax(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let offset = 0; offset < buffer.length; ) {
    const space = buffer.indexOf(0x20, offset);
    const length = Number(buffer.toString("latin1", offset, space));
    const record = buffer.toString("utf8", space + 1, offset + length);
    const equals = record.indexOf("=");
    if (space < 0 || !Number.isInteger(length) || length < 5 || equals < 0 || !record.endsWith("\n"))
      throw new ProtocolError("the tar archive is broken: a pax header cannot be read");
    records.set(record.slice(0, equals), record.slice(equals + 1, -1));
    offset += length;
  }
  return records;
}
