// What /ops/master-key answers.
import { z } from 'zod';
import { type Answer, timestamp } from './fields.ts';

export const masterKeyResponse = z
  .object({
    replacedAt: timestamp('When the master key was last replaced; absent if it never was.').optional(),
    values: z.int().min(0).optional().meta({ description: 'How many values were stored when it was replaced.' }),
    sealed: z.int().min(0).optional().meta({ description: 'How many of them are sealed anew.' }),
    endedAt: timestamp('When all values were sealed anew; absent before.').optional(),
    remains: z.string().optional().meta({ description: 'What the operator has to do, in a sentence.' }),
  })
  .meta({
    id: 'MasterKey',
    examples: [{ replacedAt: '2026-11-21T08:00:00.000Z', values: 5000, sealed: 1200 }],
  });

export type MasterKeyAnswer = Answer<typeof masterKeyResponse>;
