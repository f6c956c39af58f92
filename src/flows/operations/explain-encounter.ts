// Explains why an encounter has no note: one sentence with its state and one with what to do next, also if no event ever came. The texts hold
// references, states and settings, never names or clinical content.

import type { Access } from '../../domain/people/caller.ts';
import { isInScope, type SiteScope } from '../../domain/people/role.ts';
import { present } from '../../domain/present.ts';
import type { Run } from '../../domain/run/run.ts';
import { didYouMean, makeReadSetting } from '../../mapping/mapping.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Feed, Feeds, Pause, Pauses } from '../../ports/feeds.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites, SitesSnapshot } from '../../ports/sites.ts';
import { byCaller } from '../people/by-caller.ts';
import type { AskPermission } from '../run-steps/ask-permission.ts';
import type { FindRecordings } from '../run-steps/find-recordings.ts';
import { explainNoRun } from './explain-no-run.ts';
import { explainRun } from './explain-run.ts';
import type { ExplanationText, SiteState } from './explain-words.ts';
import { findObstacle } from './find-obstacle.ts';
import { namesIn } from './find-site.ts';
import { findSubject, type Subject } from './find-subject.ts';

export type Explanation = ExplanationText & {
  readonly details?: {
    readonly encounter?: string;
    readonly patient?: string;
    /** The current status of the encounter in the EHR. */
    readonly encounterStatus?: string;
    /** The run that the sentence describes. */
    readonly run?: string;
    /** All runs of the encounter, the oldest first. */
    readonly runs: readonly Pick<Run, 'id' | 'status' | 'reason' | 'session'>[];
    /** The number of other encounters of the patient. */
    readonly otherEncounters?: number;
    readonly paused: readonly Pause['what'][];
    readonly alarms: readonly NonNullable<Feed['alarm']>[];
    readonly lastEventAt?: Date;
  };
};

/** `of`: the id of an encounter, also as `Encounter/id`, a visit number, or a patient's record number. Throws what the stores throw. */
export type ExplainEncounter = (
  order: { readonly site: string; readonly of: string; readonly access: Access },
  signal: AbortSignal,
) => Promise<Explanation>;

export type ExplainParts = {
  readonly runs: Pick<Runs, 'ofEncounter' | 'list'>;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly feeds: Pick<Feeds, 'of'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly findRecordings: FindRecordings;
  readonly askPermission: AskPermission;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeExplainEncounter(parts: ExplainParts): ExplainEncounter {
  const readSetting = makeReadSetting();

  return async ({ site: name, of, access }, signal) => {
    const snapshot = parts.sites.current();
    const site = isInScope(access.scope, name) ? snapshot.sites.get(name) : undefined;
    if (site === undefined) return noSite(snapshot, name, access.scope);
    const state = await readState(parts, site);
    const subject = await findSubject(parts, { site, of }, signal);
    const run = chooseRun(subject);
    const needsObstacle = run === undefined || run.status === 'skipped';
    const { encounter } = subject;
    const obstacleParts = { ...parts, readSetting };
    const obstacle =
      needsObstacle && encounter ? await findObstacle(obstacleParts, { site, encounter }, signal) : undefined;
    const text =
      run === undefined
        ? explainNoRun({ state, subject, obstacle, of })
        : explainRun({
            ...{ state, run, obstacle },
            encounterStatus: encounter?.status,
            ahead: await aheadOf(parts, run),
            patient: encounter && subject.patient,
            former: subject.runs.find(({ movedBy }) => movedBy === run.id),
          });
    const explanation = { ...text, details: detailsOf(state, subject, run) };
    await note(parts, { site, access }, explanation);
    return explanation;
  };
}

function noSite({ sites, unavailable }: SitesSnapshot, name: string, scope: SiteScope): Explanation {
  if (unavailable.has(name) && isInScope(scope, name)) {
    return {
      sentence: `The site ${name} is not active: its files have problems.`,
      next: 'npm run cli -- mappings check shows the problems.',
    };
  }
  const named = /^[\w.-]{1,64}$/.test(name) ? `no site ${name}` : 'no such site';
  const meant = didYouMean(name, namesIn(scope, sites.keys()));
  return {
    sentence: `There is ${named} here${meant === '' ? '' : meant.replace(/\?$/, '')}.`,
    next: 'npm run cli -- sites list shows the sites.',
  };
}

async function readState(parts: ExplainParts, site: LoadedSite): Promise<SiteState> {
  const pauses = (await parts.pauses.current()).filter((pause) => pause.site === site.name);
  const feeds = await parts.feeds.of(site.name);
  const times = feeds.flatMap(({ lastEventAt }) => lastEventAt ?? []);
  const [lastEventAt] = times.toSorted((one, other) => other.getTime() - one.getTime());
  return { site, pauses, feeds, lastEventAt };
}

/** The newest informative run: not a dry run, and preferably not one that found nothing new. */
function chooseRun({ runs }: Subject): Run | undefined {
  const real = runs.filter(({ isDry }) => !isDry);
  const informative = real.filter(({ reason }) => reason !== 'nothing-new');
  return informative.at(-1) ?? real.at(-1);
}

/** The run of the same patient that must end first. */
async function aheadOf({ runs }: ExplainParts, run: Run): Promise<Run | undefined> {
  if (run.status !== 'queued' || run.patient === undefined) return undefined;
  const { site, patient } = run;
  const status = ['queued', 'running', 'waiting'] as const;
  const before = await runs.list({ scope: { sites: [site] }, patient, status, withLooks: true, limit: 500 });
  return before.runs
    .filter(({ serial, reason }) => serial < run.serial && reason !== 'recording')
    .toSorted((one, other) => one.serial - other.serial)[0];
}

function detailsOf(state: SiteState, subject: Subject, run: Run | undefined): NonNullable<Explanation['details']> {
  const { encounter, reference, patient, otherEncounters } = subject;
  return present({
    encounter: reference,
    patient,
    encounterStatus: encounter?.status,
    run: run?.id,
    runs: subject.runs.map(({ id, status, reason, session }) => present({ id, status, reason, session })),
    otherEncounters,
    paused: state.pauses.map(({ what }) => what),
    alarms: state.feeds.flatMap(({ alarm }) => alarm ?? []),
    lastEventAt: state.lastEventAt,
  });
}

/** Recorded before the answer is returned, since the answer reveals that the encounter exists. */
async function note(
  { audit }: ExplainParts,
  { site, access }: { readonly site: LoadedSite; readonly access: Access },
  { details }: Explanation,
): Promise<void> {
  const { encounter, patient, run } = details ?? {};
  const entry = { action: 'run.view', site: site.name, ...present({ run }) } as const;
  await audit.append(byCaller(access, { ...entry, details: present({ explained: true, encounter, patient }) }));
}
