// The surroundings of drills for tests: the current faults and the list of actions.

import type { EngineFault } from '../../src/sandbox/drills/drilled-engines.ts';
import type { DrillParts } from '../../src/sandbox/drills/open-drills.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import type { SeenRequest } from '../../src/sandbox/faults/make-faults.ts';
import type { SandboxVisit } from '../../src/sandbox/sandbox-model.ts';
import { type DrillClock, makeDrillClock } from './drills-clock.ts';

export type DrillWorld = {
  readonly parts: DrillParts & { readonly broker: NonNullable<DrillParts['broker']> };
  readonly clock: DrillClock;
  readonly done: readonly string[];
  readonly faults: () => readonly Fault[];
  readonly engineFault: () => EngineFault | undefined;
  readonly isBrokerHeld: () => boolean;
  readonly isWell: () => boolean;
  /** Simulates a request that the fault affects. */
  readonly meet: () => void;
  /** Ends the run of the visit. */
  readonly endRun: () => void;
};

export const VISIT: SandboxVisit = {
  name: 'en-common-cold-2',
  story: 'en-common-cold',
  encounter: 'Encounter/en-common-cold-2',
  patient: 'Patient/sbx-1002',
  language: 'en',
  care: 'primary',
  reason: 'Runny nose',
  status: 'in-progress',
  recordings: 1,
};

const REQUEST: SeenRequest = {
  method: 'GET',
  types: ['Encounter'],
  isTransaction: false,
  isWrite: false,
  isReadBatch: false,
  isSearch: false,
  isMetadata: false,
  url: 'Encounter/en-common-cold-2',
  headers: {},
  body: '',
  faults: [],
};

export function makeDrillWorld(): DrillWorld {
  const clock = makeDrillClock();
  const done: string[] = [];
  // The counter is not 0: an earlier drill has affected requests.
  const seen: SeenRequest[] = [{ ...REQUEST, faults: ['down'] }];
  let faults: readonly Fault[] = [];
  let engineFault: EngineFault | undefined;
  let met = 0;
  let holds = 0;
  let hasEnded = false;
  return {
    clock,
    done,
    faults: () => faults,
    engineFault: () => engineFault,
    isBrokerHeld: () => holds > 0,
    isWell: () => faults.length === 0 && engineFault === undefined && holds === 0,
    meet: () => {
      seen.push({ ...REQUEST, faults: faults.map(({ mode }) => mode) });
      met += 1;
    },
    endRun: () => {
      hasEnded = true;
    },
    parts: {
      hospital: {
        comeAgain: async (story) => {
          done.push(`come again ${story}`);
          return VISIT;
        },
        finish: async (name) => {
          done.push(`finish ${name}`);
          return { ...VISIT, status: 'finished' };
        },
      },
      faults: {
        seen,
        set: (next) => {
          done.push('spoil');
          faults = next;
        },
        clear: () => {
          done.push('clear');
          faults = [];
        },
      },
      engines: {
        set: (fault) => {
          engineFault = fault;
          met = 0;
        },
        met: () => met,
      },
      broker: {
        hold: () => {
          holds += 1;
          return () => {
            holds -= 1;
          };
        },
      },
      refreshEhr: async () => {
        done.push('refresh');
      },
      otherSites: () => [],
      hasEnded: async () => hasEnded,
      runtime: clock,
    },
  };
}
