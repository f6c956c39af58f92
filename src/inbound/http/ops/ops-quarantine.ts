// GET /ops/aside: quarantined deliveries with the reason, without their content.
import type { RequestHandler } from 'express';
import type { ListQuarantined } from '../../../flows/operations/list-quarantined.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import { type QuarantineAnswer, quarantineQuery } from '../../../wire/quarantine.ts';
import { validate } from '../body/validate.ts';

export function makeQuarantineHandler({
  listQuarantined,
}: {
  readonly listQuarantined: ListQuarantined;
}): RequestHandler {
  return async (req, res) => {
    const { limit = PAGE_SIZE.defaultLimit, site, cursor } = validate(quarantineQuery, { ...req.query });
    const { deliveries, next } = await listQuarantined({
      limit,
      ...(site !== undefined && { site }),
      ...(cursor !== undefined && { cursor }),
    });
    // Copied field by field, so that no further field of the store is sent.
    const answer: QuarantineAnswer = {
      deliveries: deliveries.map(({ id, site: of, source, outcome, why, receivedAt, repeats }) => ({
        id,
        site: of,
        source,
        outcome,
        why,
        receivedAt: receivedAt.toISOString(),
        repeats,
      })),
      ...(next !== undefined && { next }),
    };
    res.json(answer);
  };
}
