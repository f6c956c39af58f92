// Takes what the engine wrote of one session out of the chart again, and says so in the run that wrote it.
import type { WriteOutcome, WritePlace } from '../domain/chart-write.ts';
import type { Audit } from '../ports/audit.ts';
import type { Runs } from '../ports/runs.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { LoadedSite } from '../ports/sites.ts';
import type { RetractSession } from './retract-session.ts';

export type TakeBackOrder = {
  readonly site: LoadedSite;
  readonly place: WritePlace;
  /** In plain words: it stands in the Provenance. */
  readonly reason: string;
  /** Of the audit trail: `engine`, `operator`, `reviewer/<id>`. */
  readonly actor: string;
};

/** Throws what a later call may mend, as `RetractSession`. */
export type TakeBack = (order: TakeBackOrder, signal: AbortSignal) => Promise<WriteOutcome>;

type TakeBackParts = {
  readonly retractSession: RetractSession;
  readonly runs: Pick<Runs, 'markRetracted'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
};

export function makeTakeBack({ retractSession, runs, audit, runtime }: TakeBackParts): TakeBack {
  return async ({ site, place, reason, actor }, signal) => {
    const { encounter, session } = place;
    await audit.append({ action: 'run.retract', actor, site: site.name, details: { encounter, session } });
    const run = { id: runtime.makeUuid(), time: runtime.now().toISOString() };
    const outcome = await retractSession({ site, place, reason, run }, signal);
    if (outcome.status === 'retracted') {
      const { resources, left } = outcome;
      await runs.markRetracted({ site: site.name, encounter: `Encounter/${encounter}`, session, resources, left });
    }
    if (outcome.status === 'parked') {
      const { message, advice } = outcome;
      const park = { message, advice };
      await runs.markRetracted({
        site: site.name,
        encounter: `Encounter/${encounter}`,
        session,
        resources: [],
        left: [],
        park,
      });
    }
    return outcome;
  };
}
