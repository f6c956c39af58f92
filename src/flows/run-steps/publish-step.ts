// Step publish: ends the run as written, with the references of its documents. The outcome event is made of this end and stored in the same
// transaction, so neither exists without the other; the relay sends it to the broker afterwards.
import type { Step } from './step-work.ts';

export function makePublishStep(): Step<'publish'> {
  return async ({ results }) => {
    const { resources = [], left = [], ...merged } = results['write-chart'] ?? {};
    return { result: {}, end: { status: 'written', resources, left, ...merged } };
  };
}
