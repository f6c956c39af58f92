// Sets and removes the faults of a drill: at the sandbox's EHR, at the engines of runs, at the broker.
import type { Faults } from '../faults/make-faults.ts';
import type { Trouble } from './drill-plan.ts';
import type { DrilledEngines } from './drilled-engines.ts';

export type TroubleParts = {
  readonly faults: Pick<Faults, 'set' | 'clear' | 'seen'>;
  readonly engines: Pick<DrilledEngines, 'set' | 'met'>;
  /** Absent if no broker is configured. */
  readonly broker?: { readonly hold: () => () => void };
};

export type TroubleMaker = {
  readonly begin: (trouble: Trouble) => void;
  /** True once a request or call was affected. */
  readonly isMet: () => boolean;
  /** Removes the faults; does nothing if there are none. */
  readonly end: () => void;
};

type InForce = { readonly isMet: () => boolean; readonly end: () => void };

export function makeTroubleMaker(parts: TroubleParts): TroubleMaker {
  let inForce: InForce | undefined;
  const end = (): void => {
    const ending = inForce;
    inForce = undefined;
    ending?.end();
  };
  return {
    begin(trouble) {
      end();
      inForce = bringAbout(parts, trouble);
    },
    isMet: () => inForce?.isMet() ?? false,
    end,
  };
}

function bringAbout({ faults, engines, broker }: TroubleParts, trouble: Trouble): InForce {
  switch (trouble.at) {
    case 'ehr': {
      const before = faults.seen.at(-1);
      faults.set(trouble.faults);
      return {
        isMet: () => {
          const first = before === undefined ? 0 : faults.seen.lastIndexOf(before) + 1;
          return faults.seen.slice(first).some((request) => request.faults.length > 0);
        },
        end: faults.clear,
      };
    }
    case 'engines':
      engines.set(trouble.fault);
      return { isMet: () => engines.met() > 0, end: () => engines.set(undefined) };
    case 'broker':
      return { isMet: () => true, end: broker?.hold() ?? (() => undefined) };
  }
}
