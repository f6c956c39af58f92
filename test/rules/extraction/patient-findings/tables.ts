// Reads the tables of sentences beside it: for each language, what a sentence says of one finding.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Language } from '../../../../src/domain/language.ts';
import { readYaml } from '../../../../src/platform/yaml-file.ts';
import type { Presence } from '../../../../src/rules/extraction/history-facts.ts';

/** `none`: the patient does not have it, and does not deny it either. */
export type Verdict = Presence | 'none';
export type Row = {
  readonly language: Language;
  readonly verdict: Verdict;
  readonly finding: string;
  readonly text: string;
};

const rows = z.array(z.tuple([z.string(), z.string()]));
const verdicts = z.partialRecord(z.enum(['present', 'uncertain', 'absent', 'none']), rows);
const TABLE = z.strictObject({ en: verdicts, es: verdicts, pt: verdicts });

export function readTable(name: string): readonly Row[] {
  const path = `test/rules/extraction/patient-findings/${name}.yaml`;
  const { value, problems } = readYaml({ path, text: readFileSync(path, 'utf8') }, TABLE);
  if (value === undefined)
    throw new Error(problems.map(({ line, message }) => `${path}:${line}: ${message}`).join('\n'));
  return Object.entries(value).flatMap(([language, ofLanguage]) =>
    Object.entries(ofLanguage).flatMap(([verdict, sentences]) =>
      sentences.map(([finding, text]) => ({
        language: language as Language,
        verdict: verdict as Verdict,
        finding,
        text,
      })),
    ),
  );
}
