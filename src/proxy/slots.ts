/** Counts the requests in progress. */
export interface Slots {
  /**
   * Takes a place for a user. Returns a function that gives it back, and counts once; `undefined` if no place is left.
   */
  take(user: string): (() => void) | undefined;
}

/** Creates slots with a limit for each user and one for all. */
export function createSlots(perUser: number, total: number): Slots {
  const counts = new Map<string, number>();
  let all = 0;
  return {
    take(user) {
      const count = counts.get(user) ?? 0;
      if (count >= perUser || all >= total) return undefined;
      counts.set(user, count + 1);
      all++;
      let taken = true;
      return () => {
        if (!taken) return;
        taken = false;
        all--;
        const left = counts.get(user)! - 1;
        if (left === 0) counts.delete(user);
        else counts.set(user, left);
      };
    },
  };
}
