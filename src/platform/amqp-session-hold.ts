// Holds a connection back on purpose, as if its broker were gone: for rehearsals. The holder releases it; with several holders, it
// comes back after the last release.

export type HoldSwitch = {
  /** Returns the function that releases it; a second call does nothing. */
  readonly hold: () => () => void;
  readonly isHeld: () => boolean;
  /** Resolves when no holder is left. */
  readonly released: () => Promise<void>;
};

export const HELD_REASON = 'it is kept away on purpose';

/** `onHold` is called for each hold. */
export function makeHoldSwitch(onHold: () => void): HoldSwitch {
  const holders = new Set<object>();
  let end = Promise.withResolvers<void>();
  return {
    hold() {
      const holder = {};
      holders.add(holder);
      onHold();
      return () => {
        if (!holders.delete(holder) || holders.size > 0) return;
        end.resolve();
        end = Promise.withResolvers();
      };
    },
    isHeld: () => holders.size > 0,
    released: async () => {
      if (holders.size > 0) await end.promise;
    },
  };
}
