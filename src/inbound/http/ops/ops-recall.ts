// POST /ops/runs/recall: retracts the results of a model, a mapping, a prompt or a period. A dry run shows them first.
import type { RequestHandler } from 'express';
import type { Run } from '../../../domain/run/run.ts';
import type { RecallOutcome } from '../../../flows/operations/recall-documents.ts';
import type { RecallRuns, WithdrawnRun } from '../../../flows/operations/recall-runs.ts';
import type { WrittenQuery } from '../../../ports/ledger.ts';
import { type RecallAnswer, type RecallPreviewAnswer, recallBody } from '../../../wire/recall.ts';
import { validate } from '../body/validate.ts';
import { watchClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';

export function makeRecallHandler({ recallRuns }: { readonly recallRuns: RecallRuns }): RequestHandler {
  return async (req, res) => {
    const { reason = '', dryRun = false, ...by } = validate(recallBody, await readOpsBody(req, res));
    const query: WrittenQuery = Object.fromEntries(Object.entries(by).filter(([, value]) => value !== undefined));
    if (dryRun) {
      const { places, drafts } = await recallRuns.find(query);
      const found: RecallPreviewAnswer = {
        count: places.length,
        places: places.map(placeOf),
        drafts: drafts.map((run) => ({ ...draftOf(run), status: run.status })),
      };
      res.json(found);
      return;
    }
    // If the client disconnects, the recall stops between two sessions; recalling again retracts the rest.
    const client = watchClient(req, res);
    try {
      const { withdrawn, recalled } = await recallRuns.recall({ query, reason }, client.signal);
      const answer: RecallAnswer = {
        withdrawn: withdrawn.map(withdrawnAnswer),
        recalled: recalled.map(recalledAnswer),
      };
      res.json(answer);
    } finally {
      client.stop();
    }
  };
}

/** Names the encounter as runs do. */
function placeOf({ site, encounter, session }: RecallOutcome['place']) {
  return { site, encounter: encounter === '' ? '' : `Encounter/${encounter}`, session };
}

function draftOf({ id, site, encounter, session = '' }: Run) {
  return { id, site, encounter, session };
}

function withdrawnAnswer({ run, status }: WithdrawnRun): RecallAnswer['withdrawn'][number] {
  return { ...draftOf(run), status };
}

function recalledAnswer({ place, outcome }: RecallOutcome): RecallAnswer['recalled'][number] {
  return {
    ...placeOf(place),
    status: outcome.status,
    ...('message' in outcome && { message: outcome.message }),
  };
}
