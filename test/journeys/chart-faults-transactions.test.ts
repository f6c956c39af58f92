import { describeFaults, NO_WAY, NOT_MET, type RowsOf, WRITTEN } from '../support/describe-faults.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

const UNTOUCHED = [NOT_MET, NOT_MET, NOT_MET, NOT_MET, NO_WAY] as const;
/** A write test had proven its transactions: what was tried counts more than what it states, until it is seen to be different. */
const ONLY_PROVEN = [WRITTEN, NOT_MET, NOT_MET, NOT_MET, NO_WAY] as const;
const IN_TRANSACTIONS = [WRITTEN, WRITTEN, NOT_MET, NOT_MET, NO_WAY] as const;
const IN_CONDITIONS = [NOT_MET, WRITTEN, NOT_MET, NOT_MET, NO_WAY] as const;
/** Stored resources stay, a person looks at the refused ones, and a replay completes the rest. */
const HALF = 'parked refused, then written';
const LATER = 'waiting ehrUncertain, then written';

const ROWS = {
  //                                            transaction, conditional, single creates, document only, hold
  'entry-limit': [
    [{ mode: 'entry-limit' }, UNTOUCHED],
    [{ mode: 'entry-limit', maxEntries: 4 }, IN_CONDITIONS],
  ],
  disturbed: [
    [{ mode: 'disturbed', times: 1 }, IN_CONDITIONS],
    [{ mode: 'disturbed', status: 409, times: 2 }, IN_CONDITIONS],
    [{ mode: 'disturbed', times: 30 }, [NOT_MET, WRITTEN, NOT_MET, NOT_MET, NO_WAY]],
  ],
  'transaction-as-batch': [
    [{ mode: 'transaction-as-batch' }, IN_TRANSACTIONS],
    [{ mode: 'transaction-as-batch', says: 'transaction-response' }, IN_TRANSACTIONS],
    [{ mode: 'transaction-as-batch', isAnnounced: true }, ONLY_PROVEN],
  ],
  'stops-midway': [
    [{ mode: 'stops-midway' }, [HALF, HALF, NOT_MET, NOT_MET, NO_WAY]],
    [{ mode: 'stops-midway', says: 'transaction-response' }, [HALF, HALF, NOT_MET, NOT_MET, NO_WAY]],
    [{ mode: 'stops-midway', stored: 0 }, IN_TRANSACTIONS],
    [{ mode: 'stops-midway', status: 409 }, IN_TRANSACTIONS],
    [{ mode: 'stops-midway', status: 500 }, [WRITTEN, LATER, NOT_MET, NOT_MET, NO_WAY]],
  ],
  'no-transactions': [
    [{ mode: 'no-transactions', status: 400 }, IN_TRANSACTIONS],
    [{ mode: 'no-transactions', status: 404 }, IN_TRANSACTIONS],
    [{ mode: 'no-transactions', status: 405 }, IN_TRANSACTIONS],
    [{ mode: 'no-transactions', status: 422 }, IN_TRANSACTIONS],
    [{ mode: 'no-transactions', status: 501 }, IN_TRANSACTIONS],
    [{ mode: 'no-transactions', isAnnounced: true }, ONLY_PROVEN],
  ],
  'no-conditional-create': [
    [{ mode: 'no-conditional-create', how: 'ignored' }, IN_CONDITIONS],
    [{ mode: 'no-conditional-create', how: 400 }, IN_CONDITIONS],
    [{ mode: 'no-conditional-create', how: 412 }, IN_CONDITIONS],
    [{ mode: 'no-conditional-create', how: 501 }, IN_CONDITIONS],
    [{ mode: 'no-conditional-create', isAnnounced: true }, IN_CONDITIONS],
  ],
  'conditional-race': [[{ mode: 'conditional-race' }, IN_CONDITIONS]],
} as const satisfies RowsOf<'transactions'>;

describeFaults('transactions', ROWS, () => testbed);
