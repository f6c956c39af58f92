// What came and could not be used, over HTTP: with its reason, never with its bytes.
import type { RequestHandler } from 'express';
import type { ListAside } from '../../../flows/operations/list-aside.ts';
import { validate } from '../api/schemas.ts';
import { type AsideAnswer, asideQuery } from './ops-audit-schemas.ts';
import { KEY_PAGE } from './ops-schemas.ts';

export function makeAsideHandler({ listAside }: { readonly listAside: ListAside }): RequestHandler {
  return async (req, res) => {
    const { limit = KEY_PAGE.defaultLimit, site, cursor } = validate(asideQuery, { ...req.query });
    const { deliveries, next } = await listAside({
      limit,
      ...(site !== undefined && { site }),
      ...(cursor !== undefined && { cursor }),
    });
    // Field by field: what a store puts beside them does not get out.
    const answer: AsideAnswer = {
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
