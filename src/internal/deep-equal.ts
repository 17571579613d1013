/**
 * Compares two JSON values. Members that are `undefined` count as absent, and the order of members doesn't matter. Needs
 * no call stack, whatever the depth.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  const open: unknown[] = [a, b];
  while (open.length > 0) {
    const right = open.pop();
    const left = open.pop();
    if (isSame(left, right)) continue;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
    if (!openMembers(left as Members, right as Members, open)) return false;
  }
  return true;
}

type Members = Readonly<Record<string, unknown>>;

/** Adds the pairs of members to compare. Returns false if the two differ without looking further. */
function openMembers(left: Members, right: Members, open: unknown[]): boolean {
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((mine: unknown, index) => openPair(mine, right[index], open));
  }
  const names = Object.keys(left).filter((name) => left[name] !== undefined);
  const count = Object.keys(right).filter((name) => right[name] !== undefined).length;
  if (names.length !== count) return false;
  return names.every((name) => Object.hasOwn(right, name) && openPair(left[name], right[name], open));
}

/** Adds a pair that needs a look at its members. Returns false if the two differ without one. */
function openPair(left: unknown, right: unknown, open: unknown[]): boolean {
  if (isSame(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  open.push(left, right);
  return true;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || Object.is(a, b);
}
