// What the log and the metrics say of calls to vendors.
import { expect, it } from '@jest/globals';
import { makeWatchVendors } from '../../src/composition/watch-vendors.ts';
import { makeLogger } from '../../src/platform/logger.ts';
import { makeMetrics } from '../../src/platform/metrics.ts';

function aWatch() {
  const lines: string[] = [];
  const metrics = makeMetrics();
  const logger = makeLogger({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } });
  return { watch: makeWatchVendors({ logger, metrics }), lines, metrics };
}
const call = { vendor: 'openai', operation: 'note', durationMs: 12.4 };

it.each(['vendorUnavailable', 'vendorAnswer', 'vendorRejected'])(
  'a call that fails with %s is a warning with the class of its cause',
  (outcome) => {
    const { watch, lines } = aWatch();
    watch({ ...call, outcome, cause: 'timeout' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, msg: 'vendor call failed', ...call, durationMs: 12, code: outcome, reason: 'timeout' },
    ]);
  },
);

it.each(['success', 'cancelled', 'unsupportedMedia', 'payloadTooLarge'])(
  'a call that ends as %s is counted and not logged',
  async (outcome) => {
    const { watch, lines, metrics } = aWatch();
    watch({ ...call, outcome });
    expect(lines).toEqual([]);
    expect((await metrics.text()).body).toContain(`vendor="openai",operation="note",outcome="${outcome}"`);
  },
);
