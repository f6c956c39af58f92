// How things stand with an encounter that has no run: what the EHR says of it, and why nobody told the engine.
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
  /** As it was typed. */
  readonly of: string;
};

export function explainNoRun({ state, subject, obstacle, of }: NoRunParts): ExplanationText {
  const { name, settings } = state.site;
  if (settings.mode === 'off') {
    return {
      sentence: `${name} is off, so nothing of it is documented.`,
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
  // What nobody could have meant is not repeated.
  const named = /^[\w.|:/^&~-]{1,64}$/.test(of.trim()) ? of.trim() : 'that';
  const probe = `npm run cli -- sites probe ${name} says how the EHR is.`;
  if (failure !== undefined) {
    const why = withoutFullStop(failure.message);
    return {
      sentence: `The engine has no run of ${named}, and the EHR of ${name} cannot be asked: ${why}.`,
      next: probe,
    };
  }
  if (patient !== undefined) {
    return {
      sentence: `${patient} has no encounter in the EHR of ${name}.`,
      next: 'See under which patient the encounter was opened.',
    };
  }
  const { visit, mrn } = settings.identifiers;
  const unset = [
    ...(visit === undefined ? ['identifiers.visit'] : []),
    ...(mrn === undefined ? ['identifiers.mrn'] : []),
  ];
  const isWhole = unset.length === 0;
  return {
    sentence: `The EHR of ${name} knows no encounter${isWhole ? ', visit or patient' : ' with the id'} ${named === 'that' ? named : `“${named}”`}.`,
    next: isWhole
      ? 'Compare the number with the EHR.'
      : `Compare it with the EHR; to look for other numbers, set ${unset.join(' and ')} in mappings/${name}/site.yaml.`,
  };
}

/** Nothing is in the way: it was not said. */
function noEvent({ site, feeds, lastEventAt }: SiteState, encounter: string): ExplanationText {
  const { name } = site;
  const meanwhile = `${startCommand(name, encounter)} documents this one now.`;
  const alarmed = feeds.find(({ alarm }) => alarm !== undefined);
  if (alarmed !== undefined) {
    const since = alarmed.alarmSince === undefined ? '' : ` since ${displayTime(alarmed.alarmSince)}`;
    return {
      sentence: `No event of ${encounter} came: something is wrong with the ${alarmed.kind} events of ${name}${since}.`,
      next: `${withoutFullStop(alarmed.alarmMessage ?? `npm run cli -- sites probe ${name} says how the EHR is`)}. ${meanwhile}`,
    };
  }
  if (lastEventAt === undefined) {
    const ways = waysOf(site.settings.events);
    const check = `See that events reach the engine (${ways.join(', ')}).`;
    const none = `Set one in mappings/${name}/site.yaml (amqp, subscription, push or poll).`;
    return {
      sentence: `No event ever came from ${name}${ways.length === 0 ? ': its settings name no way for them' : ''}.`,
      next: `${ways.length === 0 ? none : check} ${meanwhile}`,
    };
  }
  return {
    sentence: `Events of ${name} come, the last at ${displayTime(lastEventAt)}, but none came of ${encounter}.`,
    next: `${meanwhile} Then see if the sender leaves such encounters out, and what was set aside: npm run cli -- runs aside --site ${name}.`,
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
