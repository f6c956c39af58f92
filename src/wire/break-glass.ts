// What POST /ops/runs/{id}/break-glass and GET /ops/break-glass take and answer.
import { z } from 'zod';
import { type Answer, nextCursor, pageFields, timestamp } from './fields.ts';
import { runId } from './ids.ts';
import { reasonText } from './review.ts';

export const breakGlassBody = z
  .strictObject({
    reason: reasonText.meta({
      description: 'Why the chart must be seen. It is stored encrypted, and shown to the auditors of the site.',
    }),
  })
  .meta({ id: 'BreakGlassOrder' });

export const openingsQuery = z.strictObject(pageFields);

const facts = {
  id: z.string().meta({ description: 'Id of the opening, which the audit trail has as `opening`.' }),
  run: runId,
  site: z.string(),
  actor: z.string().meta({ description: 'Who opened it, as in the audit trail.' }),
  openedAt: timestamp('Time of the opening.'),
  endsAt: timestamp('The chart is closed again then.'),
};
const example = {
  id: '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a79',
  run: '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77',
  site: 'mercy',
  actor: 'person/5f0c2a9b7d3e4816',
  openedAt: '2026-11-21T08:00:00.000Z',
  endsAt: '2026-11-21T09:00:00.000Z',
};

export const openingResponse = z
  .object({
    ...facts,
    isPrivacyTold: z.boolean().meta({ description: 'False if the site has no privacy address (privacy.to).' }),
  })
  .meta({ id: 'OpenedChart', examples: [{ ...example, isPrivacyTold: true }] });

export const openingListResponse = z
  .object({
    openings: z.array(z.object({ ...facts, reason: z.string() })).meta({ description: 'Newest first.' }),
    next: nextCursor,
  })
  .meta({ id: 'OpenedCharts', examples: [{ openings: [{ ...example, reason: 'Consult on the ward.' }] }] });

export type OpeningAnswer = Answer<typeof openingResponse>;
export type OpeningListAnswer = Answer<typeof openingListResponse>;
