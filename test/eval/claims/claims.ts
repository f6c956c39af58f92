// The talks whose sentences are judged one by one: see README.md in this folder for what the lists mean.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { LANGUAGES, type Language } from '../../../src/domain/language.ts';

export const CLAIM_KINDS = [
  'symptom',
  'past-history',
  'family-history',
  'social-history',
  'allergy',
  'drug',
  'dose',
  'frequency',
  'drug-change',
  'measure',
  'result',
  'side',
  'procedure',
  'order',
  'follow-up',
  'consent',
  'pregnancy',
  'resuscitation',
  'disposition',
  'self-harm',
] as const;
export const CHANGES = ['affirmed', 'denied', 'changed', 'moved'] as const;
/** `late`: written after the check by authors who know nothing of it, and looked at once it had been measured. */
export const CLAIM_SETS = ['seen', 'late', 'sealed'] as const;
export type ClaimSet = (typeof CLAIM_SETS)[number];

const kind = z.enum(CLAIM_KINDS);
const who = z.enum(['clinician', 'patient', 'relative']);
const sentence = {
  section: z.enum(['history', 'examination', 'assessment', 'plan']),
  text: z.string().min(1),
  cites: z.array(z.int().positive()),
  kind,
};
const chartList = z.enum(['allergies', 'drugs', 'problems', 'sex', 'birthDate']);

const talkFile = z.strictObject({
  title: z.string().min(1),
  chart: z.strictObject({
    sex: z.enum(['female', 'male']),
    birthDate: z.iso.date(),
    allergies: z.array(z.string()),
    drugs: z.array(z.string()),
    problems: z.array(z.string()),
  }),
  talk: z.array(z.strictObject({ at: z.number().nonnegative(), who, said: z.string().min(1) })),
  faithful: z.array(
    z.strictObject({
      ...sentence,
      polarity: z.enum(['affirmed', 'denied', 'uncertain']),
      whose: who,
      chart: chartList.optional(),
    }),
  ),
  inventions: z.array(
    z.strictObject({
      ...sentence,
      change: z.enum(CHANGES),
      expected: z.enum(['unsupported', 'contradicted', 'misplaced']),
    }),
  ),
  omissions: z.array(z.strictObject({ kind, said: z.int().positive(), text: z.string().min(1) })),
  conflicts: z.array(z.strictObject({ ...sentence, with: chartList })),
});

export type ClaimTalk = z.output<typeof talkFile> & { readonly id: string; readonly language: Language };

export function readClaimTalks(set: ClaimSet): readonly ClaimTalk[] {
  return LANGUAGES.flatMap((language) => {
    const folder = path.join(import.meta.dirname, set, language);
    return readdirSync(folder)
      .toSorted()
      .map((file) => {
        const id = `${language}-${path.basename(file, '.yaml')}`;
        return { id, language, ...talkFile.parse(parse(readFileSync(path.join(folder, file), 'utf8'))) };
      });
  });
}
