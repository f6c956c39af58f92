// How things stand with an encounter that has a run: one sentence for each state and reason, and what to do then.

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
  /** What keeps it from being documented now; asked only of one that was skipped. */
  readonly obstacle?: Obstacle | undefined;
  /** As the EHR has it now; absent where it does not, or does not answer. */
  readonly encounterStatus?: string | undefined;
  /** The run of the same patient that must be through before. */
  readonly ahead?: Run | undefined;
};

export function explainRun(parts: RunParts): ExplanationText {
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
    case 'waiting':
      return waiting(parts);
    case 'skipped':
      return skipped(parts);
    case 'queued':
      return queued(parts);
    case 'running':
      return {
        sentence: `${of(run)} is being documented at this moment${run.step === undefined ? '' : ` (${run.step})`}.`,
        next: `Wait a moment: npm run cli -- runs watch ${run.id}.`,
      };
    case 'cancelled':
      if (run.reason === 'recalled') return recalled(run);
      return {
        sentence: `Somebody cancelled the run of ${named(run)}${at(run.endedAt)}.`,
        next: `npm run cli -- runs replay ${run.id} does it after all.`,
      };
  }
}

function recalled(run: Run): ExplanationText {
  return {
    sentence: `The draft of ${named(run)} was recalled${at(run.endedAt)} before it was written: what made it turned out to be wrong.`,
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
  const standing = run.resources.filter(({ status }) => status !== 'retired');
  const main = standing.find(({ document }) => document === 'composition') ?? standing[0];
  if (main === undefined) {
    return {
      sentence: `The run of ${named(run)} is through, and nothing had to be written: the chart says the same already.`,
      next: showCommand(run.id),
    };
  }
  const others = standing.length - 1;
  const more = others === 0 ? '' : ` and ${others} more`;
  const isDraft = run.review === undefined && state.site.settings.write.review !== 'final';
  const how = isDraft ? ', as a draft that nobody has reviewed here' : '';
  return {
    sentence: `${of(run)} is documented in the chart: ${main.reference}${more}, written${at(run.endedAt)}${how}.`,
    next: isDraft ? `A clinician reviews ${main.reference}.` : `Open ${main.reference} in the EHR.`,
  };
}

const NOT_TO_BE = new Set<string | undefined>(['cancelled', 'entered-in-error']);

function retracted({ run, encounterStatus }: RunParts): ExplanationText {
  const left = run.left.map(({ reference }) => reference);
  const still = left.length === 0 ? '' : `; a person's own is left: ${left.join(', ')}`;
  const isOver = NOT_TO_BE.has(encounterStatus);
  const why = isOver ? `; in the EHR it is ${encounterStatus}` : '';
  const again = isOver ? 'Nothing, if that is right.' : `npm run cli -- runs replay ${run.id} writes it again.`;
  return {
    sentence: `What was written for ${named(run)} was taken back${at(run.changedAt)}${why}${still}.`,
    next: left.length === 0 ? again : `Look at ${left[0]} in the EHR.`,
  };
}

const HELD: Readonly<Record<HeldReason, string>> = {
  review: 'the site keeps drafts until a clinician has approved them',
  drafts: 'this EHR takes no drafts, so a clinician must approve first',
  unsupported: 'the note says more that nobody is heard saying than check.maxUnsupported allows',
  coverage: 'the transcript leaves out what is heard, or has words where nobody speaks',
  language: 'it is in a language that the site does not document',
  consent: 'nobody can tell if the patient agreed to it',
  sensitive: 'the site calls such encounters sensitive',
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
  const why = run.message ?? run.reason ?? 'it needs a person';
  return {
    sentence: `The run of ${named(run)} is parked: ${withoutFullStop(why)}.`,
    next: run.advice ?? showCommand(run.id),
  };
}

const WAITING: Readonly<Record<Exclude<WaitReason, 'paused'>, readonly [why: string, next: string]>> = {
  recording: ['for a recording: the chart has none of it yet', 'See that the recording is saved to this encounter.'],
  encounter: ['for the encounter itself: the EHR does not have it yet', 'See if the EHR has it, and under which id.'],
  reasoner: ['for the model, which does not answer', '/readyz says how the engines are.'],
  speech: ['for speech recognition, which does not answer', '/readyz says how the engines are.'],
  ehr: ['for the EHR, which does not answer', ''],
  engines: [
    'for engines that the site allows (engines in site.yaml)',
    'Configure one of them, or allow those there are.',
  ],
  retry: ['to be tried again, after a failure', 'Nothing yet: it is tried again by itself.'],
};

function waiting({ state, run }: RunParts): ExplanationText {
  if (run.reason === 'paused') return paused(state, run);
  const [why, next] = WAITING[run.reason as keyof typeof WAITING] ?? ['for something', showCommand(run.id)];
  const until = run.waitsUntil === undefined ? '' : `; it is looked at again at ${displayTime(run.waitsUntil)}`;
  const probe = `npm run cli -- sites probe ${state.site.name} says how the EHR is.`;
  // Which engine, and how to have it, stands in the message alone.
  const advice = run.reason === 'engines' ? run.message : run.advice;
  return { sentence: `${of(run)} waits ${why}${until}.`, next: advice ?? (next === '' ? probe : next) };
}

function paused({ site, pauses }: SiteState, run: Run): ExplanationText {
  const [pause] = pauses;
  if (pause === undefined) {
    return {
      sentence: `${of(run)} waits because ${site.name} was paused, and goes on in a moment.`,
      next: `Wait a moment: npm run cli -- runs watch ${run.id}.`,
    };
  }
  return {
    sentence: `${of(run)} waits because ${site.name} is paused (${pause.what}) since ${displayTime(pause.since)}: ${withoutFullStop(pause.reason)}.`,
    next: `npm run cli -- sites resume ${site.name} ends the pause.`,
  };
}

/** What keeps a run from being taken at all. */
const STOPS_LOOK: readonly PauseKind[] = ['all', 'intake'];

function queued({ state, run, ahead }: RunParts): ExplanationText {
  const stops = state.pauses.filter(
    ({ what }) => what === 'all' || (run.session === undefined && STOPS_LOOK.includes(what)),
  );
  if (stops.length > 0) return paused({ ...state, pauses: stops }, run);
  if (ahead !== undefined) {
    return {
      sentence: `${of(run)} waits for another run of the same patient, which is ${ahead.status}.`,
      next: showCommand(ahead.id),
    };
  }
  return {
    sentence: `${of(run)} waits for its turn since ${displayTime(run.changedAt)}.`,
    next: 'Wait a moment; if that lasts, /readyz and the list of runs say what the engine is busy with.',
  };
}

const SKIPPED: Readonly<Record<SkipReason, string>> = {
  trigger: 'the trigger said no',
  'no-encounter': 'the EHR did not have it',
  'cancelled-encounter': 'it was cancelled or entered in error',
  'no-recording': 'no recording of it came in time',
  'not-in-pilot': 'it was not in the pilot',
  'no-speech': 'nobody is heard speaking in its recording',
  'not-medical': 'nothing in its recording is medical',
  language: 'it is in a language that the site does not document',
  'nothing-new': 'all its recordings were documented already',
  shadow: 'the site is in shadow, so all was done except the writing',
  'dry-run': 'it was only to show what would be different',
  off: 'the site was off',
  consent: 'the patient does not agree to it',
  sensitive: 'the site leaves such encounters out as sensitive',
  label: 'it is labelled restricted',
  drafts: 'this EHR takes no drafts',
};

/** Reasons that may be gone by now: then nobody has looked again. */
const MAY_BE_OVER = new Set<string>([
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
  const why = SKIPPED[run.reason as SkipReason] ?? 'there was nothing to do';
  if (settings.mode === 'off') {
    return {
      sentence: `${of(run)} was not documented: ${name} is off.`,
      next: `Set mode in mappings/${name}/site.yaml to shadow, or to live.`,
    };
  }
  if (!MAY_BE_OVER.has(run.reason ?? '')) {
    return { sentence: `${of(run)} was not documented: ${why}.`, next: run.advice ?? adviceOf(state, run) };
  }
  if (obstacle !== undefined && obstacle.kind !== 'ehr') {
    return explainObstacle(obstacle, { state, encounter: named(run), status: encounterStatus });
  }
  const isOver = encounterStatus !== undefined && obstacle === undefined;
  const since = isOver ? ', and nobody has told the engine that this is over' : '';
  return {
    sentence: `${of(run)} was not documented: ${why}${at(run.endedAt ?? run.changedAt)}${since}.`,
    next: run.advice ?? `${startCommand(name, run.encounter)} looks again now.`,
  };
}

function adviceOf({ site: { name } }: SiteState, run: Run): string {
  if (run.reason === 'shadow') {
    return `${showCommand(run.id)} has what would have been written; mode: live in mappings/${name}/site.yaml writes.`;
  }
  return showCommand(run.id);
}
