// The promises about runs: the cost of an event, how near a slow model is kept to its capacity, and a start with a hundred thousand waiting
// events.
import type { Figure } from './figures.ts';
import { withRunTestbed } from './run-testbed.ts';
import { measureDrain } from './runs-drain.ts';
import { measureModel } from './runs-model.ts';
import { measureWaiting } from './runs-waiting.ts';

export async function measureRuns(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const measure of [measureDrain, measureModel, measureWaiting]) figures.push(...(await withRunTestbed(measure)));
  return figures;
}
