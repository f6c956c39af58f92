// What /ops/aside takes and answers: the quarantined deliveries, which could not be used.
import { z } from 'zod';
import { EVENT_SOURCES } from '../domain/run/run.ts';
import { type Answer, emptyAsAbsent, nextCursor, optionalLine, pageFields, timestamp } from './fields.ts';
import { optionalSite } from './ids.ts';

export const quarantineQuery = z.strictObject({ ...pageFields, site: optionalSite });

const quarantined = {
  id: z.string(),
  site: z.string(),
  source: z.enum(EVENT_SOURCES),
  outcome: z.enum(['nothing', 'not-understood', 'id-reused']),
  why: z.string().meta({ description: 'The reason in plain words, without anything from the delivery.' }),
  receivedAt: timestamp('When it was first received.'),
  repeats: z.int().min(0),
};

const exampleDelivery = {
  id: '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a78',
  site: 'mercy',
  source: 'amqp',
  outcome: 'not-understood',
  why: 'The body is not valid JSON',
  receivedAt: '2026-11-21T08:00:00.000Z',
  repeats: 0,
} as const;

export const quarantineResponse = z.object({ deliveries: z.array(z.object(quarantined)), next: nextCursor }).meta({
  id: 'AsideList',
  examples: [{ deliveries: [exampleDelivery] }],
});

export const quarantinedPath = z.object({
  id: z.uuid({ error: 'must be the id of a quarantined delivery' }).meta({ examples: [exampleDelivery.id] }),
});

export const quarantinedResponse = z
  .object({
    ...quarantined,
    contentType: z.string().optional(),
    content: z
      .string()
      .optional()
      .meta({ description: 'The bytes as text. Absent: none are stored, or they are no UTF-8.' }),
    base64: z.string().optional().meta({ description: 'The bytes in base64, if they are no UTF-8.' }),
  })
  .meta({
    id: 'AsideDelivery',
    examples: [{ ...exampleDelivery, contentType: 'application/json', content: '{"encounter": "Encounter/123"' }],
  });

const CONTENT_RULE = 'must be text of 1 to 1,048,576 characters';

export const resendBody = z
  .strictObject({
    content: emptyAsAbsent(
      z
        .string({ error: CONTENT_RULE })
        .max(1_048_576, { error: CONTENT_RULE })
        .optional()
        .meta({ description: 'The corrected message. Absent: the message as it came.' }),
    ),
    contentType: optionalLine('The content type, if another one than that of the first delivery.', 'application/json'),
  })
  .meta({ id: 'ResendOrder' });

export const resendResponse = z
  .object({
    outcome: z.enum(['accepted', 'repeated', 'nothing', 'not-understood', 'id-reused']),
    runs: z.array(z.string()),
    why: z.string().optional(),
  })
  .meta({ id: 'ResentDelivery', examples: [{ outcome: 'accepted', runs: ['0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77'] }] });

export type QuarantinedAnswer = Answer<typeof quarantinedResponse>;
export type ResendAnswer = Answer<typeof resendResponse>;
export type QuarantineAnswer = Answer<typeof quarantineResponse>;
