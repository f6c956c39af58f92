// Faults of batches that only read: refused, or answered wrongly.
import { entriesOf, type FaultHandler, type Json, readReply, refusal, withReplyJson } from './exchange.ts';
import type { FaultOf } from './faults.ts';

type Edit = (entries: readonly unknown[]) => readonly unknown[];

const FAILED = { response: { status: '500' } };
const OTHER: Json = { response: { status: '200' }, resource: { resourceType: 'Basic', id: 'other' } };

const EDITS: Readonly<Record<Exclude<FaultOf<'wrong-batches'>['how'], 'refused'>, Edit>> = {
  reordered: (entries) => entries.toReversed(),
  'entry-missing': (entries) => entries.slice(1),
  'other-types': (entries) => entries.map(() => OTHER),
  'failing-entries': (entries) => entries.map((entry, index) => (index % 2 === 1 ? FAILED : entry)),
};

export function wrongBatches({ how, status = 405 }: FaultOf<'wrong-batches'>): FaultHandler {
  return {
    isFor: ({ kind }) => kind.isReadBatch,
    handlesBatches: true,
    handle: async (request, next) => {
      if (how === 'refused') return refusal(status, { code: 'not-supported', text: 'Batches are not supported' });
      const { json, reply } = await readReply(await next(request));
      return json ? withReplyJson(reply, { ...json, entry: EDITS[how](entriesOf(json)) }) : reply;
    },
  };
}
