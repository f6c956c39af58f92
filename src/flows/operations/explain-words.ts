// What explanations share: what they are made of, and their words.
import type { Feed, Pause } from '../../ports/feeds.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { Obstacle } from './find-obstacle.ts';

export type ExplanationText = {
  /** One. */
  readonly sentence: string;
  /** What to do. */
  readonly next: string;
};

/** What is known of the site, whichever encounter it is about. */
export type SiteState = {
  readonly site: LoadedSite;
  readonly pauses: readonly Pause[];
  readonly feeds: readonly Feed[];
  readonly lastEventAt?: Date | undefined;
};

/** `visit:V-77` is how the engine writes it. */
export function nameOf(reference: string): string {
  return reference.startsWith('visit:') ? `the visit ${reference.slice('visit:'.length)}` : reference;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Without the full stop: something follows. */
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

/** What is in the way now, whatever was before. */
export function explainObstacle(obstacle: Obstacle, { state, encounter, status }: ObstacleParts): ExplanationText {
  const { name, settings } = state.site;
  const file = `mappings/${name}/site.yaml`;
  switch (obstacle.kind) {
    case 'cancelled':
      return {
        sentence: `${encounter} is ${status} in the EHR: there is nothing to document.`,
        next: 'Nothing, if that is right; else correct the encounter in the EHR.',
      };
    case 'nobody':
      return {
        sentence: `${encounter} names no Patient that this EHR has, and nothing is documented for nobody.`,
        next: 'Complete Encounter.subject in the EHR.',
      };
    case 'trigger':
      return {
        sentence: `${encounter} is ${status}, and the trigger of ${name} (${settings.trigger}) says no to it as it is now.`,
        next: `Nothing, if it still goes on: the next event of it is looked at again. Else see trigger in ${file}.`,
      };
    case 'trigger-failed':
      return {
        sentence: `The trigger of ${name} cannot be evaluated for ${encounter}: ${withoutFullStop(obstacle.why)}.`,
        next: `Change trigger in ${file}; then ${startCommand(name, encounter)}.`,
      };
    case 'pilot':
      return {
        sentence: `${encounter} is not in the pilot of ${name}: its practitioners, places or services are others.`,
        next: `Nothing, if that is right; else see pilot in ${file}.`,
      };
    case 'no-recording':
      return {
        sentence: `The chart has no recording of ${encounter} that can be used.`,
        next: `See that it is saved to this encounter, as a DocumentReference or Media with audio in it.${omitted(obstacle.omissions)}`,
      };
    case 'permission':
      return {
        sentence: `${encounter} may not be documented: ${withoutFullStop(obstacle.why)}.`,
        next: `Nothing, if that is right; else see the Consent in the EHR, and consent and sensitive in ${file}.`,
      };
    case 'ehr':
      return {
        sentence: `${encounter} is in the EHR of ${name}, which fails when asked for more: ${withoutFullStop(obstacle.failure.message)}.`,
        next: `npm run cli -- sites probe ${name} says how the EHR is.`,
      };
  }
}

function omitted(omissions: readonly string[]): string {
  return omissions.length === 0 ? '' : ` Left out: ${omissions.map(withoutFullStop).join('; ')}.`;
}
