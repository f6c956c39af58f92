// What the engine does itself after a check of its charts: it retracts what it wrote of cancelled encounters, and reads moved encounters
// again, as after an event.
import { newestOfSessions } from '../../domain/run/moved-session.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { RetractRun } from '../chart-writing/retract-run.ts';
import type { ReconcileReport } from './reconcile-site.ts';

type ActParts = {
  readonly retractRun: RetractRun;
  readonly runs: Pick<Runs, 'ofEncounter'>;
  readonly inbox: Pick<Inbox, 'accept'>;
  /** Wakes the worker of this engine. */
  readonly onAccepted: () => void;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
};

/** Throws what the EHR and the stores throw; the next check finds the rest. */
export type ActOnReport = (
  site: LoadedSite,
  report: Pick<ReconcileReport, 'cancelled' | 'moved' | 'corrected'>,
  signal: AbortSignal,
) => Promise<void>;

export function makeActOnReport(parts: ActParts): ActOnReport {
  return async (site, { cancelled, moved, corrected }, signal) => {
    const reason = 'The encounter was cancelled or entered in error.';
    for (const place of cancelled) await parts.retractRun({ site, place, reason, actor: 'engine' }, signal);
    const encounters = new Set(corrected.map(({ encounter }) => `Encounter/${encounter}`));
    for (const { encounter } of moved) {
      const reference = `Encounter/${encounter}`;
      if (!(await waitsForPerson(parts, site, reference))) encounters.add(reference);
    }
    if (encounters.size > 0) await readAgain(parts, site, [...encounters]);
  };
}

/** Nothing is new until that person has retracted what is signed. */
async function waitsForPerson({ runs }: ActParts, { name }: LoadedSite, encounter: string): Promise<boolean> {
  const newest = newestOfSessions(await runs.ofEncounter(name, encounter));
  return newest.every(({ status, movedTo }) => status === 'parked' && movedTo !== undefined);
}

async function readAgain(
  { inbox, onAccepted, runtime }: ActParts,
  site: LoadedSite,
  encounters: readonly string[],
): Promise<void> {
  await inbox.accept({
    site: site.name,
    organization: site.settings.organization ?? site.name,
    source: 'catch-up',
    key: `moved:${runtime.makeUuid()}`,
    content: JSON.stringify(encounters),
    receivedAt: runtime.now(),
    encounters: encounters.map((encounter) => ({ encounter, isUrgent: false })),
    settleMs: 0,
  });
  onAccepted();
}
