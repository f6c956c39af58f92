// POST /ops/runs/recall: retracts the results of a model, a mapping, a prompt or a period. A dry run shows them first.
import type { RequestHandler } from 'express';
import { present } from '../../../domain/present.ts';
import type { Run } from '../../../domain/run/run.ts';
import type { RecallOutcome } from '../../../flows/operations/recall-documents.ts';
import type { RecallRuns } from '../../../flows/operations/recall-runs.ts';
import { type RecallAnswer, type RecallPreviewAnswer, recallBody } from '../../../wire/recall.ts';
import { validate } from '../body/validate.ts';
import { forClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';

export function makeRecallHandler({ recallRuns }: { readonly recallRuns: RecallRuns }): RequestHandler {
  return async (req, res) => {
    const { reason = '', dryRun = false, ...by } = validate(recallBody, await readOpsBody(req, res));
    const order = { query: present(by), access: accessOf(res) };
    if (dryRun) {
      const { places, drafts } = await recallRuns.find(order);
      const found: RecallPreviewAnswer = {
        count: places.length,
        places: places.map(placeOf),
        drafts: drafts.map((run) => ({ ...draftOf(run), status: run.status })),
      };
      res.json(found);
      return;
    }
    // If the client disconnects, the recall stops between two sessions; recalling again retracts the rest.
    const { withdrawn, recalled } = await forClient(req, res, (signal) =>
      recallRuns.recall({ ...order, reason }, signal),
    );
    const answer: RecallAnswer = {
      withdrawn: withdrawn.map(({ run, status }) => ({ ...draftOf(run), status })),
      recalled: recalled.map(recalledAnswer),
    };
    res.json(answer);
  };
}

/** Names the encounter as runs do. */
function placeOf({ site, encounter, session }: RecallOutcome['place']) {
  return { site, encounter: encounter === '' ? '' : `Encounter/${encounter}`, session };
}

function draftOf({ id, site, encounter, session = '' }: Run) {
  return { id, site, encounter, session };
}

function recalledAnswer({ place, outcome }: RecallOutcome): RecallAnswer['recalled'][number] {
  return {
    ...placeOf(place),
    status: outcome.status,
    ...('message' in outcome && { message: outcome.message }),
  };
}
