// The visits by which the extract is scored that the rules write for a note: what was planned, of which sections something was said, and
// what relatives have or said. The shipped transcripts were used for tuning; the other visits were written first, before any note of them.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { LANGUAGES, type Language } from '../../src/domain/language.ts';
import { TEMPLATE_NAMES } from '../../src/domain/note/template.ts';
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import type { SandboxPatient } from '../../src/sandbox/patients/sandbox-patient.ts';
import { readCases, type Talk } from './sets.ts';

/** Alternatives divided by `|`. */
const phrase = z.string().min(1);

const PLAN_KINDS = ['decided', 'ordered', 'started', 'stopped', 'changed', 'advised', 'follow-up'] as const;

const wanted = {
  plan: z.array(z.strictObject({ kind: z.enum(PLAN_KINDS), holds: z.array(phrase).min(1) })),
  discussed: z.array(z.string()),
  relatives: z.array(z.strictObject({ who: phrase, holds: phrase })).default([]),
};
const visitFile = z.array(
  z.strictObject({
    id: z.string(),
    template: z.enum(TEMPLATE_NAMES as [string, ...string[]]),
    talk: z.array(z.tuple([z.int().min(0), z.string()])).min(20),
    ...wanted,
    why: z.string(),
  }),
);
const planFile = z.array(z.strictObject({ of: z.string(), planned: z.array(z.string()).optional(), ...wanted }));

type Wanted = Omit<z.output<typeof planFile>[number], 'of'>;
export type ExtractCase = Wanted & { readonly part: 'shipped' | 'first'; readonly talk: Talk };

const FOLDER = path.join(import.meta.dirname, 'sets');

export async function readExtractCases(): Promise<readonly ExtractCase[]> {
  const [{ talks }, patients] = [await readCases(['notes']), readPatients()];
  const shipped = new Map([...talks, ...patients.map(talkOf)].map((talk) => [talk.id, talk]));
  const cases = await Promise.all(
    LANGUAGES.map(async (language) => [...(await readPlans(language, shipped)), ...(await readVisits(language))]),
  );
  return cases.flat();
}

async function readPlans(language: Language, shipped: ReadonlyMap<string, Talk>): Promise<readonly ExtractCase[]> {
  const file = `${language}-plans.yaml`;
  return planFile.parse(await readYaml(file)).map(({ of, ...rest }) => {
    const talk = shipped.get(of);
    if (talk === undefined) throw new Error(`${file}, ${of}: is no transcript`);
    return { ...rest, part: 'shipped', talk };
  });
}

async function readVisits(language: Language): Promise<readonly ExtractCase[]> {
  const file = `${language}-visits.yaml`;
  return visitFile.parse(await readYaml(file)).map(({ plan, discussed, relatives, ...visit }) => {
    const talk = { ...visit, file, language, medical: true, sections: {}, fields: {}, invented: [] };
    return { plan, discussed, relatives, part: 'first', talk };
  });
}

/** Speakers get numbers in the order in which they begin to speak, as a recogniser gives them. */
function talkOf({ id, language, talk, expected }: SandboxPatient): Talk {
  const speakers = [...new Set(talk.map(([speaker]) => speaker))];
  return {
    id,
    file: `${id}.yaml`,
    language,
    template: expected.template,
    medical: expected.medical,
    talk: talk.map(([speaker, text]) => [speakers.indexOf(speaker), text]),
    sections: {},
    fields: {},
    invented: [],
    why: expected.why,
  };
}

async function readYaml(file: string): Promise<unknown> {
  return parse(await readFile(path.join(FOLDER, file), 'utf8'));
}
