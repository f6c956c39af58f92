// Shared types and texts of explanations.
import type { Feed, Pause } from '../../ports/feeds.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { Obstacle } from './find-obstacle.ts';

export type ExplanationText = {
  /** The state, in one sentence. */
  readonly sentence: string;
  /** What to do next. */
  readonly next: string;
};

/** The state of the site. */
export type SiteState = {
  readonly site: LoadedSite;
  readonly pauses: readonly Pause[];
  readonly feeds: readonly Feed[];
  readonly lastEventAt?: Date | undefined;
};

/** The engine writes a visit number as `visit:V-77`. */
export function nameOf(reference: string): string {
  return reference.startsWith('visit:') ? `the visit ${reference.slice('visit:'.length)}` : reference;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Removes a final full stop, because more text follows. */
export function withoutFullStop(text: string): string {
  return text.replace(/[.\s]+$/, '');
}

export function startCommand(site: string, encounter: string): string {
  return `npm run cli -- runs start ${site} ${encounter}`;
}

export function showCommand(run: string): string {
  return `npm run cli -- runs show ${run}`;
}

type ObstacleParts = { readonly state: SiteState; readonly encounter: string; readonly status: string | undefined };

/** Explains what prevents the documentation now. */
export function explainObstacle(obstacle: Obstacle, { state, encounter, status }: ObstacleParts): ExplanationText {
  const { name, settings } = state.site;
  const file = `mappings/${name}/site.yaml`;
  switch (obstacle.kind) {
    case 'cancelled':
      return {
        sentence: `${encounter} is ${status} in the EHR: there is nothing to document.`,
        next: 'Nothing, if that is right; otherwise correct the encounter in the EHR.',
      };
    case 'no-patient':
      return {
        sentence: `Encounter.subject of ${encounter} does not reference a Patient in this EHR.`,
        next: 'Complete Encounter.subject in the EHR.',
      };
    case 'trigger':
      return {
        sentence: `${encounter} is ${status}, and the trigger of ${name} (${settings.trigger}) does not match it in this state.`,
        next: `Nothing, if the encounter still goes on: its next event is checked again. Otherwise see trigger in ${file}.`,
      };
    case 'trigger-failed':
      return {
        sentence: `The trigger of ${name} cannot be evaluated for ${encounter}: ${withoutFullStop(obstacle.why)}.`,
        next: `Change trigger in ${file}; then ${startCommand(name, encounter)}.`,
      };
    case 'pilot':
      return {
        sentence: `${encounter} is not in the pilot of ${name}: it has other practitioners, locations or services.`,
        next: `Nothing, if that is right; otherwise see pilot in ${file}.`,
      };
    case 'no-recording':
      return {
        sentence: `The chart has no usable recording of ${encounter}.`,
        next: `Check that it is saved to this encounter, as a DocumentReference or Media with audio.${omitted(obstacle.omissions)}`,
      };
    case 'permission':
      return {
        sentence: `${encounter} may not be documented: ${withoutFullStop(obstacle.why)}.`,
        next: `Nothing, if that is right; otherwise see the Consent in the EHR, and consent and sensitive in ${file}.`,
      };
    case 'ehr':
      return {
        sentence: `${encounter} is in the EHR of ${name}, but further requests fail: ${withoutFullStop(obstacle.failure.message)}.`,
        next: `npm run cli -- sites probe ${name} shows the state of the EHR.`,
      };
  }
}

function omitted(omissions: readonly string[]): string {
  return omissions.length === 0 ? '' : ` Left out: ${omissions.map(withoutFullStop).join('; ')}.`;
}
