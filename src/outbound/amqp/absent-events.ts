// Used if no broker is configured: an outcome event is not sent, and its row records that.
import type { Events } from '../../ports/events.ts';

export function makeAbsentEvents(): Events {
  return { publish: async () => 'no-broker' };
}
