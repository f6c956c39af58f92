// Maps each fault mode to its handler.

import {
  down,
  endedLinks,
  expiringTokens,
  lostAnswer,
  serverErrors,
  slow,
  tooManyRequests,
  unauthorized,
} from './answer-faults.ts';
import { wrongBatches } from './batch-faults.ts';
import { cancelledEncounter, deletedPatient, editedInBetween, mergedPatient, movedEncounter } from './chart-changes.ts';
import { conditionalRace, disturbed, entryLimit, noConditionalCreate } from './condition-faults.ts';
import type { FaultHandler, FaultTools } from './exchange.ts';
import type { Fault, FaultMode, FaultOf } from './faults.ts';
import { draftsRefused, noVersions, typesRefused, updateAsCreateRefused } from './feature-faults.ts';
import { foreignResults, identifierSearch, searchLag } from './search-faults.ts';
import { noTransactions, stopsMidway, transactionAsBatch } from './transaction-faults.ts';
import { ifMatchIgnored, updateConflict } from './update-faults.ts';
import { epicLike, oracleLike } from './vendor-limits.ts';

const HANDLERS: { readonly [Mode in FaultMode]: (fault: FaultOf<Mode>, tools: FaultTools) => FaultHandler } = {
  'entry-limit': entryLimit,
  disturbed,
  'transaction-as-batch': transactionAsBatch,
  'stops-midway': stopsMidway,
  'no-transactions': noTransactions,
  'wrong-batches': wrongBatches,
  'no-conditional-create': noConditionalCreate,
  'conditional-race': conditionalRace,
  'search-lag': searchLag,
  'lost-answer': lostAnswer,
  'too-many-requests': tooManyRequests,
  unauthorized,
  'expiring-tokens': expiringTokens,
  'ended-links': endedLinks,
  'update-conflict': updateConflict,
  'if-match-ignored': ifMatchIgnored,
  'edited-in-between': editedInBetween,
  'merged-patient': mergedPatient,
  'moved-encounter': movedEncounter,
  'cancelled-encounter': cancelledEncounter,
  'deleted-patient': deletedPatient,
  'update-as-create-refused': updateAsCreateRefused,
  'identifier-search': identifierSearch,
  'foreign-results': foreignResults,
  'types-refused': typesRefused,
  'drafts-refused': draftsRefused,
  'no-versions': noVersions,
  slow,
  down,
  'server-errors': serverErrors,
  'epic-like': epicLike,
  'oracle-like': oracleLike,
};

export function makeHandler<Mode extends FaultMode>(fault: Extract<Fault, { mode: Mode }>, tools: FaultTools) {
  const make = HANDLERS[fault.mode] as (fault: Fault, tools: FaultTools) => FaultHandler;
  return make(fault, tools);
}
