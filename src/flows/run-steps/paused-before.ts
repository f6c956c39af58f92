// Somebody paused the site, or part of what its runs do: they stop before the next step, and wait.
import type { StepName } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import type { Pause, Pauses } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';

const MODEL_STEPS: ReadonlySet<StepName> = new Set<StepName>(['transcribe', 'write-note', 'diagnose']);
/** Whoever resumes wakes it; this is for the case that nobody could. */
const PAUSED_FOR_MS = 300_000;

type PauseParts = { readonly pauses: Pick<Pauses, 'current'>; readonly runtime: Pick<Runtime, 'now'> };

/** Undefined: it goes on. */
export async function pausedBefore(
  { pauses, runtime }: PauseParts,
  site: LoadedSite,
  name: StepName,
): Promise<RunEnd | undefined> {
  const stops = ({ what }: Pause) =>
    what === 'all' || (what === 'model' && MODEL_STEPS.has(name)) || (what === 'write' && name === 'write-chart');
  const pause = (await pauses.current()).find((one) => one.site === site.name && stops(one));
  if (pause === undefined) return undefined;
  return {
    status: 'waiting',
    reason: 'paused',
    message: `${site.name} is paused (${pause.what}): ${pause.reason}`,
    advice: `It goes on with: npm run cli -- sites resume ${site.name}`,
    until: new Date(runtime.now().getTime() + PAUSED_FOR_MS),
    countsAsTry: false,
  };
}
