// The evidence of a run's note, statement by statement. All of it is patient data.
import { z } from 'zod';
import {
  CHART_LISTS,
  EFFECTS,
  POLARITIES,
  SPEAKER_ROLES,
  STATEMENT_KINDS,
  VERDICTS,
} from '../domain/note/check-report.ts';
import type { Answer } from './fields.ts';

const kind = z.enum(STATEMENT_KINDS);
const verdict = z.enum([...VERDICTS, 'unchecked']).meta({
  description:
    '`unchecked`: nothing in it can be compared. `misplaced`: it was said, but not where the model says. `conflict`: the chart says otherwise.',
});
const effect = z.enum(EFFECTS).meta({ description: 'What it does: nothing, mark the draft, or hold the note.' });

const words = z.array(
  z.object({
    utterance: z.int().min(0).meta({ description: 'Its index in the transcript.' }),
    speaker: z.int().min(0).meta({ description: 'Number of the speaker, from 0.' }),
    text: z.string(),
    startSeconds: z.number(),
    endSeconds: z.number(),
  }),
);

const chart = z.object({
  list: z.enum(CHART_LISTS),
  text: z.string().meta({ description: 'The words of the chart.' }),
  reference: z.string().optional(),
});

const statement = z.object({
  id: z.string().meta({ description: 'The same in the narratives of a Composition.' }),
  section: z.string(),
  title: z.string().meta({ description: 'The title of the section.' }),
  text: z.string(),
  kind: z.enum([...STATEMENT_KINDS, 'assessment', 'plan', 'other']),
  whose: z.enum(SPEAKER_ROLES).optional().meta({ description: 'Whose words it rests on, if that is known.' }),
  polarity: z.enum(POLARITIES),
  verdict,
  effect,
  claims: z
    .array(
      z.object({
        kind,
        text: z.string(),
        verdict,
        effect: effect.optional(),
        chart: chart.optional(),
        by: z.literal('verifier').optional().meta({ description: 'The second check has added it.' }),
      }),
    )
    .meta({ description: 'What the check has read in it.' }),
  words: words.meta({ description: 'The words of the recording on which it rests, or that contradict it.' }),
  chart: z.array(chart).meta({ description: 'The entries of the chart that support it, or contradict it.' }),
});

export const evidenceResponse = z
  .object({
    title: z.string(),
    statements: z.array(statement).meta({ description: 'In the order of the note.' }),
    missing: z
      .array(z.object({ kind, text: z.string(), utterance: z.int().min(0), words }))
      .meta({ description: 'What was said and is in no statement.' }),
    diseases: z
      .array(
        z.object({
          name: z.string(),
          reasons: z.array(
            z.object({
              text: z.string().meta({ description: 'Words of its explanation.' }),
              speaks: z.enum(['for', 'against']),
              words,
              chart: z.array(chart),
            }),
          ),
        }),
      )
      .meta({ description: 'The candidates of the differential diagnosis, with what their explanations rest on.' }),
    verifier: z
      .object({ model: z.string(), outcome: z.enum(['checked', 'failed']), unjudged: z.int().optional() })
      .optional()
      .meta({ description: 'The second check, by a model; absent if none is configured.' }),
  })
  .meta({
    id: 'RunEvidence',
    examples: [
      {
        title: 'Cough',
        statements: [
          {
            id: 'st-1',
            section: 'PLAN',
            title: 'Plan',
            text: 'Chest X-ray today.',
            kind: 'order',
            whose: 'clinician',
            polarity: 'affirmed',
            verdict: 'supported',
            effect: 'none',
            claims: [{ kind: 'order', text: 'Chest X-ray', verdict: 'supported', effect: 'none' }],
            words: [
              {
                utterance: 7,
                speaker: 0,
                text: 'Let us get an X-ray of your chest.',
                startSeconds: 41.2,
                endSeconds: 43,
              },
            ],
            chart: [],
          },
        ],
        missing: [],
        diseases: [],
      },
    ],
  });

export type EvidenceAnswer = Answer<typeof evidenceResponse>;
