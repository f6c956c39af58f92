// Explains an encounter without a run: its state in the EHR, and why no event has started a run.
import { displayTime } from '../../domain/display-time.ts';
import {
  type ExplanationText,
  explainObstacle,
  nameOf,
  type SiteState,
  startCommand,
  withoutFullStop,
} from './explain-words.ts';
import type { Obstacle } from './find-obstacle.ts';
import type { Subject } from './find-subject.ts';

type NoRunParts = {
  readonly state: SiteState;
  readonly subject: Subject;
  readonly obstacle: Obstacle | undefined;
  /** As the operator typed it. */
  readonly of: string;
};

export function explainNoRun({ state, subject, obstacle, of }: NoRunParts): ExplanationText {
  const { name, settings } = state.site;
  if (settings.mode === 'off') {
    return {
      sentence: `The site ${name} is off, so it is not documented.`,
      next: `Set mode in mappings/${name}/site.yaml to shadow, or to live.`,
    };
  }
  const { reference, encounter } = subject;
  if (reference === undefined || encounter === undefined) return notInEhr(state, subject, of);
  if (obstacle !== undefined) {
    return explainObstacle(obstacle, { state, encounter: nameOf(reference), status: encounter.status });
  }
  return noEvent(state, reference);
}

function notInEhr({ site }: SiteState, { patient, failure }: Subject, of: string): ExplanationText {
  const { name, settings } = site;
  // Text that cannot be an id is not repeated.
  const named = /^[\w.|:/^&~-]{1,64}$/.test(of.trim()) ? of.trim() : 'that';
  const probe = `npm run cli -- sites probe ${name} shows the state of the EHR.`;
  if (failure !== undefined) {
    const why = withoutFullStop(failure.message);
    return {
      sentence: `The engine has no run for ${named}, and the EHR of ${name} does not answer: ${why}.`,
      next: probe,
    };
  }
  if (patient !== undefined) {
    return {
      sentence: `${patient} has no encounter in the EHR of ${name}.`,
      next: 'Find out under which patient the encounter was opened.',
    };
  }
  const { visit, mrn } = settings.identifiers;
  const unset = [
    ...(visit === undefined ? ['identifiers.visit'] : []),
    ...(mrn === undefined ? ['identifiers.mrn'] : []),
  ];
  const isWhole = unset.length === 0;
  return {
    sentence: `The EHR of ${name} has no encounter${isWhole ? ', visit or patient' : ' with the id'} ${named === 'that' ? named : `“${named}”`}.`,
    next: isWhole
      ? 'Compare the number with the EHR.'
      : `Compare it with the EHR; to search by other numbers, set ${unset.join(' and ')} in mappings/${name}/site.yaml.`,
  };
}

/** Nothing prevents a run, but no event came. */
function noEvent({ site, feeds, lastEventAt }: SiteState, encounter: string): ExplanationText {
  const { name } = site;
  const meanwhile = `${startCommand(name, encounter)} documents this one now.`;
  const alarmed = feeds.find(({ alarm }) => alarm !== undefined);
  if (alarmed !== undefined) {
    const since = alarmed.alarmSince === undefined ? '' : ` since ${displayTime(alarmed.alarmSince)}`;
    return {
      sentence: `No event came for ${encounter}: the feed ${alarmed.kind} of ${name} has an alarm${since}.`,
      next: `${withoutFullStop(alarmed.alarmMessage ?? `npm run cli -- sites probe ${name} shows the state of the EHR`)}. ${meanwhile}`,
    };
  }
  if (lastEventAt === undefined) {
    const ways = waysOf(site.settings.events);
    const check = `Check that events reach the engine (${ways.join(', ')}).`;
    const none = `Configure a feed in mappings/${name}/site.yaml (amqp, subscription, push or poll).`;
    return {
      sentence: `No event has ever come from ${name}${ways.length === 0 ? ': its settings configure no feed' : ''}.`,
      next: `${ways.length === 0 ? none : check} ${meanwhile}`,
    };
  }
  return {
    sentence: `Events of ${name} arrive, the last at ${displayTime(lastEventAt)}, but none came for ${encounter}.`,
    next: `${meanwhile} Then check whether the sender omits such encounters, and which deliveries are quarantined: npm run cli -- runs aside --site ${name}.`,
  };
}

function waysOf({ amqp, subscription, push, poll }: SiteState['site']['settings']['events']): readonly string[] {
  return [
    ...(amqp === undefined ? [] : ['amqp']),
    ...(subscription === undefined || subscription.kind === 'none' ? [] : ['subscription']),
    ...(push === undefined ? [] : ['push']),
    ...(poll === undefined ? [] : ['poll']),
  ];
}
