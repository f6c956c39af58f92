// Why is there no note? Says in one sentence how things stand with an encounter, and what to do next; also where no event ever came.
// What it says are references, states and settings: nobody's name, and nothing that anybody said.
import type { Run } from '../../domain/run/run.ts';
import { didYouMean, makeReadSetting } from '../../mapping/mapping.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Feed, Feeds, Pause, Pauses } from '../../ports/feeds.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites, SitesSnapshot } from '../../ports/sites.ts';
import type { AskPermission } from '../run-steps/ask-permission.ts';
import type { FindRecordings } from '../run-steps/find-recordings.ts';
import { explainNoRun } from './explain-no-run.ts';
import { explainRun } from './explain-run.ts';
import type { ExplanationText, SiteState } from './explain-words.ts';
import { findObstacle } from './find-obstacle.ts';
import { findSubject, type Subject } from './find-subject.ts';

export type Explanation = ExplanationText & {
  readonly details?: {
    readonly encounter?: string;
    readonly patient?: string;
    /** Of the encounter, as the EHR has it now. */
    readonly encounterStatus?: string;
    /** What the sentence is about. */
    readonly run?: string;
    /** All of the encounter, the oldest first. */
    readonly runs: readonly Pick<Run, 'id' | 'status' | 'reason' | 'session'>[];
    /** How many other encounters the patient has. */
    readonly otherEncounters?: number;
    readonly paused: readonly Pause['what'][];
    readonly alarms: readonly NonNullable<Feed['alarm']>[];
    readonly lastEventAt?: Date;
  };
};

/** `of`: an encounter's id, also as `Encounter/id`, a visit number, or a patient's record number. Throws what the stores throw. */
export type ExplainEncounter = (
  order: { readonly site: string; readonly of: string },
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

  return async ({ site: name, of }, signal) => {
    const snapshot = parts.sites.current();
    const site = snapshot.sites.get(name);
    if (site === undefined) return noSite(snapshot, name);
    const state = await readState(parts, site);
    const subject = await findSubject(parts, { site, of }, signal);
    const run = chooseRun(subject);
    const needsLook = run === undefined || run.status === 'skipped';
    const { encounter } = subject;
    const look = { ...parts, readSetting };
    const obstacle = needsLook && encounter ? await findObstacle(look, { site, encounter }, signal) : undefined;
    const said =
      run === undefined
        ? explainNoRun({ state, subject, obstacle, of })
        : explainRun({ state, run, obstacle, encounterStatus: encounter?.status, ahead: await aheadOf(parts, run) });
    const explanation = { ...said, details: detailsOf(state, subject, run) };
    await note(parts, site, explanation);
    return explanation;
  };
}

function noSite({ sites, unavailable }: SitesSnapshot, name: string): Explanation {
  if (unavailable.has(name)) {
    return {
      sentence: `The site ${name} is not in force: its files have problems, so nothing is done for it.`,
      next: 'npm run cli -- mappings check says what is wrong with them.',
    };
  }
  const named = /^[\w.-]{1,64}$/.test(name) ? `no site ${name}` : 'no such site';
  const meant = didYouMean(name, [...sites.keys()]);
  return {
    sentence: `There is ${named} here${meant === '' ? '' : meant.replace(/\?$/, '')}.`,
    next: 'npm run cli -- sites list says which there are.',
  };
}

async function readState(parts: ExplainParts, site: LoadedSite): Promise<SiteState> {
  const pauses = (await parts.pauses.current()).filter((pause) => pause.site === site.name);
  const feeds = await parts.feeds.of(site.name);
  const times = feeds.flatMap(({ lastEventAt }) => lastEventAt ?? []);
  const [lastEventAt] = times.toSorted((one, other) => other.getTime() - one.getTime());
  return { site, pauses, feeds, lastEventAt };
}

/** The newest that tells anything: not one that was only to show something, or that found all done. */
function chooseRun({ runs }: Subject): Run | undefined {
  const real = runs.filter(({ isDry }) => !isDry);
  const telling = real.filter(({ reason }) => reason !== 'nothing-new');
  return telling.at(-1) ?? real.at(-1);
}

/** The run of the same patient that must be through before. */
async function aheadOf({ runs }: ExplainParts, run: Run): Promise<Run | undefined> {
  if (run.status !== 'queued' || run.patient === undefined) return undefined;
  const { site, patient } = run;
  const before = await runs.list({ site, patient, status: ['queued', 'running', 'waiting'], limit: 500 });
  return before.runs
    .filter(({ serial, reason }) => serial < run.serial && reason !== 'recording')
    .toSorted((one, other) => one.serial - other.serial)[0];
}

function detailsOf(state: SiteState, subject: Subject, run: Run | undefined): NonNullable<Explanation['details']> {
  const { encounter, reference, patient, otherEncounters } = subject;
  return {
    ...(reference !== undefined && { encounter: reference }),
    ...(patient !== undefined && { patient }),
    ...(encounter !== undefined && { encounterStatus: encounter.status }),
    ...(run !== undefined && { run: run.id }),
    runs: subject.runs.map(({ id, status, reason, session }) => ({
      id,
      status,
      ...(reason !== undefined && { reason }),
      ...(session !== undefined && { session }),
    })),
    ...(otherEncounters !== undefined && { otherEncounters }),
    paused: state.pauses.map(({ what }) => what),
    alarms: state.feeds.flatMap(({ alarm }) => alarm ?? []),
    ...(state.lastEventAt !== undefined && { lastEventAt: state.lastEventAt }),
  };
}

/** Before anybody is told: whoever asks learns that there is such an encounter. */
async function note({ audit }: ExplainParts, site: LoadedSite, { details }: Explanation): Promise<void> {
  const { encounter, patient, run } = details ?? {};
  await audit.append({
    action: 'run.view',
    actor: 'operator',
    site: site.name,
    ...(run !== undefined && { run }),
    details: {
      explained: true,
      ...(encounter !== undefined && { encounter }),
      ...(patient !== undefined && { patient }),
    },
  });
}
