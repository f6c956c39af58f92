// POST /ops/sites/{site}/explain: why an encounter has no note.
import type { RequestHandler } from 'express';
import { present } from '../../../domain/present.ts';
import type { ExplainEncounter, Explanation } from '../../../flows/operations/explain-encounter.ts';
import { type ExplainAnswer, explainBody } from '../../../wire/explain.ts';
import { validate } from '../body/validate.ts';
import { forClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';

type ExplainParts = { readonly explainEncounter: ExplainEncounter };

export function makeExplainHandler({ explainEncounter }: ExplainParts): RequestHandler {
  return async (req, res) => {
    const { of } = validate(explainBody, await readOpsBody(req, res));
    const order = { site: String(req.params['site']), of };
    res.json(explainAnswer(await forClient(req, res, (signal) => explainEncounter(order, signal))));
  };
}

function explainAnswer({ sentence, next, details }: Explanation): ExplainAnswer {
  if (details === undefined) return { sentence, next };
  return { sentence, next, details: present({ ...details, lastEventAt: details.lastEventAt?.toISOString() }) };
}
