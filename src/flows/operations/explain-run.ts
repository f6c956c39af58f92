// Explains an encounter with a run: one sentence for each state and reason, and what to do next.

import { displayTime } from '../../domain/display-time.ts';
import type { HeldReason, Run, SkipReason, WaitReason } from '../../domain/run/run.ts';
import type { PauseKind } from '../../ports/feeds.ts';
import {
  capitalized,
  type ExplanationText,
  explainObstacle,
  nameOf,
  type SiteState,
  showCommand,
  startCommand,
  withoutFullStop,
} from './explain-words.ts';
import type { Obstacle } from './find-obstacle.ts';

type RunParts = {
  readonly state: SiteState;
  readonly run: Run;
  /** What prevents the documentation now; only for a skipped run. */
  readonly obstacle?: Obstacle | undefined;
  /** The current status in the EHR; absent if the EHR does not have it or does not answer. */
  readonly encounterStatus?: string | undefined;
  /** The run of the same patient that must end first. */
  readonly ahead?: Run | undefined;
  /** The encounter's patient in the EHR now. */
  readonly patient?: string | undefined;
  /** The run of the patient to whom the encounter belonged before; this run documents its session. */
  readonly former?: Run | undefined;
};

export function explainRun(parts: RunParts): ExplanationText {
  const { sentence, next } = explainMove(parts) ?? explainState(parts);
  const { former } = parts;
  if (former === undefined) return { sentence, next };
  const before = `It belonged to ${former.patient} before, where the documents were retracted: ${showCommand(former.id)}.`;
  return { sentence: `${sentence} ${before}`, next };
}

/** Undefined: the documents are not known to be in another patient's chart. */
function explainMove({ state, run, patient }: RunParts): ExplanationText | undefined {
  if (run.status !== 'written' || patient === undefined || run.patient === undefined) return undefined;
  if (patient === run.patient) return undefined;
  return {
    sentence: `${of(run)} was documented for ${run.patient}${at(run.endedAt)}, and belongs to ${patient} now.`,
    next:
      run.movedTo === patient
        ? 'Wait a moment: the engine retracts the documents, and writes them for the patient of now.'
        : `Nothing, if the EHR has merged the two and moved the documents; otherwise ${startCommand(state.site.name, run.encounter)}.`,
  };
}

function explainState(parts: RunParts): ExplanationText {
  const { run } = parts;
  switch (run.status) {
    case 'written':
      return written(parts);
    case 'retracted':
      return retracted(parts);
    case 'held':
      return held(run);
    case 'parked':
      return parked(run);
    case 'rejected':
      return rejected(run);
    case 'waiting':
      return waiting(parts);
    case 'skipped':
      return skipped(parts);
    case 'queued':
      return queued(parts);
    case 'running':
      return {
        sentence: `${of(run)} is being documented now${run.step === undefined ? '' : ` (${run.step})`}.`,
        next: `Wait a moment: npm run cli -- runs watch ${run.id}.`,
      };
    case 'cancelled':
      if (run.reason === 'recalled') return recalled(run);
      return {
        sentence: `The run of ${named(run)} was cancelled${at(run.endedAt)}.`,
        next: `To document it after all: npm run cli -- runs replay ${run.id}.`,
      };
  }
}

function recalled(run: Run): ExplanationText {
  return {
    sentence: `The draft of ${named(run)} was recalled${at(run.endedAt)} before it was written: its model, prompt or mapping was wrong.`,
    next: run.advice ?? showCommand(run.id),
  };
}

function named({ encounter }: Run): string {
  return nameOf(encounter);
}

/** At the beginning of a sentence. */
function of(run: Run): string {
  return capitalized(named(run));
}

function at(time: Date | undefined): string {
  return time === undefined ? '' : ` at ${displayTime(time)}`;
}

function written({ state, run }: RunParts): ExplanationText {
  const current = run.resources.filter(({ status }) => status !== 'retired');
  const main = current.find(({ document }) => document === 'composition') ?? current[0];
  if (main === undefined) {
    return {
      sentence: `The run of ${named(run)} has ended without a write: the chart already has the same content.`,
      next: showCommand(run.id),
    };
  }
  const others = current.length - 1;
  const more = others === 0 ? '' : ` and ${others} more`;
  const isDraft = run.review === undefined && state.site.settings.write.review !== 'final';
  const how = isDraft ? ', as a draft without a review in the engine' : '';
  return {
    sentence: `${of(run)} is documented in the chart: ${main.reference}${more}, written${at(run.endedAt)}${how}.`,
    next: isDraft ? `A clinician reviews ${main.reference}.` : `Open ${main.reference} in the EHR.`,
  };
}

const CANCELLED = new Set<string | undefined>(['cancelled', 'entered-in-error']);

function retracted({ run, encounterStatus }: RunParts): ExplanationText {
  const left = run.left.map(({ reference }) => reference);
  const rest = left.length === 0 ? '' : `; documents that a person has changed are left: ${left.join(', ')}`;
  const isCancelled = CANCELLED.has(encounterStatus);
  const why = isCancelled ? `; in the EHR it is ${encounterStatus}` : '';
  const again = isCancelled ? 'Nothing, if that is right.' : `To write it again: npm run cli -- runs replay ${run.id}.`;
  return {
    sentence: `The documents of ${named(run)} were retracted${at(run.changedAt)}${why}${rest}.`,
    next: left.length === 0 ? again : `Check ${left[0]} in the EHR.`,
  };
}

const HELD: Readonly<Record<HeldReason, string>> = {
  review: 'the site holds drafts until a clinician approves them',
  drafts: 'this EHR accepts no drafts, so a clinician must approve first',
  unsupported: 'the note has statements that the recording or the chart does not bear out',
  coverage: 'the transcript lacks parts of the speech, or has words over silence',
  language: 'its language is not supported',
  consent: 'it is unknown whether the patient consents',
  sensitive: 'the site treats such encounters as sensitive',
  label: 'it is labelled restricted',
};

const BY_REVIEW = new Set<string>(['review', 'drafts', 'unsupported', 'coverage']);

function held(run: Run): ExplanationText {
  const why = HELD[run.reason as HeldReason] ?? 'a person must decide';
  const decides = run.advice ?? `A reviewer of the site decides: npm run cli -- runs review ${run.id}.`;
  const isDraft = run.revision > 0 && BY_REVIEW.has(run.reason ?? '');
  return {
    sentence: `The note of ${named(run)} is held: ${why}.`,
    next: isDraft ? `${decides} ${showCommand(run.id)} --patient-data shows it.` : (run.advice ?? showCommand(run.id)),
  };
}

function parked(run: Run): ExplanationText {
  const why = run.message ?? run.reason ?? 'an operator must act';
  return {
    sentence: `The run of ${named(run)} is parked: ${withoutFullStop(why)}.`,
    next: run.advice ?? showCommand(run.id),
  };
}

function rejected(run: Run): ExplanationText {
  return {
    sentence: `A clinician rejected the draft of ${named(run)}${at(run.endedAt)}: ${withoutFullStop(run.message ?? 'it is in no chart')}.`,
    next: `Nothing, if that is right. For another draft: npm run cli -- runs replay ${run.id}.`,
  };
}

const WAITING: Readonly<Record<Exclude<WaitReason, 'paused'>, readonly [why: string, next: string]>> = {
  recording: [
    'for a recording: the chart has none yet that can be used',
    'Check that the recording is saved to this encounter.',
  ],
  encounter: [
    'for the encounter itself: the EHR does not have it yet',
    'Check whether the EHR has it, and under which id.',
  ],
  moved: [
    'because it was moved to another patient: an earlier run of it must end first, or the EHR may still move its documents',
    'Nothing yet: the engine checks again by itself.',
  ],
  reasoner: ['for the model, which does not answer', '/readyz shows the state of the model.'],
  speech: ['for speech recognition, which does not answer', '/readyz shows the state of speech recognition.'],
  ehr: ['for the EHR, which does not answer', ''],
  engines: [
    'for a model that the site allows (engines in site.yaml)',
    'Configure such a model, or allow the configured one.',
  ],
  retry: ['for the next attempt after a failure', 'Nothing yet: the engine tries again by itself.'],
};

function waiting({ state, run }: RunParts): ExplanationText {
  if (run.reason === 'paused') return paused(state, run);
  const [why, next] = WAITING[run.reason as keyof typeof WAITING] ?? ['for an event', showCommand(run.id)];
  const until = run.waitsUntil === undefined ? '' : `; the next check is at ${displayTime(run.waitsUntil)}`;
  const probe = `npm run cli -- sites probe ${state.site.name} shows the state of the EHR.`;
  // Only the message names the required model and how to configure it.
  const advice = run.reason === 'engines' ? run.message : run.advice;
  return { sentence: `${of(run)} waits ${why}${until}.`, next: advice ?? (next === '' ? probe : next) };
}

function paused({ site, pauses }: SiteState, run: Run): ExplanationText {
  const [pause] = pauses;
  if (pause === undefined) {
    return {
      sentence: `${of(run)} waits because ${site.name} was paused, and goes on shortly.`,
      next: `Wait a moment: npm run cli -- runs watch ${run.id}.`,
    };
  }
  return {
    sentence: `${of(run)} waits because ${site.name} has been paused (${pause.what}) since ${displayTime(pause.since)}: ${withoutFullStop(pause.reason)}.`,
    next: `To end the pause: npm run cli -- sites resume ${site.name}.`,
  };
}

/** Pauses in which a run without a session is not claimed. */
const INTAKE_PAUSES: readonly PauseKind[] = ['all', 'intake'];

function queued({ state, run, ahead }: RunParts): ExplanationText {
  const stops = state.pauses.filter(
    ({ what }) => what === 'all' || (run.session === undefined && INTAKE_PAUSES.includes(what)),
  );
  if (stops.length > 0) return paused({ ...state, pauses: stops }, run);
  if (ahead !== undefined) {
    return {
      sentence: `${of(run)} waits for another run of the same patient, which is ${ahead.status}.`,
      next: showCommand(ahead.id),
    };
  }
  return {
    sentence: `${of(run)} has waited for a worker since ${displayTime(run.changedAt)}.`,
    next: 'Wait a moment; if it still waits then, /readyz and the list of runs show what the engine is doing.',
  };
}

const SKIPPED: Readonly<Record<SkipReason, string>> = {
  trigger: 'the trigger did not match',
  'no-encounter': 'the EHR did not have it',
  'cancelled-encounter': 'it was cancelled or entered in error',
  'no-recording': 'no recording of it came in time',
  'not-in-pilot': 'it was not in the pilot',
  'no-speech': 'its recording has no speech',
  'not-medical': 'its recording has no medical content',
  language: 'its language is not supported',
  'nothing-new': 'all its recordings were documented already',
  shadow: 'the site is in shadow mode, so nothing was written',
  'dry-run': 'it was a dry run',
  off: 'the site was off',
  consent: 'the patient does not consent',
  sensitive: 'the site skips such encounters as sensitive',
  label: 'it is labelled restricted',
  drafts: 'this EHR accepts no drafts',
};

/** Reasons that may not apply any more: then the encounter must be resolved again. */
const MAY_HAVE_CHANGED = new Set<string>([
  'trigger',
  'no-encounter',
  'cancelled-encounter',
  'no-recording',
  'not-in-pilot',
  'off',
  'consent',
  'sensitive',
  'label',
]);

function skipped({ state, run, obstacle, encounterStatus }: RunParts): ExplanationText {
  const { name, settings } = state.site;
  const why = SKIPPED[run.reason as SkipReason] ?? 'there was nothing to document';
  if (settings.mode === 'off') {
    return {
      sentence: `${of(run)} was not documented: ${name} is off.`,
      next: `Set mode in mappings/${name}/site.yaml to shadow, or to live.`,
    };
  }
  if (!MAY_HAVE_CHANGED.has(run.reason ?? '')) {
    return { sentence: `${of(run)} was not documented: ${why}.`, next: run.advice ?? adviceOf(state, run) };
  }
  if (obstacle !== undefined && obstacle.kind !== 'ehr') {
    return explainObstacle(obstacle, { state, encounter: named(run), status: encounterStatus });
  }
  const isOver = encounterStatus !== undefined && obstacle === undefined;
  const since = isOver ? ', and no event has come since that changed' : '';
  return {
    sentence: `${of(run)} was not documented: ${why}${at(run.endedAt ?? run.changedAt)}${since}.`,
    next: run.advice ?? `To check it again now: ${startCommand(name, run.encounter)}.`,
  };
}

function adviceOf({ site: { name } }: SiteState, run: Run): string {
  if (run.reason === 'shadow') {
    return `${showCommand(run.id)} shows the documents; set mode: live in mappings/${name}/site.yaml to write them.`;
  }
  return showCommand(run.id);
}
