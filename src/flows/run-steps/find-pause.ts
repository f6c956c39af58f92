// Finds a pause that stops a run before its next step. An operator can pause a site, or some of the steps.
import type { StepName } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import { mayVerify } from '../../domain/site/engine-choice.ts';
import type { Pause, Pauses } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { Verifier } from '../../ports/verifier.ts';

const MODEL_STEPS: ReadonlySet<StepName> = new Set<StepName>(['transcribe', 'write-note', 'diagnose']);
/** Resuming the site makes the run due at once; this is a fallback. */
const PAUSED_FOR_MS = 300_000;

type PauseParts = {
  readonly pauses: Pick<Pauses, 'current'>;
  readonly runtime: Pick<Runtime, 'now'>;
  /** Absent: there is no second check, so that step check asks no model. */
  readonly verifier?: Pick<Verifier, 'engine'> | undefined;
};

/** Undefined if the step may begin. */
export async function findPause(
  { pauses, runtime, verifier }: PauseParts,
  site: LoadedSite,
  name: StepName,
): Promise<RunEnd | undefined> {
  const isSecondCheck = name === 'check' && verifier !== undefined && mayVerify(site.settings.engines);
  const asksModel = MODEL_STEPS.has(name) || isSecondCheck;
  const stops = ({ what }: Pause) =>
    what === 'all' || (what === 'model' && asksModel) || (what === 'write' && name === 'write-chart');
  const pause = (await pauses.current()).find((one) => one.site === site.name && stops(one));
  if (pause === undefined) return undefined;
  return {
    status: 'waiting',
    reason: 'paused',
    message: `${site.name} is paused (${pause.what}): ${pause.reason}`,
    advice: `To go on: npm run cli -- sites resume ${site.name}`,
    until: new Date(runtime.now().getTime() + PAUSED_FOR_MS),
    countsAsTry: false,
  };
}
