// GET /ops/aside: quarantined deliveries with the reason, without their content.
import type { RequestHandler } from 'express';
import { present } from '../../../domain/present.ts';
import type { ListQuarantined } from '../../../flows/operations/list-quarantined.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import { type QuarantineAnswer, quarantineQuery } from '../../../wire/quarantine.ts';
import { validate } from '../body/validate.ts';

type QuarantineParts = { readonly listQuarantined: ListQuarantined };

export function makeQuarantineHandler({ listQuarantined }: QuarantineParts): RequestHandler {
  return async (req, res) => {
    const { limit = PAGE_SIZE.defaultLimit, ...filters } = validate(quarantineQuery, { ...req.query });
    const { deliveries, next } = await listQuarantined({ limit, ...present(filters) });
    // Copied field by field, so that no further field of the store is sent.
    const answer: QuarantineAnswer = present({
      deliveries: deliveries.map(({ id, site, source, outcome, why, receivedAt, repeats }) => ({
        id,
        site,
        source,
        outcome,
        why,
        receivedAt: receivedAt.toISOString(),
        repeats,
      })),
      next,
    });
    res.json(answer);
  };
}
