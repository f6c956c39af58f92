// Resolves the encounter before the first step of a run: which encounter and patient it is, and which of its recordings are not documented yet.
// An event is only the occasion; all facts are read from the EHR.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { tokenOf } from '../../domain/chart/identity.ts';
import { ownReference } from '../../domain/chart/own-reference.ts';
import { isTestEncounter } from '../../domain/chart/test-visit.ts';
import { displayTime } from '../../domain/display-time.ts';
import { spanOf } from '../../domain/fhir-time.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import { growingPauseMs } from '../../domain/run/growing-pause.ts';
import type { Run, RunStatus } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import { groupRecordings, type RecordingGroup } from '../../domain/run/session.ts';
import { isInPilot } from '../../domain/site/pilot.ts';
import type { ReadSetting } from '../../mapping/mapping.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { Claim, Queue } from '../../ports/queue.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { RetractRun } from '../chart-writing/retract-run.ts';
import type { FindRecordings, FoundRecordings } from './find-recordings.ts';
import type { MoveSessions } from './move-sessions.ts';
import { type ReadConsents, readConsents } from './read-consents.ts';

export type ResolveOrder = { readonly claim: Claim; readonly site: LoadedSite };

/** The resources that were read, so that the first step need not read them again. */
export type ResolvedEncounter = {
  readonly encounter: Encounter;
  readonly patient: Patient;
  readonly sources: readonly RecordingSource[];
  /** Read together with the recordings; absent if that failed, or was not needed. */
  readonly consents?: ReadConsents | undefined;
};

export type Resolution =
  | { readonly kind: 'go'; readonly claim: Claim; readonly resolved: ResolvedEncounter }
  | { readonly kind: 'end'; readonly end: RunEnd }
  /** Another process has the run, it was released until its turn comes, or it is not needed. */
  | { readonly kind: 'gone' };

/** Throws what the EHR and the queue throw. */
export type ResolveEncounter = (order: ResolveOrder, signal: AbortSignal) => Promise<Resolution>;

type ResolveParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly queue: Pick<Queue, 'identify' | 'siblings' | 'assignSessions' | 'fold'>;
  readonly runs: Pick<Runs, 'ofEncounter'>;
  readonly findRecordings: FindRecordings;
  readonly retractRun: RetractRun;
  readonly moveSessions: MoveSessions;
  readonly readSetting: ReadSetting;
  readonly runtime: Pick<Runtime, 'now'>;
};

type Work = ResolveOrder & { readonly parts: ResolveParts; readonly ehr: Ehr; readonly signal: AbortSignal };
type Siblings = Awaited<ReturnType<Queue['siblings']>>;

const CANCELLED = new Set<string>(['cancelled', 'entered-in-error']);
/** An event may arrive before the EHR has stored the encounter. */
const ENCOUNTER_WAIT_MS = 900_000;

export function makeResolveEncounter(parts: ResolveParts): ResolveEncounter {
  return async ({ claim, site }, signal) => {
    const work: Work = { claim, site, parts, signal, ehr: parts.ehrs.of(site) };
    const encounter = await findEncounter(work);
    if (encounter === undefined) return waitFor(work, NO_ENCOUNTER);
    if ('status' in encounter && !('resourceType' in encounter)) return { kind: 'end', end: encounter };
    if (isLeftByProbe(work, encounter)) {
      await parts.queue.fold(claim);
      return { kind: 'gone' };
    }
    const patientReference = ownReference(encounter.subject, site.settings.ehr?.baseUrl);
    if (!patientReference?.startsWith('Patient/')) return { kind: 'end', end: NO_PATIENT };
    // Before the patient's other runs are waited for: what is in a wrong chart must not wait for them.
    const runs = await findRuns(work, encounter);
    const wait = runs && (await parts.moveSessions({ ...work, encounter, patient: patientReference, runs }, signal));
    if (wait !== undefined) return { kind: 'end', end: wait };
    const isUrgent = encounter.class?.code === 'EMER';
    const reference = `Encounter/${encounter.id}`;
    const turn = await parts.queue.identify(claim, { encounter: reference, patient: patientReference, isUrgent });
    if (turn !== 'mine') return { kind: 'gone' };
    const identified = { ...claim, run: { ...claim.run, encounter: reference, patient: patientReference } };
    // Other runs of the encounter are read again: now that it is this patient's turn, none of them is at work.
    const isAlone = runs?.every(({ id }) => id === claim.run.id) === true;
    const siblings = isAlone ? [] : await parts.queue.siblings(identified);
    return findSession({ ...work, claim: identified }, { encounter, patientReference, siblings });
  };
}

/** An event that has only the id of a write test's Encounter. An operator who starts a run for it gets an answer. */
function isLeftByProbe({ claim: { run }, site }: Work, encounter: Encounter): boolean {
  return run.session === undefined && run.trigger.source !== 'operator' && isTestEncounter(encounter, site.name);
}

/** Undefined if no session can have moved: an upload has one session, its own; the documents of a cancelled encounter are all retracted. */
async function findRuns({ claim, site, parts }: Work, { id, status }: Encounter): Promise<readonly Run[] | undefined> {
  if (claim.run.session !== undefined || CANCELLED.has(status)) return undefined;
  return parts.runs.ofEncounter(site.name, `Encounter/${id}`);
}

type Identified = { readonly encounter: Encounter; readonly patientReference: string; readonly siblings: Siblings };

async function findSession(work: Work, { encounter, patientReference, siblings }: Identified): Promise<Resolution> {
  const { claim, site, parts, ehr, signal } = work;
  const isUpload = claim.run.session !== undefined;
  const isCancelled = CANCELLED.has(encounter.status);
  if (isUpload && isCancelled) return { kind: 'end', end: CANCELLED_ENCOUNTER };
  if (isCancelled) return takeAllBack(work, siblings);
  const patient = (await ehr.read(patientReference, signal))?.resource;
  if (patient?.resourceType !== 'Patient') return { kind: 'end', end: NO_PATIENT };
  // An uploaded recording is documented whatever the trigger says.
  if (isUpload) return { kind: 'go', claim, resolved: { encounter, patient, sources: [] } };
  const refusal = checkTrigger(work, encounter, patient);
  if (refusal !== undefined) return endOrFold(work, siblings, refusal);
  const [found, consents] = await ehr.together(
    [
      (reads) => parts.findRecordings({ site, encounter, patient, reads }, signal),
      // The first step reads them again, and fails if they still cannot be read.
      (reads) => readConsents(reads, { site, patient }, signal).catch(() => undefined),
    ],
    signal,
  );
  const groups = undocumented(found.sources, siblings, site);
  if (groups.length === 0) {
    if (siblings.some(({ session }) => session !== undefined)) return endOrFold(work, siblings, NOTHING_NEW);
    return waitFor(work, noRecording(work, found));
  }
  const determined = await parts.queue.assignSessions(claim, groups);
  if (determined === 'none') return endOrFold(work, siblings, NOTHING_NEW);
  return { kind: 'go', claim: determined, resolved: { encounter, patient, sources: found.sources, consents } };
}

const VISIT = 'visit:';

/** Undefined if the EHR does not have the encounter, perhaps not yet. */
async function findEncounter({ claim, site, ehr, signal }: Work): Promise<Encounter | RunEnd | undefined> {
  const { encounter } = claim.run;
  if (!encounter.startsWith(VISIT)) return asEncounter((await ehr.read(encounter, signal))?.resource);
  const { visit } = site.settings.identifiers;
  if (visit === undefined) return NO_VISIT_SYSTEM;
  const value = encounter.slice(VISIT.length);
  const parameters = { identifier: tokenOf({ system: visit, value }) };
  const found = await ehr.search({ type: 'Encounter', parameters, maxResources: 10 }, signal);
  const fitting = found.resources.filter((one): one is Encounter => hasIdentifier(one, visit, value));
  return fitting.length > 1 ? SEVERAL_VISITS : fitting[0];
}

function asEncounter(resource: Resource | undefined): Encounter | undefined {
  return resource?.resourceType === 'Encounter' && resource.id !== undefined ? resource : undefined;
}

/** Servers ignore unknown search parameters, so the result is filtered again. */
function hasIdentifier(resource: Resource, system: string, value: string): boolean {
  if (resource.resourceType !== 'Encounter' || resource.id === undefined) return false;
  return (resource.identifier ?? []).some((identifier) => identifier.system === system && identifier.value === value);
}

/** Undefined if the encounter is to be documented. */
function checkTrigger({ site, parts }: Work, encounter: Encounter, patient: Patient): RunEnd | undefined {
  const { settings } = site;
  const input = { encounter, patient, time: parts.runtime.now().toISOString(), timeZone: settings.timeZone };
  const trigger = parts.readSetting(settings.trigger, input, { hasBareNames: true });
  if (trigger.kind === 'failed') {
    return {
      status: 'parked',
      reason: 'mapping',
      message: `trigger in site.yaml cannot be evaluated for this encounter: ${trigger.why}`,
      advice: `Change trigger in mappings/${site.name}/site.yaml, then start the run again.`,
    };
  }
  if (trigger.kind !== 'value' || trigger.value !== true) return NOT_TRIGGERED;
  if (!isInPilot({ pilot: settings.pilot, encounter, baseUrl: settings.ehr?.baseUrl })) return NOT_IN_PILOT;
  return undefined;
}

function undocumented(
  sources: readonly RecordingSource[],
  siblings: Siblings,
  { settings }: LoadedSite,
): readonly RecordingGroup[] {
  const documented = new Set(siblings.flatMap(({ recordings }) => recordings));
  const isLateIgnored = settings.recording.late === 'ignore' && documented.size > 0;
  if (isLateIgnored) return [];
  const fresh = sources.filter(({ reference }) => !documented.has(reference));
  const timed = fresh.map(({ reference, start, end, durationSeconds }) => {
    const startMs = spanOf(start, settings.timeZone)?.fromMs;
    const lengthMs = durationSeconds === undefined ? undefined : durationSeconds * 1_000;
    const byLength = startMs === undefined || lengthMs === undefined ? undefined : startMs + lengthMs;
    return { reference, startMs, endMs: spanOf(end, settings.timeZone)?.fromMs ?? byLength };
  });
  return groupRecordings(timed, settings.recording.group);
}

/** States in which a run may have documents in the chart. A cancelled run may have failed in the middle of a write before. */
const MAY_HAVE_WRITTEN: ReadonlySet<RunStatus> = new Set<RunStatus>([
  'written',
  'held',
  'parked',
  'rejected',
  'cancelled',
]);

/** Retracts the documents of all sessions, also those of replays. A run that is in process checks the encounter itself before it writes. */
async function takeAllBack(work: Work, siblings: Siblings): Promise<Resolution> {
  const { claim, site, parts, signal } = work;
  const runs = await parts.runs.ofEncounter(site.name, claim.run.encounter);
  const standing = runs.filter(({ isDry, status }) => !isDry && MAY_HAVE_WRITTEN.has(status));
  for (const session of new Set(standing.flatMap((run) => run.session ?? []))) {
    const place = { site: site.name, encounter: claim.run.encounter.replace('Encounter/', ''), session };
    const reason = 'The encounter was cancelled or entered in error.';
    await parts.retractRun({ site, place, reason, actor: 'engine' }, signal);
  }
  return endOrFold(work, siblings, CANCELLED_ENCOUNTER);
}

/** A run without anything new is merged into the others of the encounter, unless an operator started it. */
async function endOrFold({ claim, parts }: Work, siblings: Siblings, end: RunEnd): Promise<Resolution> {
  const hasOthers = siblings.some(({ session }) => session !== undefined);
  if (!hasOthers || claim.run.trigger.source === 'operator') return { kind: 'end', end };
  await parts.queue.fold(claim);
  return { kind: 'gone' };
}

type Expected = {
  readonly reason: 'recording' | 'encounter';
  readonly message: string;
  readonly advice?: string;
  readonly waitMs?: number;
  readonly afterwards: RunEnd;
};

/** The intervals grow with the time that the run has waited. */
function waitFor({ claim, site, parts }: Work, { reason, message, advice, waitMs, afterwards }: Expected): Resolution {
  const now = parts.runtime.now().getTime();
  const begunMs = claim.run.trigger.receivedAt.getTime();
  const untilMs = begunMs + (waitMs ?? site.settings.recording.waitMs);
  if (now >= untilMs) return { kind: 'end', end: afterwards };
  const until = new Date(Math.min(untilMs, now + growingPauseMs(now - begunMs)));
  const last = displayTime(new Date(untilMs));
  return {
    kind: 'end',
    end: {
      status: 'waiting',
      reason,
      message: `${message} The run waits until ${last}.`,
      ...(advice !== undefined && { advice }),
      until,
      countsAsTry: false,
    },
  };
}

function noRecording({ claim, site }: Work, { omissions, leftOut }: FoundRecordings): Expected {
  const hasOthers = leftOut.length > 0;
  const which = hasOthers ? 'recording of this encounter that can be used' : 'recording of this encounter';
  const omitted = omissions.length === 0 ? '' : ` ${omissions.join('. ')}.`;
  return {
    reason: 'recording',
    message: `The chart has no ${which}.${omitted}`,
    ...(hasOthers && { advice: `${leftOut.join('. ')}. Correct them in the EHR if they are of this encounter.` }),
    afterwards: {
      status: 'skipped',
      reason: 'no-recording',
      message: `No ${which} came in time.${omitted}`,
      advice: `When the recording is in the chart, its event starts a run; to start one by hand: npm run cli -- runs start ${site.name} ${claim.run.encounter}.`,
    },
  };
}

const NO_ENCOUNTER: Expected = {
  reason: 'encounter',
  message: 'The EHR does not have this encounter.',
  waitMs: ENCOUNTER_WAIT_MS,
  afterwards: { status: 'skipped', reason: 'no-encounter', message: 'The EHR does not have this encounter.' },
};

const NO_PATIENT: RunEnd = {
  status: 'parked',
  reason: 'identity',
  message: 'Encounter.subject does not reference a Patient in this EHR.',
  advice: 'Complete Encounter.subject in the EHR, then start the run again.',
};

const NO_VISIT_SYSTEM: RunEnd = {
  status: 'parked',
  reason: 'mapping',
  message: 'The event names a visit number, but the settings of the site do not define the identifier of visits.',
  advice: 'Set identifiers.visit in site.yaml to the system of the visit numbers, then start the run again.',
};

const SEVERAL_VISITS: RunEnd = {
  status: 'parked',
  reason: 'identity',
  message: 'Several encounters have this visit number.',
  advice: 'Find out which one is meant, and start a run for it: npm run cli -- runs start <site> Encounter/<id>.',
};

const NOT_TRIGGERED: RunEnd = {
  status: 'skipped',
  reason: 'trigger',
  message: 'The trigger in site.yaml does not match this encounter in its current state.',
};

const NOT_IN_PILOT: RunEnd = {
  status: 'skipped',
  reason: 'not-in-pilot',
  message: 'The encounter is not in the pilot of this site.',
};

const NOTHING_NEW: RunEnd = {
  status: 'skipped',
  reason: 'nothing-new',
  message: 'All recordings of this encounter are documented already.',
  advice: 'To make the documents again, replay the run that wrote them.',
};

const CANCELLED_ENCOUNTER: RunEnd = {
  status: 'skipped',
  reason: 'cancelled-encounter',
  message: 'The encounter was cancelled or entered in error.',
};
