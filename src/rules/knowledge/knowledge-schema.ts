// The schemas of the knowledge files, as FORMAT.md describes them. References between files are checked in check-references.ts.
import { z } from 'zod';
import { problemOf } from '../../clinical-text/phrases/phrase-notation.ts';
import { ICD10_PATTERN } from '../../domain/diagnosis/diagnosis.ts';
import { inLanguages, listed, phrase, text } from './schema-parts.ts';

export const VALUE_NAMES = [
  /** °C */
  'temperature',
  'heart-rate',
  'respiratory-rate',
  'systolic',
  'diastolic',
  /** Percent. */
  'oxygen-saturation',
  /** mg/dL */
  'glucose',
  /** Glasgow, 3 to 15. */
  'coma-scale',
  'pain-scale',
  /** Weeks. */
  'gestation',
  /** Years. */
  'age',
  /** The longest duration that the text states for a complaint, in days. */
  'symptom-days',
] as const;
const FINDING_KINDS = [
  'complaint',
  'sign',
  /** A fact about the patient: history, risk, drug, pregnancy. */
  'circumstance',
  /** A known diagnosis. It counts as present even if the text places it in the past. */
  'condition',
] as const;

const HEAVIEST = 5;
/** Limit of the weights of people: "only women" is written as -8 for men. */
const RULES_OUT = 10;

const words = inLanguages(text);
const id = z.string('is an id').regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'is an id: lower-case-with-dashes');
const weight = z.number('is a number').min(-HEAVIEST, 'is under -5').max(HEAVIEST, 'is over 5');
const peopleWeight = z.number('is a number').min(-RULES_OUT, 'is under -10').max(HEAVIEST, 'is over 5');
const ids = z.array(id);

/** Ages in years: "12-", "0-0.25". */
const ages = z
  .string('is a text, as in "12-" or "0-0.25"')
  .regex(/^\d+(\.\d+)?-(\d+(\.\d+)?)?$/, 'is two ages, as in "12-" or "0-0.25"')
  .transform((range) => {
    const [from = '', to = ''] = range.split('-');
    return { from: Number(from), to: to === '' ? Number.POSITIVE_INFINITY : Number(to) };
  })
  .refine(({ from, to }) => from <= to, 'ends before it begins');

const sex = z.enum(['female', 'male']).exactOptional();

/** `belly button|tummy button`: a choice that the author meant between several words, but a choice is between single words. */
const BESIDE_ITSELF = /(?<![^ |])([^ |{[]+)(?:\|\S* | \S*\||\|\S* \S*\|)\1(?![^ |])/;

function misreadChoice(written: string): string | undefined {
  const word = BESIDE_ITSELF.exec(written)?.[1];
  return word && `has "${word}" in a choice and beside it: a choice is between single words, write two phrases`;
}

const phrases = z.array(phrase((written) => problemOf(written) ?? misreadChoice(written))).min(1, 'has no phrases');

/** `from`: at least; `below`: less than. */
const band = z
  .strictObject({
    of: z.enum(VALUE_NAMES),
    from: z.number().exactOptional(),
    below: z.number().exactOptional(),
    ages: ages.exactOptional(),
  })
  .refine(({ from, below }) => from !== undefined || below !== undefined, 'has neither from nor below')
  .refine(
    ({ from, below }) => from === undefined || below === undefined || from < below,
    'has a from that is not under its below',
  );

const finding = z
  .strictObject({
    name: words,
    kind: z.enum(FINDING_KINDS).default('complaint'),
    implies: ids.default([]),
    /** Findings that are absent if this one is present. */
    denies: ids.default([]),
    danger: z.boolean().default(false),
    values: z.array(band).default([]),
    /** False for what is only said of it, such as the name of a disease: an answer never asks for it. */
    asked: z.boolean().default(true),
    /** What has to be asked or tested if the finding is needed and not mentioned. */
    ask: words.exactOptional(),
    en: phrases.optional(),
    es: phrases.optional(),
    pt: phrases.optional(),
  })
  .superRefine(({ en, es, pt, values }, context) => {
    const missing = Object.entries({ en, es, pt }).filter(([, list]) => list === undefined);
    // A value alone can define a finding. Phrases must be in all languages or in none.
    if (missing.length === 0 || (missing.length === 3 && values.length > 0)) return;
    context.addIssue({ code: 'custom', message: `has no phrases in ${missing.map(([name]) => name).join(', ')}` });
  });

const findingWeight = z.union([
  weight.transform((present) => ({ present, absent: 0 })),
  z
    .strictObject({ present: weight.default(0), absent: weight.default(0) })
    .refine(({ present, absent }) => present !== 0 || absent !== 0, 'weighs nothing')
    .refine(({ present, absent }) => present * absent <= 0, 'weighs the same way whether it is there or not'),
]);

const httpsUrl = z
  .string('is an address')
  .refine((url) => URL.canParse(url) && url.startsWith('https://'), 'is no https address');

/** `ages`: the age is stated. `oneOf`: one of these findings is affirmed. `shownBy`: findings that show the age or state, if it is not stated. */
const requirement = z
  .strictObject({ ages: ages.exactOptional(), oneOf: ids.default([]), shownBy: ids.default([]) })
  .refine(({ ages: band, oneOf }) => band !== undefined || oneOf.length > 0, 'requires nothing');

/** `avoid`: findings with which the drug is not named at all. */
const drug = z.strictObject({ name: words, class: words, considerations: words, avoid: ids.default([]) });

const condition = z
  .strictObject({
    name: words,
    icd10: z.string('is a code').regex(ICD10_PATTERN, 'is no code of ICD-10'),
    base: weight,
    people: z
      .array(
        z.strictObject({
          ages: ages.exactOptional(),
          sex,
          weight: peopleWeight,
        }),
      )
      .default([]),
    /** The condition is named only for such a patient. */
    only: requirement.exactOptional(),
    /** The condition is a candidate only if one of these is present. */
    needs: ids.min(1, 'names no finding'),
    findings: z.record(id, findingWeight),
    mustNotMiss: z.boolean().default(false),
    /** The triage is RED if the log-odds for the condition reach this. */
    urgent: z.number('is a number').exactOptional(),
    /** The highest probability that is shown, 0 to 1. */
    atMost: z.number('is a number').min(0.01, 'is under 0.01').max(0.99, 'is over 0.99').exactOptional(),
    /** If one of these findings is present in such a patient, the condition is considered, however little else speaks for it. */
    consider: z
      .strictObject({
        with: ids.min(1, 'names no finding'),
        ages: ages.exactOptional(),
        sex,
      })
      .exactOptional(),
    /** Conditions that must not be missed and are considered if this one is likely. */
    alsoThink: ids.default([]),
    tests: z.array(words).min(1, 'is empty'),
    care: z.array(words.extend({ url: httpsUrl.exactOptional() })).min(1, 'is empty'),
    drugs: z.array(drug).default([]),
  })
  .refine(({ mustNotMiss, urgent }) => urgent === undefined || mustNotMiss, 'is urgent without mustNotMiss')
  .refine(({ mustNotMiss, consider }) => consider === undefined || mustNotMiss, 'is considered without mustNotMiss');

const danger = z
  .strictObject({
    all: ids.min(1, 'names no finding'),
    ages: ages.exactOptional(),
    sex,
    why: words,
  })
  .refine(
    ({ all, ages: band, sex }) => all.length > 1 || band !== undefined || sex !== undefined,
    'names one finding and nobody: what is a danger in anybody is danger: true in the lexicon',
  );

const weighed = z.array(z.strictObject({ weight, of: listed }));

export const URGENCY_FILE = z.strictObject({
  start: z.number('is a number'),
  urgentFrom: z.number('is a number'),
  shortest: z.int('is a whole number').min(0, 'is under 0'),
  longest: z.int('is a whole number').min(1, 'is under 1'),
  findings: z.array(z.strictObject({ weight: weight.min(0, 'speaks against it'), of: listed })),
  words: inLanguages(weighed),
});

export const LEXICON_FILE = z.record(id, finding);
export const CONDITIONS_FILE = z.strictObject({
  dangers: z.array(danger).default([]),
  conditions: z.record(id, condition).default({}),
});

export type LexiconFile = z.output<typeof LEXICON_FILE>;
export type UrgencyFile = z.output<typeof URGENCY_FILE>;
export type ConditionsFile = z.output<typeof CONDITIONS_FILE>;
