import type { Discipline } from "./queue-set.js";

/** The fields of a PriorityLevelConfiguration's spec that flow control uses. */
export interface LevelSpec {
  /** `Limited` or `Exempt`. */
  readonly type: string;
  /** Settings of a limited level. */
  readonly limited?:
    | {
        readonly nominalConcurrencyShares?: number | null | undefined;
        readonly lendablePercent?: number | null | undefined;
        readonly borrowingLimitPercent?: number | null | undefined;
        readonly limitResponse?:
          | {
              readonly type: string;
              readonly queuing?:
                | {
                    readonly queues?: number | undefined;
                    readonly handSize?: number | undefined;
                    readonly queueLengthLimit?: number | undefined;
                  }
                | undefined;
            }
          | undefined;
      }
    | undefined;
  /** Settings of an exempt level. */
  readonly exempt?:
    | {
        readonly nominalConcurrencyShares?: number | null | undefined;
        readonly lendablePercent?: number | null | undefined;
      }
    | undefined;
}

/** Limits of a priority level, in seats. */
export interface SeatLimits {
  /** Its part of the server's seats. */
  readonly nominal: number;
  /** Seats that it never lends. */
  readonly lower: number;
  /** Seats including those that it may borrow. */
  readonly upper: number;
  /** Widest request that an estimate may yield; `undefined` for a level without queues. */
  readonly widest: number | undefined;
}

/** Part of a level's nominal limit that one request may take. */
const widestPart = 0.15;

/** Returns a level's shares, in proportion to which the server's seats are divided. */
export function sharesOf({ type, limited, exempt }: LevelSpec): number {
  return type === "Exempt" ? (exempt?.nominalConcurrencyShares ?? 0) : (limited?.nominalConcurrencyShares ?? 30);
}

/** Returns how a level treats requests that have no seat. */
export function disciplineOf({ type, limited }: LevelSpec): Discipline {
  if (type === "Exempt") return "exempt";
  const response = limited?.limitResponse;
  if (response?.type !== "Queue") return "reject";
  const { queues = 64, handSize = 8, queueLengthLimit = 50 } = response.queuing ?? {};
  return { queues, handSize, queueLengthLimit };
}

/** Computes the limits of a level from the sum of all levels' shares and the seats of the server. */
export function limitsOf(spec: LevelSpec, allShares: number, serverSeats: number): SeatLimits {
  const { lendablePercent } = (spec.type === "Exempt" ? spec.exempt : spec.limited) ?? {};
  const borrowing = spec.type === "Exempt" ? undefined : spec.limited?.borrowingLimitPercent;
  const nominal = allShares === 0 ? 0 : Math.ceil((serverSeats * sharesOf(spec)) / allShares);
  const percent = (part: number): number => Math.round((nominal * part) / 100);
  const discipline = disciplineOf(spec);
  return {
    nominal,
    lower: nominal - percent(lendablePercent ?? 0),
    upper: nominal + (borrowing === undefined || borrowing === null ? serverSeats : percent(borrowing)),
    widest:
      typeof discipline === "object"
        ? Math.max(1, Math.min(Math.ceil(nominal * widestPart), Math.floor(nominal / discipline.handSize)))
        : undefined,
  };
}
