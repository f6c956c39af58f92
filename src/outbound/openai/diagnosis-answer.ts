// What the model is asked for as a diagnosis, and the check of what it gave. Probabilities are passed on unchanged; an
// answer that breaks the form is never repaired. What is doubtful in an answer of this form is found elsewhere
// (domain/diagnosis/repair-diagnosis.ts).
import { z } from 'zod';
import {
  CATEGORIES,
  type Diagnosis,
  type Disease,
  ICD10_PATTERN,
  TRIAGE_LEVELS,
} from '../../domain/diagnosis/diagnosis.ts';
import { type AnswerSchema, enumeration, listOf, nullable, record, text } from './answer-schema.ts';
import { BrokenAnswer } from './broken-answer.ts';
import { isWebAddress } from './partial-diagnosis.ts';

const careSchema = record({
  name: text('An evidence-based intervention'),
  url: nullable(text('Where it is described, only if you are sure that the address exists; else null')),
});
const drugSchema = record({
  name: text('The generic name'),
  class: text('The class of the medication'),
  dosage: text('The usual dosage in general, not for this patient'),
  considerations: text('What to watch for: interactions, contraindications, monitoring'),
  first_line: { type: 'boolean' },
});
const diseaseSchema = record({
  name: text('The name of the disease'),
  icd10_code: text('The code of this very disease in the named edition of ICD, upper case with the dot, e.g. J18.9'),
  probability: { type: 'number', description: 'That it is the cause, from 0.00 to 1.00; all together at most 1.00' },
  category: enumeration(CATEGORIES),
  why: text('What in the given data speaks for it, and what against'),
  diagnostic_tests: listOf(text('One test that would confirm or exclude it')),
  standard_care: listOf(careSchema),
  drugs: nullable(listOf(drugSchema)),
});

// The order is that in which the answer is said: what a reader needs first comes first.
export const DIAGNOSIS_SCHEMA: AnswerSchema = record({
  diagnosis: record({ diseases: listOf(diseaseSchema) }),
  triage: record({
    triage_level: enumeration(TRIAGE_LEVELS),
    triage_justification: text('Why this level'),
    triage_recommendation: text('What to do next'),
  }),
});

const MAX_DISEASES = 100;

const name = z.string().regex(/\S/);
const answer = z.object({
  diagnosis: z.object({
    diseases: z
      .array(
        z.object({
          name,
          icd10_code: z.string().regex(ICD10_PATTERN),
          probability: z.number().min(0).max(1),
          category: z.enum(CATEGORIES),
          why: z.string(),
          diagnostic_tests: z.array(z.string()),
          standard_care: z.array(z.object({ name, url: z.string().nullish() })),
          drugs: z
            .array(
              z.object({
                name,
                class: z.string(),
                dosage: z.string(),
                considerations: z.string(),
                first_line: z.boolean(),
              }),
            )
            .nullish(),
        }),
      )
      // A model that repeats itself without end is broken: no list for a clinician is that long.
      .max(MAX_DISEASES),
  }),
  triage: z.object({
    triage_level: z.enum(TRIAGE_LEVELS),
    triage_justification: z.string(),
    triage_recommendation: z.string(),
  }),
});
type AnswerDisease = z.infer<typeof answer>['diagnosis']['diseases'][number];

/** Throws a BrokenAnswer. Unknown fields are dropped; a link that is no web address is left out. */
export function readDiagnosis(value: unknown): Diagnosis {
  const { data, error } = answer.safeParse(value);
  if (error) throw new BrokenAnswer(`the diagnosis breaks its form at ${brokenPlace(error)}`);
  return { diagnosis: { diseases: data.diagnosis.diseases.map(toDisease) }, triage: data.triage };
}

function toDisease({ standard_care, drugs, ...disease }: AnswerDisease): Disease {
  return {
    ...disease,
    standard_care: standard_care.map((care) => ({
      name: care.name,
      ...(typeof care.url === 'string' && isWebAddress(care.url) && { url: care.url }),
    })),
    ...(drugs && { drugs }),
  };
}

/** Field names and positions only: nothing that the model said. */
function brokenPlace(error: z.ZodError): string {
  return error.issues[0]?.path.join('.') || 'its root';
}
