import { describe, expect, it, vi } from "vitest";
import { json } from "../../../src/codec/json/json.js";
import { mayBecomeJson } from "../../../src/codec/json/locate-error.js";
import { ProtocolError } from "../../../src/errors/errors.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("JSON codec", () => {
  it("encodes an object and decodes it back", () => {
    const object = { kind: "ConfigMap", data: { é: "\u{1f600}" } };
    expect(json().decode(json().encode(object))).toEqual(object);
  });

  it("treats __proto__ as an ordinary key", () => {
    const object = json().decode(bytes('{"__proto__":{"polluted":1},"a":1}'));
    expect(Object.keys(object)).toEqual(["__proto__", "a"]);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });

  it.each([
    ['{"a":1', 6],
    ['{"a":}', 5],
    ["[1]", 0],
    ["", 0],
    ['{"a":"\\x"}', 5],
    ['{"a":1}x', 7],
    ['{"a":01}', 5],
    ["nope", 0],
    ['{"a":[1,]}', 8],
    ["{,}", 1],
  ])("rejects %s at byte %i", (text, offset) => {
    const error = thrown(() => json().decode(bytes(text)));
    expect(error).toBeInstanceOf(ProtocolError);
    expect((error as ProtocolError).offset).toBe(offset);
  });

  it("rejects invalid UTF-8 and accepts a real U+FFFD", () => {
    const error = thrown(() => json().decode(Uint8Array.of(...bytes('{"a":"'), 0xff, ...bytes('"}'))));
    expect((error as ProtocolError).offset).toBe(6);
    expect(json().decode(bytes('{"a":"\uFFFD"}'))).toEqual({ a: "\uFFFD" });
  });

  it.each([
    // The first bracket that could end the list is inside a string, followed by bytes that look like the rest of the
    // object.
    String.raw`{"metadata":{"managedFields":[{"m":"]},",":{[[\"q":1}]}}`,
    // The list contains lists, and the first of them ends as if the metadata ended there.
    '{"metadata":{"name":"a","managedFields":[{"y":{"a":[{}]},"b":1},{"metadata":{"name":"z"}}]},"spec":{}}',
    '{"metadata":{"labels":{"managedFields":[{}]},"name":"a"},"spec":{"managedFields":[{}]}}',
  ])("drops the managed fields of %s and nothing else", (text) => {
    const expected = JSON.parse(text) as { metadata: { managedFields?: unknown } };
    delete expected.metadata.managedFields;
    for (const options of [{ managedFields: "drop" }, { managedFields: "drop", lazy: true }] as const) {
      expect(JSON.parse(JSON.stringify(json().decode(bytes(text), options)))).toEqual(expected);
      const decoder = json().createListDecoder(options);
      const items = [
        ...decoder.push(bytes(`{"kind":"L","apiVersion":"v1","metadata":{},"items":[${text},${text}]}`)),
        ...decoder.end().items,
      ];
      expect(JSON.parse(JSON.stringify(items))).toEqual([expected, expected]);
    }
  });

  // Around the length up to which a part is copied before it is parsed.
  it.each([1, 65_500, 65_535, 65_536, 65_537, 200_000])(
    "decodes metadata next to %i more characters, in any order of lengths",
    (length) => {
      for (const letter of ["a", "\u00e9", "\u{1f600}"]) {
        const long = letter.repeat(length / letter.length);
        const texts = [long, "b", long].flatMap((text) => [
          `{"metadata":{"name":"${text}","managedFields":[{"m":1}]},"spec":{"a":1}}`,
          `{"metadata":{"name":"n","managedFields":[{"m":1}]},"spec":{"text":"${text}"},"status":{}}`,
        ]);
        for (const text of texts) {
          const expected = JSON.parse(text) as { metadata: { managedFields?: unknown } };
          delete expected.metadata.managedFields;
          expect(json().decode(bytes(text), { managedFields: "drop" })).toEqual(expected);
          const cut = bytes(text).slice(0, -1);
          expect(thrown(() => json().decode(cut, { managedFields: "drop" }))).toBeInstanceOf(ProtocolError);
        }
      }
    },
  );

  it("splits a watch fed byte by byte, with and without line feeds", () => {
    const decoder = json().createWatchDecoder();
    const stream = bytes(
      '{"type":"ADDED","object":{"a":"}\\"{"}}\n{"type":"BOOKMARK","object":{}}{"type":"DELETED","object":{"é":[{}]}}\r\n',
    );
    const events = [...stream].flatMap((byte) => [...decoder.push(Uint8Array.of(byte))]);
    decoder.end();
    expect(events).toEqual([
      { type: "ADDED", object: { a: '}"{' } },
      { type: "BOOKMARK", object: {} },
      { type: "DELETED", object: { é: [{}] } },
    ]);
  });

  it("rejects a watch that ends inside an event, and an event that is too long", () => {
    const decoder = json().createWatchDecoder({ maxFrameBytes: 30 });
    expect(decoder.push(bytes('{"type":"ADDED",'))).toEqual([]);
    expect(() => decoder.end()).toThrow(ProtocolError);
    expect(() => decoder.push(bytes('"object":{"a":"bbbbbbbbbbbbbbb'))).toThrow(/longer than 30/);
  });

  it.each([
    ["after a comma", '{"type":"ADDED","object":{"metadata":{"name":"c",'],
    ["inside a string", '{"type":"ADDED","object":{"metadata":{"name":"some'],
    ["before a value", '{"type":"ADDED","object":{"metadata":'],
    ["inside a character", new Uint8Array([...bytes('{"type":"ADDED","object":{"metadata":{"name":"'), 0xc3])],
    ["after a bracket", '{"type":"ADDED","object":{'],
  ])("rejects an event that was cut off %s when the next one arrives", (_where, cut) => {
    const decoder = json().createWatchDecoder();
    const event = bytes(
      '{"type":"ADDED","object":{"metadata":{"name":"whole","text":"long enough to be looked at again"}}}\n',
    );
    expect(decoder.push(event)).toHaveLength(1);
    expect(() => {
      decoder.push(typeof cut === "string" ? bytes(cut) : cut);
      decoder.push(bytes("\n"));
      for (let i = 0; i < 3; i++) decoder.push(event);
    }).toThrow(ProtocolError);
  });

  it("waits for the rest of an event that spans several lines", () => {
    const event = {
      type: "ADDED",
      object: {
        metadata: { name: 'é"\\\u0001 😀', labels: {} },
        list: [1, -1.25e10, 12345678901234567890123, true, false, null, [], {}],
      },
    };
    const whole = bytes(`${JSON.stringify(event, undefined, 2)}\n`);
    for (let length = 1; length < whole.length; length++)
      expect(mayBecomeJson(whole, 0, length), String(length)).toBe(true);
    const decoder = json().createWatchDecoder();
    const events = [...whole, ...whole].flatMap((byte) => [...decoder.push(Uint8Array.of(byte))]);
    decoder.end();
    expect(events).toEqual([event, event]);
  });

  it.each([
    ["a control character in a key", '{"metadata":{"name":"a"},"b\u0001c":{}}'],
    ["a line feed in a key", '{"metadata":{"name":"a"},"b\nc":[]}'],
    ["a control character at the end", '{"metadata":{"name":"a"},"b":{}\u0001}'],
    ["a control character after the end", '{"metadata":{"name":"a"},"b":{}}\u0001'],
  ])("rejects an object with %s, whatever the options", (_what, text) => {
    const previous = (): object => ({});
    for (const options of [
      {},
      { lazy: true },
      { managedFields: "drop" },
      { managedFields: "lazy" },
      { previous },
    ] as const) {
      expect(thrown(() => json().decode(bytes(text), options))).toBeInstanceOf(ProtocolError);
      const list = json().createListDecoder(options);
      const open = '{"kind":"L","apiVersion":"v1","metadata":{},"items":[';
      expect(thrown(() => [list.push(bytes(`${open}${text},${text}]}`)), list.end()])).toBeInstanceOf(ProtocolError);
      const watch = json().createWatchDecoder(options);
      const event = bytes(`{"type":"ADDED","object":${text}}\n`);
      expect(thrown(() => [watch.push(event), watch.push(event), watch.end()])).toBeInstanceOf(ProtocolError);
    }
  });

  it.each([
    '{"kind":"L","items":[{"a":1}],"items":[{"b":1}]}',
    '{"items":[],"kind":"L","items":[{"b":1}]}',
    '{"items": [ {"a":1} ],"kind":"L","items":[{"b":1},{"b":2}]}',
    '{"kind":"L","items":[{"b":1}], "it\\u0065ms" : [] }',
    '{"it\\u0065ms":null,"kind":"L","items":[{"b":1}]}',
  ])("rejects %s, because it has two lists of items", (text) => {
    for (const options of [undefined, { lazy: true }]) {
      for (const size of [text.length, 5]) {
        const decoder = json().createListDecoder(options);
        expect(() => {
          for (let p = 0; p < text.length; p += size) decoder.push(bytes(text.slice(p, p + size)));
          decoder.end();
        }).toThrow(ProtocolError);
      }
    }
  });

  it("searches each byte of a long event once, however small the chunks are", () => {
    const event = bytes(`{"type":"ADDED","object":{"data":"${"x".repeat(200_000)}"}}\n`);
    const indexOf = vi.spyOn(Uint8Array.prototype, "indexOf");
    const decoder = json().createWatchDecoder();
    let events = 0;
    for (let p = 0; p < event.length; p += 100) events += decoder.push(event.slice(p, p + 100)).length;
    const searched = indexOf.mock.contexts.map(
      (array, i) => (array as Uint8Array).length - (indexOf.mock.calls[i]![1] ?? 0),
    );
    indexOf.mockRestore();
    expect(events).toBe(1);
    expect(searched.reduce((sum, length) => sum + length, 0)).toBeLessThan(2 * event.length);
  });

  it("decodes a list in any chunks", () => {
    const decoder = json().createListDecoder();
    const whole = bytes(
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}\n',
    );
    const items: object[] = [];
    for (const byte of whole) items.push(...decoder.push(Uint8Array.of(byte)));
    const end = decoder.end();
    expect([...items, ...end.items]).toEqual([{ metadata: { name: "a" } }, { metadata: { name: "b" } }]);
    expect(end).toMatchObject({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "5" } });
  });

  it.each([{}, { lazy: true }, { managedFields: "drop" }] as const)(
    "decodes tiny items between long ones in any chunks with options %j",
    (options) => {
      const tiny = ["{}", '{"a":"]}"}', '{"a":{"b":[1]}}', '{"metadata":{"name":"é"}}'];
      const long = `{"metadata":{"name":"long"},"spec":{"a":"${"x".repeat(40)}"}}`;
      const values = Array.from({ length: 900 }, (_, at) => (at % 300 === 7 ? long : tiny[at % tiny.length]!));
      const whole = bytes(`{"items":[${values.join(",")}],"kind":"L"}`);
      for (const size of [1, 7, 100, whole.length]) {
        const decoder = json().createListDecoder(options);
        const items: object[] = [];
        for (let at = 0; at < whole.length; at += size) items.push(...decoder.push(whole.slice(at, at + size)));
        items.push(...decoder.end().items);
        expect(JSON.stringify(items)).toBe(`[${values.join(",")}]`);
      }
    },
  );

  it.each([
    ["a tiny item that is malformed", `{"items":[${"{},".repeat(2_000)}{"a":01},{},{}]}`, /at byte 6015/],
    ["brackets that don't match", `{"items":[${"{},".repeat(70_000)}{],{}]}`, /at byte 210011/],
    ["a deep head", `{"a":${"[".repeat(100_000)}"items":[{}]}`, /nested too deeply/],
    ["a deep tail", `{"items":[{}],"a":${"[".repeat(100_000)}`, /nested too deeply/],
  ])("rejects %s in a long list", (_what, text, message) => {
    const decoder = json().createListDecoder({ managedFields: "drop" });
    expect(() => {
      decoder.push(bytes(text));
      decoder.end();
    }).toThrow(message);
  });
});

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
