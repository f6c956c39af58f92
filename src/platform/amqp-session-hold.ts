// Keeps a connection away on purpose, as if its broker were gone: for rehearsals. Whoever holds it says when it may come back; where
// several hold it, the last one does.

export type HoldSwitch = {
  /** Gives what ends it; calling that again does nothing. */
  readonly hold: () => () => void;
  readonly isHeld: () => boolean;
  /** Resolves when nobody holds it any more. */
  readonly released: () => Promise<void>;
};

export const HELD_REASON = 'it is kept away on purpose';

/** `onHold` is told each time. */
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
