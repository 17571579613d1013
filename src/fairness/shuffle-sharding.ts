import { sha256 } from "@noble/hashes/sha2.js";
import { utf8Encode } from "../internal/bytes.js";

/** Number of flows whose hands a dealer remembers. */
const rememberedHands = 4096;

/** Returns the hash of a flow, from which its hand of queues is dealt. kube-apiserver computes the same one. */
export function hashFlow(flowSchema: string, distinguisher: string): bigint {
  const digest = sha256(utf8Encode(`${flowSchema}\0${distinguisher}`));
  let hash = 0n;
  for (let at = 7; at >= 0; at -= 1) hash = (hash << 8n) | BigInt(digest[at]!);
  return hash;
}

/** Deals `handSize` different queues out of `queues`, as kube-apiserver does for the same hash. */
export function dealHand(hash: bigint, queues: number, handSize: number): number[] {
  const hand: number[] = [];
  /** The dealt queues in ascending order. */
  const taken: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt += 1) {
    const left = BigInt(queues - dealt);
    // The position among the queues that are still in the deck.
    let queue = Number(rest % left);
    rest /= left;
    let at = 0;
    while (at < taken.length && taken[at]! <= queue) {
      queue += 1;
      at += 1;
    }
    taken.splice(at, 0, queue);
    hand.push(queue);
  }
  return hand;
}

/** Deals hands from one deck, and remembers those of recent flows. */
export function createDealer(queues: number, handSize: number): (hash: bigint) => readonly number[] {
  const remembered = new Map<bigint, readonly number[]>();
  return (hash) => {
    let hand = remembered.get(hash);
    if (hand === undefined) {
      if (remembered.size >= rememberedHands) remembered.clear();
      hand = dealHand(hash, queues, handSize);
      remembered.set(hash, hand);
    }
    return hand;
  };
}

/** Returns n! / (k! (n - k)!). */
function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  let result = 1n;
  for (let i = 1; i <= k; i += 1) result = (result * BigInt(n - k + i)) / BigInt(i);
  return result;
}

/** Returns a quotient of any size as a number, rounded from 60 significant bits. */
function quotient(dividend: bigint, divisor: bigint): number {
  if (dividend === 0n) return 0;
  const shift = divisor.toString(2).length - dividend.toString(2).length + 60;
  const scaled = shift >= 0 ? (dividend << BigInt(shift)) / divisor : dividend / (divisor << BigInt(-shift));
  return Number(scaled) * 2 ** -shift;
}

/**
 * Returns the probability that every queue of a mouse's hand is also in the hand of at least one of `elephants` heavy
 * flows. Exact up to the rounding of the result.
 */
export function shuffleShardingCollision(queues: number, handSize: number, elephants: number): number {
  /** Number of ways in which the elephants' hands cover this many queues, by number of queues. */
  let ways = new Map<number, bigint>([[0, 1n]]);
  for (let elephant = 0; elephant < elephants; elephant += 1) {
    const next = new Map<number, bigint>();
    for (const [covered, count] of ways)
      for (let fresh = Math.max(0, handSize - covered); fresh <= Math.min(handSize, queues - covered); fresh += 1) {
        const more = count * choose(queues - covered, fresh) * choose(covered, handSize - fresh);
        next.set(covered + fresh, (next.get(covered + fresh) ?? 0n) + more);
      }
    ways = next;
  }
  let squeezed = 0n;
  for (const [covered, count] of ways) squeezed += count * choose(covered, handSize);
  return quotient(squeezed, choose(queues, handSize) ** BigInt(elephants + 1));
}
