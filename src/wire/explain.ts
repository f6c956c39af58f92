// What /ops/sites/{site}/explain takes and answers.
import { z } from 'zod';
import { type Answer, required, timestamp } from './fields.ts';
import { PAUSES } from './pauses.ts';
import { runIdField, runStatus } from './run.ts';

const OF_RULE = 'must be an encounter, a visit number or a patient’s record number';
export const explainBody = z
  .strictObject({
    of: z
      .string({ error: required(OF_RULE) })
      .trim()
      .min(1, { error: OF_RULE })
      .max(200, { error: OF_RULE })
      // Not as a pattern of the document: checkers of OpenAPI read `\p` without the flag that it needs.
      .refine((value) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value), { error: OF_RULE })
      .meta({
        description: 'Id of an encounter (also as `Encounter/id`), a visit number, or the record number of a patient.',
        examples: ['Encounter/123'],
      }),
  })
  .meta({ id: 'ExplainOrder' });

export const explainResponse = z
  .object({
    sentence: z.string(),
    next: z.string().meta({ description: 'What to do next.' }),
    details: z
      .object({
        encounter: z.string().optional(),
        patient: z.string().optional(),
        encounterStatus: z.string().optional(),
        run: z.string().optional().meta({ description: 'The run that the sentence is about.' }),
        runs: z.array(
          z.object({
            id: runIdField,
            status: runStatus,
            reason: z.string().optional(),
            session: z.string().optional(),
          }),
        ),
        otherEncounters: z.int().min(0).optional(),
        paused: z.array(z.enum(PAUSES)),
        alarms: z.array(z.string()),
        lastEventAt: timestamp('When the last event of this site was received.').optional(),
      })
      .optional(),
  })
  .meta({
    id: 'Explanation',
    examples: [
      {
        sentence: 'The chart has no recording of Encounter/123 that can be used.',
        next: 'See that it is saved to this encounter, as a DocumentReference or Media with audio in it.',
        details: { encounter: 'Encounter/123', runs: [], paused: [], alarms: [] },
      },
    ],
  });

export type ExplainAnswer = Answer<typeof explainResponse>;
