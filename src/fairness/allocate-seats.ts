import { greatest, least } from "../internal/extremes.js";
/** A priority level that takes part in an allocation. */
export interface Claim {
  /** Fewest seats it may get. */
  readonly lower: number;
  /** Most seats it may get. */
  readonly upper: number;
  /** Seats that it wants, at least `lower`. */
  readonly target: number;
}

/** Seats by claim, and the fraction of its target that each claim gets unless a bound prevents it. */
export interface Allocation {
  readonly seats: readonly number[];
  readonly fraction: number;
}

/** Targets below this count as this one, so that idle levels share what remains. */
const leastTarget = 0.001;
const epsilon = 1e-7;

/**
 * Divides seats among claims: each gets the same fraction of its target, within its bounds. Returns `undefined` if the
 * bounds don't allow the sum.
 */
export function allocateSeats(sum: number, claims: readonly Claim[]): Allocation | undefined {
  const targets = claims.map(({ target }) => Math.max(target, leastTarget));
  const total = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  const lowest = total(claims.map(({ lower }) => lower));
  const highest = total(claims.map(({ upper }) => upper));
  if (sum < lowest - epsilon || sum > highest + epsilon) return undefined;
  const lowerFractions = claims.map(({ lower }, index) => lower / targets[index]!);
  const upperFractions = claims.map(({ upper }, index) => upper / targets[index]!);
  if (sum === 0) return { seats: claims.map(() => 0), fraction: 0 };
  if (sum < lowest + epsilon) return { seats: claims.map(({ lower }) => lower), fraction: least(lowerFractions) };
  if (sum > highest - epsilon) return { seats: claims.map(({ upper }) => upper), fraction: greatest(upperFractions) };

  const seatsAt = (fraction: number): number[] =>
    claims.map(({ lower, upper }, index) => Math.max(lower, Math.min(upper, fraction * targets[index]!)));
  // The sum grows with the fraction, in straight lines between the fractions at which a bound begins or ends to hold.
  const bends = [...lowerFractions, ...upperFractions].filter(Number.isFinite).sort((a, b) => a - b);
  let [below, above] = [bends[0] ?? 0, Number.POSITIVE_INFINITY];
  for (const bend of bends) {
    if (total(seatsAt(bend)) > sum) {
      above = bend;
      break;
    }
    below = bend;
  }
  const slope = total(
    targets.filter(
      (_, index) => lowerFractions[index]! <= below && upperFractions[index]! >= Math.min(above, Number.MAX_VALUE),
    ),
  );
  const fraction = slope === 0 ? below : below + (sum - total(seatsAt(below))) / slope;
  return { seats: seatsAt(fraction), fraction };
}
