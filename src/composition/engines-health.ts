// Who reasons and who listens here, for /readyz, and whether the sites take it: a key that was forgotten must not look like health.
import { isRules, whyRunsWait } from '../domain/site/engine-choice.ts';
import type { ComponentHealth, HealthCheck } from '../ports/health.ts';
import type { Sites } from '../ports/sites.ts';
import { SANDBOX_SITE } from '../sandbox/sandbox-site.ts';
import type { Engines } from './make-engines.ts';

export const NO_SPEECH =
  'No speech recognition is configured: set DEEPGRAM_API_KEY, or DEEPGRAM_BASE_URL for a server of your own, and start again';
const KNOWN_ONLY = 'Only the recordings of the sandbox are known.';
const RULES =
  'rules over readable knowledge, no language model, not a medical device. OPENAI_API_KEY or OPENAI_BASE_URL sets a model.';

type EnginesHealthParts = {
  readonly reasoner: Pick<Engines['reasoner'], 'engine'>;
  readonly speech: Pick<Engines['speech'], 'engine'>;
  readonly sites: Pick<Sites, 'current'>;
};

export function makeEnginesHealth(parts: EnginesHealthParts): readonly HealthCheck[] {
  return [async () => reasonerHealth(parts), async () => speechHealth(parts)];
}

function reasonerHealth({ reasoner: { engine }, sites }: EnginesHealthParts): ComponentHealth {
  const name = 'reasoner';
  const is = isRules(engine) ? `${engine}: ${RULES}` : `${engine} is configured.`;
  const inForce = [...sites.current().sites.values()];
  const waiting = inForce.filter(({ settings }) => whyRunsWait(engine, settings) !== undefined);
  if (waiting.length === 0) return { name, status: 'ok', detail: is };
  const names = waiting.map((site) => site.name).join(', ');
  return { name, status: 'degraded', detail: `${is} Runs wait for another one (engines in site.yaml): ${names}.` };
}

function speechHealth({ speech: { engine }, sites }: EnginesHealthParts): ComponentHealth {
  if (engine !== undefined && !isRules(engine))
    return { name: 'speech', status: 'ok', detail: `${engine} is configured.` };
  // In the sandbox nobody misses another one; elsewhere a key was forgotten.
  const isEnough = [...sites.current().sites.keys()].every((name) => name === SANDBOX_SITE);
  const status = isEnough && sites.current().sites.size > 0 ? 'ok' : 'degraded';
  return { name: 'speech', status, detail: `${KNOWN_ONLY} ${NO_SPEECH}.` };
}
