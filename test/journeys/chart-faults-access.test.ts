// EHRs that cannot be reached, are too busy, too slow or broken, or that refuse credentials: nothing twice, nothing lost, nothing on
// another patient, with every write strategy.
import { afterAll, beforeAll } from '@jest/globals';
import type { RetryAdvice } from '../../src/sandbox/faults/faults.ts';
import {
  describeFaults,
  MET_NO_WAY,
  NO_WAY,
  NOT_MET,
  type Row,
  type RowsOf,
  WRITTEN,
} from '../support/describe-faults.ts';
import type { CellParts } from '../support/fault-matrix.ts';
import { makeLocalServers } from '../support/local-servers.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';
import { startTokenServer } from '../support/token-server.ts';

const testbed = openedForFile(openRealTestbed);
const servers = makeLocalServers();
/** The address of the EHR's tokens, known when the suite begins. */
const auth = { type: 'client-credentials' as const, clientId: 'chartwright', clientSecret: '', tokenUrl: '' };
beforeAll(async () => {
  const { tokenUrl, behaviour } = await startTokenServer(servers);
  Object.assign(auth, { tokenUrl, clientSecret: behaviour.client.secret });
});
afterAll(() => servers.close());

const WITH_TOKENS: CellParts = { hospital: { ehr: { auth } } };
const ALL_WRITTEN = [WRITTEN, WRITTEN, WRITTEN, WRITTEN, MET_NO_WAY] as const;
const WRITES_WRITTEN = [WRITTEN, WRITTEN, WRITTEN, WRITTEN, NO_WAY] as const;
const LATER = 'waiting ehrUnavailable, then written';
const ALL_LATER = [LATER, LATER, LATER, LATER, 'waiting ehrUnavailable, then parked no-way'] as const;
const NO_READING = 'failed ehrRefused, then written';
const NO_WRITING = 'parked refused, then written';
const EVERY_ADVICE = {
  seconds: 1,
  date: 1,
  garbage: 1,
  negative: 1,
  'rate-limit': 1,
  none: 1,
} as const satisfies Readonly<Record<RetryAdvice, 1>>;
const eachAdvice = (Object.keys(EVERY_ADVICE) as RetryAdvice[]).map(
  (advice): Row<'too-many-requests'> => [{ mode: 'too-many-requests', advice, times: 3 }, ALL_WRITTEN],
);
const eachStatus = ([500, 502, 503, 504] as const).map(
  (status): Row<'server-errors'> => [{ mode: 'server-errors', status, times: 3 }, ALL_WRITTEN],
);

const ROWS = {
  //                                             transaction, conditional, single creates, document only, hold
  'too-many-requests': [
    ...eachAdvice,
    [{ mode: 'too-many-requests', times: 2, on: { isWrite: true } }, WRITES_WRITTEN],
    [{ mode: 'too-many-requests', seconds: 7_200, times: 2, on: { isWrite: true } }, WRITES_WRITTEN],
    [{ mode: 'too-many-requests', seconds: 120 }, ALL_LATER],
  ],
  unauthorized: [
    [{ mode: 'unauthorized' }, [NO_READING, NO_READING, NO_READING, NO_READING, NO_WAY], WITH_TOKENS],
    [{ mode: 'unauthorized', times: 1 }, [WRITTEN, WRITTEN, WRITTEN, WRITTEN, NO_WAY], WITH_TOKENS],
    [
      { mode: 'unauthorized', on: { isWrite: true } },
      [NO_WRITING, NO_WRITING, NO_WRITING, NO_WRITING, NO_WAY],
      WITH_TOKENS,
    ],
    [
      { mode: 'unauthorized', on: { isWrite: true }, after: 2 },
      [NOT_MET, NOT_MET, NO_WRITING, NOT_MET, NO_WAY],
      WITH_TOKENS,
    ],
  ],
  'expiring-tokens': [
    // With fewer than run at once, no token would ever be valid for all of them.
    [{ mode: 'expiring-tokens', requestsPerToken: 8 }, WRITES_WRITTEN, WITH_TOKENS],
    [{ mode: 'expiring-tokens', requestsPerToken: 13 }, WRITES_WRITTEN, WITH_TOKENS],
  ],
  // Writing opens no recording.
  'ended-links': [[{ mode: 'ended-links' }, [NOT_MET, NOT_MET, NOT_MET, NOT_MET, NO_WAY]]],
  slow: [
    [{ mode: 'slow', ms: 20 }, ALL_WRITTEN],
    // Longer than the deadline: the write is stored all the same.
    [{ mode: 'slow', ms: 2_000, times: 1, on: { isWrite: true } }, WRITES_WRITTEN, { engine: { answerMs: 500 } }],
  ],
  down: [
    [{ mode: 'down', times: 3 }, ALL_WRITTEN],
    [{ mode: 'down', times: 3, on: { isWrite: true } }, WRITES_WRITTEN],
    [{ mode: 'down', times: 6, after: 2 }, WRITES_WRITTEN],
    [{ mode: 'down' }, ALL_LATER],
  ],
  'server-errors': [
    ...eachStatus,
    [{ mode: 'server-errors', status: 500, times: 2, on: { isWrite: true } }, WRITES_WRITTEN],
    [{ mode: 'server-errors', status: 503, times: 2, on: { isWrite: true } }, WRITES_WRITTEN],
    [{ mode: 'server-errors', times: 2, on: { isSearch: true } }, WRITES_WRITTEN],
    [{ mode: 'server-errors', times: 2, on: { isMetadata: true } }, ALL_WRITTEN],
    [{ mode: 'server-errors', on: { isMetadata: true } }, ALL_LATER],
    [{ mode: 'server-errors' }, ALL_LATER],
  ],
} as const satisfies RowsOf<'access'>;

describeFaults('access', ROWS, () => testbed);
