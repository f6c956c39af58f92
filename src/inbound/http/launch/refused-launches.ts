// Launches that were refused: slowed down by address, and kept in the audit trail with the reason, never with what was sent.
import type { LaunchRefused } from '../../../domain/people/launch-refusal.ts';
import { present } from '../../../domain/present.ts';
import { makeKeepRefusal, type RefusalParts } from '../server/keep-refusal.ts';

export type RefusedLaunches = {
  /** Throws `authThrottled` after too many of this address. */
  readonly note: (refused: LaunchRefused, at: { readonly site: string; readonly address: string }) => Promise<void>;
};

export function makeRefusedLaunches(parts: RefusalParts): RefusedLaunches {
  const tooMany =
    'Too many launches have failed from this address: wait a minute, and open the draft from the chart again';
  const keep = makeKeepRefusal(parts, { what: 'launch', tooMany });
  return {
    note({ why, fault, practitioner }, { site, address }) {
      const details = present({ door: 'launch', address, why, fault, practitioner });
      return keep(address, { action: 'person.sign-in-refused', site, details });
    },
  };
}
