// What /ops/aside takes and answers: the quarantined deliveries, which could not be used.
import { z } from 'zod';
import { EVENT_SOURCES } from '../domain/run/run.ts';
import { type Answer, nextCursor, pageFields, timestamp } from './fields.ts';
import { optionalSite } from './ids.ts';

export const quarantineQuery = z.strictObject({ ...pageFields, site: optionalSite });

export const quarantineResponse = z
  .object({
    deliveries: z.array(
      z.object({
        id: z.string(),
        site: z.string(),
        source: z.enum(EVENT_SOURCES),
        outcome: z.enum(['nothing', 'not-understood', 'id-reused']),
        why: z.string().meta({ description: 'The reason in plain words, without anything from the delivery.' }),
        receivedAt: timestamp('When it was first received.'),
        repeats: z.int().min(0),
      }),
    ),
    next: nextCursor,
  })
  .meta({
    id: 'AsideList',
    examples: [
      {
        deliveries: [
          {
            id: '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a78',
            site: 'mercy',
            source: 'amqp',
            outcome: 'not-understood',
            why: 'The body is not valid JSON',
            receivedAt: '2026-11-21T08:00:00.000Z',
            repeats: 0,
          },
        ],
      },
    ],
  });

export type QuarantineAnswer = Answer<typeof quarantineResponse>;
