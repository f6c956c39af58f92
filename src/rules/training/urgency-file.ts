// Writes the file of the urgency model, trained on the cases that were used for tuning.
import path from 'node:path';
import type { Language } from '../../domain/language.ts';
import { makeExtractFacts } from '../extraction/extract-facts.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { KNOWLEDGE_FOLDER, readKnowledge } from '../knowledge/read-knowledge.ts';
import { mayBePresent } from '../reasoning/patient-fit.ts';
import { type TrainedUrgency, type TrainingStory, trainUrgency } from './train-urgency.ts';

export const URGENCY_PATH = path.join(KNOWLEDGE_FOLDER, 'urgency/learned.yaml');

/** Log-odds of about a quarter: a missed emergency is worse than a few false alarms. */
const URGENT_FROM = -1.1;
const WIDTH = 138;

const HEAD = `# The urgency model: log-odds of findings and words in short histories. Made by \`npm run eval -- --write\` from the made-up cases
# that were used for tuning: correct those cases, or the lexicon, and not this file. FORMAT.md describes it.`;

export function makeUrgencyFile(vignettes: readonly TrainingCase[]): string {
  const knowledge = readKnowledge(KNOWLEDGE_FOLDER);
  return formatUrgency(trainUrgency(storiesOf(vignettes, knowledge)));
}

/** A history whose triage is known. */
export type TrainingCase = {
  readonly text: string;
  readonly language: Language;
  readonly expect: { readonly triage: string };
};

/** Leaves out danger findings: they are urgent by themselves and would take the weight of the other findings. */
function storiesOf(vignettes: readonly TrainingCase[], knowledge: Knowledge): readonly TrainingStory[] {
  const hear = makeExtractFacts(knowledge);
  return vignettes.map(({ text, language, expect }) => {
    const heard = hear(text);
    const findings = [...heard.findings.keys()].filter(
      (id) => mayBePresent(heard, id) && knowledge.findings.get(id)?.isDanger === false,
    );
    return { language, isUrgent: expect.triage === 'RED', findings, words: [...heard.words.keys()] };
  });
}

export function formatUrgency({ start, shortest, longest, findings, words }: TrainedUrgency): string {
  const lists = Object.entries(words).map(([language, weights]) => `  ${language}:${listed(weights, '    ')}`);
  return `${HEAD}
start: ${tenths(start)}
urgentFrom: ${URGENT_FROM}
shortest: ${shortest}
longest: ${longest}
findings:${listed(findings, '  ')}words:
${lists.join('')}`;
}

/** Strongest first, without weights that round to zero. */
function listed(weights: ReadonlyMap<string, number>, indent: string): string {
  const byWeight = Map.groupBy(weights.keys(), (name) => tenths(weights.get(name) ?? 0));
  byWeight.delete(0);
  if (byWeight.size === 0) return ' []\n';
  const items = [...byWeight].sort(([one], [other]) => other - one);
  const texts = items.map(([weight, names]) => {
    const list = wrapped(names.toSorted(), `${indent}    `);
    return `${indent}- weight: ${weight}\n${indent}  of: >-\n${list}`;
  });
  return `\n${texts.join('')}`;
}

function tenths(weight: number): number {
  return Math.round(weight * 10) / 10 + 0;
}

function wrapped(names: readonly string[], indent: string): string {
  let text = indent;
  let width = indent.length;
  for (const [index, name] of names.entries()) {
    const isFirst = index === 0;
    if (!isFirst && width + 1 + name.length > WIDTH) {
      text += `\n${indent}`;
      width = indent.length;
    } else if (!isFirst) {
      text += ' ';
      width += 1;
    }
    text += name;
    width += name.length;
  }
  return `${text}\n`;
}
