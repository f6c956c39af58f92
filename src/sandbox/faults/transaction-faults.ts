// Faults of transactions: treated as a batch, stopped midway, or refused.
import {
  entriesOf,
  type FaultHandler,
  type FaultRequest,
  type Json,
  outcomeOf,
  type Reply,
  readReply,
  refusal,
  withJson,
  withReplyJson,
} from './exchange.ts';
import type { FaultOf } from './faults.ts';
import { withoutSystemInteraction } from './statement-edits.ts';

const isTransaction = ({ kind }: FaultRequest) => kind.isTransaction;

export function transactionAsBatch(fault: FaultOf<'transaction-as-batch'>): FaultHandler {
  const { says = 'batch-response', isAnnounced = false } = fault;
  return {
    isFor: isTransaction,
    handle: async (request, next) => saying(await next(withJson(request, { ...request.json, type: 'batch' })), says),
    ...(isAnnounced && { editStatement: withoutSystemInteraction('transaction') }),
  };
}

export function stopsMidway(fault: FaultOf<'stops-midway'>): FaultHandler {
  const { stored = 3, status = 422, says = 'batch-response' } = fault;
  const outcome = outcomeOf({ code: 'processing', text: 'Processing stopped before this entry' });
  const unstored = { response: { status: String(status), outcome } };
  return {
    isFor: isTransaction,
    handle: async (request, next) => {
      const entries = entriesOf(request.json);
      const part = { ...request.json, type: 'batch', entry: entries.slice(0, stored) };
      return saying(await next(withJson(request, part)), says, (answered) => [
        ...answered,
        ...entries.slice(stored).map(() => unstored),
      ]);
    },
  };
}

export function noTransactions({ status = 400, isAnnounced = false }: FaultOf<'no-transactions'>): FaultHandler {
  return {
    isFor: isTransaction,
    handle: async () => refusal(status, { code: 'not-supported', text: 'Transactions are not supported' }),
    ...(isAnnounced && { editStatement: withoutSystemInteraction('transaction') }),
  };
}

async function saying(
  reply: Reply,
  type: string,
  edit: (entries: readonly unknown[]) => readonly unknown[] = (entries) => entries,
): Promise<Reply> {
  const { json, reply: whole } = await readReply(reply);
  if (json?.['resourceType'] !== 'Bundle') return whole;
  return withReplyJson(whole, { ...json, type, entry: edit(entriesOf(json)) } satisfies Json);
}
