// Finds the dangerous conditions that the rules name in words instead of as candidates: those that are not to be overlooked, and those that
// depend on a pregnancy that was not mentioned, for which a test is asked. The codes of the candidates do not show them; a clinician who
// reads the answer sees them all the same.
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import type { Language } from '../../src/domain/language.ts';
import type { Condition, Knowledge } from '../../src/rules/knowledge/knowledge.ts';
import { KNOWLEDGE_FOLDER, readKnowledge } from '../../src/rules/knowledge/read-knowledge.ts';

let read: Knowledge | undefined;

/** The codes of these conditions. Other reasoners have no such sentences. */
export function codesNamedIn({ diagnosis, triage }: Diagnosis, language: Language): readonly string[] {
  read ??= readKnowledge(KNOWLEDGE_FOLDER);
  const { conditions, findings, wording } = read;
  const { why, next } = wording[language];
  const named = diagnosis.diseases.flatMap((disease) => listIn(disease.why, why.exclude));
  const asked = listIn(triage.triage_recommendation, next.clarify);
  const isAsked = ({ only }: Condition): boolean =>
    only?.oneOf.some((id) => asked.includes(findings.get(id)?.ask?.[language] ?? '')) === true;
  return conditions.filter((one) => named.includes(one.name[language]) || isAsked(one)).map(({ icd10 }) => icd10);
}

/** What the text lists in such a sentence, which is its last one. */
function listIn(text: string, sentence: string): readonly string[] {
  const [before = '', after = ''] = sentence.split('{list}');
  const [, list] = text.split(before);
  return list === undefined ? [] : list.slice(0, list.length - after.length).split('; ');
}
