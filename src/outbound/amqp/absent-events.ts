// Stands where no broker is configured: an outcome event goes nowhere, and says so in its row.
import type { Events } from '../../ports/events.ts';

export function makeAbsentEvents(): Events {
  return { publish: async () => 'no-broker' };
}
