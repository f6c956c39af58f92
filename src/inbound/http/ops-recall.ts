// Taking back what was written by a model, a mapping or in a time, over HTTP: first shown, then done.
import type { RequestHandler } from 'express';
import type { RecallRuns } from '../../flows/operating/recall-runs.ts';
import type { Recalled } from '../../flows/recall-documents.ts';
import type { WrittenQuery } from '../../ports/ledger.ts';
import { watchClient } from './client-signal.ts';
import { readOpsBody } from './ops-body.ts';
import type { RecallAnswer } from './ops-run-answers.ts';
import { recallBody } from './ops-run-schemas.ts';
import { validate } from './schemas.ts';

export function makeRecallHandler({ recallRuns }: { readonly recallRuns: RecallRuns }): RequestHandler {
  return async (req, res) => {
    const { reason = '', dryRun = false, ...by } = validate(recallBody, await readOpsBody(req, res));
    const query: WrittenQuery = Object.fromEntries(Object.entries(by).filter(([, value]) => value !== undefined));
    if (dryRun) {
      const places = await recallRuns.find(query);
      res.json({ count: places.length, places: places.map(placeOf) });
      return;
    }
    // Whoever leaves ends it, between one session and the next: recalling again takes back the rest.
    const client = watchClient(req, res);
    try {
      const recalled = await recallRuns.recall({ query, reason }, client.signal);
      const answer: RecallAnswer = { recalled: recalled.map(recalledAnswer) };
      res.json(answer);
    } finally {
      client.stop();
    }
  };
}

/** As the runs name it. */
function placeOf({ site, encounter, session }: Recalled['place']) {
  return { site, encounter: encounter === '' ? '' : `Encounter/${encounter}`, session };
}

function recalledAnswer({ place, outcome }: Recalled): RecallAnswer['recalled'][number] {
  return {
    ...placeOf(place),
    status: outcome.status,
    ...('message' in outcome && { message: outcome.message }),
  };
}
