// Reports which reasoner and speech recognition are configured, for /readyz. A forgotten key degrades the health of the engine.
import { isRules, whyRunsWait } from '../../domain/site/engine-choice.ts';
import type { ComponentHealth, HealthCheck } from '../../ports/health.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { Sites } from '../../ports/sites.ts';
import type { Speech } from '../../ports/speech.ts';
import type { WatchAnswers } from './watch-answers.ts';

export const NO_SPEECH =
  'No speech recognition is configured: set DEEPGRAM_API_KEY, or DEEPGRAM_BASE_URL for a server of your own, and start again';
const RULES =
  'rules over readable knowledge, no language model, not a medical device. OPENAI_API_KEY or OPENAI_BASE_URL sets a model.';

type EnginesHealthParts = {
  readonly reasoner: Pick<Reasoner, 'engine'>;
  readonly speech: Pick<Speech, 'engine'>;
  readonly answers: Pick<WatchAnswers, 'current'>;
  readonly sites: Pick<Sites, 'current'>;
  /** The site whose recordings the built-in speech recognition knows. */
  readonly builtinSite: string;
};

export function makeCheckEngines(parts: EnginesHealthParts): readonly HealthCheck[] {
  return [async () => reasonerHealth(parts), async () => speechHealth(parts)];
}

function reasonerHealth({ reasoner: { engine }, answers, sites }: EnginesHealthParts): ComponentHealth {
  const name = 'reasoner';
  const is = isRules(engine) ? `${engine}: ${RULES}` : `${engine} is configured.${describeAnswers(answers)}`;
  const inForce = [...sites.current().sites.values()];
  const waiting = inForce.filter(({ settings }) => whyRunsWait(engine, settings) !== undefined);
  if (waiting.length === 0) return { name, status: 'ok', detail: is };
  const names = waiting.map((site) => site.name).join(', ');
  return { name, status: 'degraded', detail: `${is} Runs wait for another one (engines in site.yaml): ${names}.` };
}

/** A change is for a person to judge: it does not degrade the health. */
function describeAnswers(answers: EnginesHealthParts['answers']): string {
  const { last, change } = answers.current();
  if (last === undefined) return '';
  const changed = change && ` It changed at ${change.at.toISOString()} from ${change.from} to ${change.to}.`;
  return ` The last answer is of ${last}.${changed ?? ''}`;
}

function speechHealth({ speech: { engine }, sites, builtinSite }: EnginesHealthParts): ComponentHealth {
  if (engine !== undefined && !isRules(engine))
    return { name: 'speech', status: 'ok', detail: `${engine} is configured.` };
  // The known recordings are enough for their own site; any other site needs a speech recognition.
  const isEnough = [...sites.current().sites.keys()].every((name) => name === builtinSite);
  const status = isEnough && sites.current().sites.size > 0 ? 'ok' : 'degraded';
  return { name: 'speech', status, detail: `Only the recordings of the site ${builtinSite} are known. ${NO_SPEECH}.` };
}
