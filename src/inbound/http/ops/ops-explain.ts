// POST /ops/sites/{site}/explain: why an encounter has no note.
import type { RequestHandler } from 'express';
import type { ExplainEncounter, Explanation } from '../../../flows/operations/explain-encounter.ts';
import { type ExplainAnswer, explainBody } from '../../../wire/explain.ts';
import { validate } from '../body/validate.ts';
import { watchClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';

export function makeExplainHandler({
  explainEncounter,
}: {
  readonly explainEncounter: ExplainEncounter;
}): RequestHandler {
  return async (req, res) => {
    const { of } = validate(explainBody, await readOpsBody(req, res));
    const client = watchClient(req, res);
    try {
      const explanation = await explainEncounter({ site: String(req.params['site']), of }, client.signal);
      res.json(explainAnswer(explanation));
    } finally {
      client.stop();
    }
  };
}

function explainAnswer({ sentence, next, details }: Explanation): ExplainAnswer {
  if (details === undefined) return { sentence, next };
  const { lastEventAt, ...rest } = details;
  return {
    sentence,
    next,
    details: {
      ...rest,
      ...(lastEventAt !== undefined && { lastEventAt: lastEventAt.toISOString() }),
    },
  };
}
