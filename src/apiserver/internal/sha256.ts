// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of the first eight.
const primes = firstPrimes(64);
const K = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const H = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1)
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  return found;
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** SHA-256 of some bytes, at once and not by a promise as the platform has it: for short texts. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = H.slice();
  const w = new Uint32Array(64);
  for (let block = 0; block < blocks; block += 1) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getUint32(block * 64 + i * 4);
    for (let i = 16; i < 64; i += 1) {
      const early = w[i - 15]!;
      const late = w[i - 2]!;
      w[i] =
        w[i - 16]! +
        w[i - 7]! +
        (rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)) +
        (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10));
    }
    round(state, w);
  }
  const digest = new Uint8Array(32);
  state.forEach((word, index) => new DataView(digest.buffer).setUint32(index * 4, word));
  return digest;
}

function round(state: Uint32Array, w: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i += 1) {
    const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = state[index]! + word;
  });
}
