/** Equal lines of two texts: where they begin in each, and how many there are. */
interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** Lines of two texts from one place to another; `equal` where they are the same. */
interface Stretch {
  readonly equal: boolean;
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

const MANY_LINES = 200;

/**
 * The differences of two texts in the unified format, without a header, each with `context` lines around it. Equal lines are found as
 * Python's difflib finds them: the longest common block first, then on both sides of it; in long texts, lines that come often begin none.
 */
export function unifiedDiff(a: readonly string[], b: readonly string[], context = 3): string {
  let text = "";
  for (const group of grouped(stretchesOf(a, b), context)) {
    const first = group[0]!;
    const last = group.at(-1)!;
    text += `@@ -${range(first.a, last.aEnd)} +${range(first.b, last.bEnd)} @@\n`;
    for (const { equal, a: from, aEnd, b: other, bEnd } of group) {
      if (equal) for (const line of a.slice(from, aEnd)) text += ` ${line}\n`;
      else {
        for (const line of a.slice(from, aEnd)) text += `-${line}\n`;
        for (const line of b.slice(other, bEnd)) text += `+${line}\n`;
      }
    }
  }
  return text;
}

function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${String(length === 0 ? start : start + 1)},${String(length)}`;
}

function stretchesOf(a: readonly string[], b: readonly string[]): Stretch[] {
  const stretches: Stretch[] = [];
  let i = 0;
  let j = 0;
  for (const block of [...blocksOf(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (i < block.a || j < block.b) stretches.push({ equal: false, a: i, aEnd: block.a, b: j, bEnd: block.b });
    i = block.a + block.size;
    j = block.b + block.size;
    if (block.size > 0) stretches.push({ equal: true, a: block.a, aEnd: i, b: block.b, bEnd: j });
  }
  return stretches;
}

/** The equal blocks from the beginning to the end; those that touch are one. */
function blocksOf(a: readonly string[], b: readonly string[]): Block[] {
  const places = placesOf(b);
  const found: Block[] = [];
  const open: (readonly [alo: number, ahi: number, blo: number, bhi: number])[] = [[0, a.length, 0, b.length]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [alo, ahi, blo, bhi] = next;
    const block = longest(a, b, places, next);
    if (block.size === 0) continue;
    found.push(block);
    if (alo < block.a && blo < block.b) open.push([alo, block.a, blo, block.b]);
    if (block.a + block.size < ahi && block.b + block.size < bhi)
      open.push([block.a + block.size, ahi, block.b + block.size, bhi]);
  }
  found.sort((one, other) => one.a - other.a);
  const joined: Block[] = [];
  for (const block of found) {
    const last = joined.at(-1);
    if (last !== undefined && last.a + last.size === block.a && last.b + last.size === block.b)
      joined[joined.length - 1] = { ...last, size: last.size + block.size };
    else joined.push(block);
  }
  return joined;
}

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, at) => {
    const known = places.get(line);
    if (known === undefined) places.set(line, [at]);
    else known.push(at);
  });
  const most = Math.floor(lines.length / 100) + 1;
  if (lines.length >= MANY_LINES) for (const [line, at] of places) if (at.length > most) places.delete(line);
  return places;
}

function longest(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [alo, ahi, blo, bhi]: readonly [number, number, number, number],
): Block {
  let best: Block = { a: alo, b: blo, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = alo; i < ahi; i += 1) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i]!) ?? []) {
      if (j < blo) continue;
      if (j >= bhi) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  // Lines that come often were left out above; next to a block they belong to it.
  let { a: i, b: j, size } = best;
  while (i > alo && j > blo && a[i - 1] === b[j - 1]) {
    i -= 1;
    j -= 1;
    size += 1;
  }
  while (i + size < ahi && j + size < bhi && a[i + size] === b[j + size]) size += 1;
  return { a: i, b: j, size };
}

/** The differences with some equal lines around each; those close together are one. */
function grouped(stretches: readonly Stretch[], context: number): Stretch[][] {
  const groups: Stretch[][] = [];
  let group: Stretch[] = [];
  stretches.forEach((stretch, at) => {
    if (!stretch.equal) {
      group.push(stretch);
      return;
    }
    const { a, aEnd, b, bEnd } = stretch;
    const before = { ...stretch, aEnd: Math.min(aEnd, a + context), bEnd: Math.min(bEnd, b + context) };
    const after = { ...stretch, a: Math.max(a, aEnd - context), b: Math.max(b, bEnd - context) };
    if (at === 0) group.push(after);
    else if (at === stretches.length - 1) group.push(before);
    else if (aEnd - a <= 2 * context) group.push(stretch);
    else {
      groups.push([...group, before]);
      group = [after];
    }
  });
  if (group.some(({ equal }) => !equal)) groups.push(group);
  return groups;
}
