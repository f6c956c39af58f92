// What the obedient model answers: the faithful note and diagnosis of a talk, with one invention in one of them.
import { diagnosisAnswer } from '../../support/openai-answers.ts';
import type { Invention, Talk } from './cases.ts';

/** On the wire: the names of the interface. */
export type NoteOnWire = {
  readonly is_medical: true;
  readonly title: string;
  readonly sections: readonly { readonly key: string; readonly text: string }[];
};

/** Without an invention it is the faithful note. Throws if the words that the invention changes are not there. */
export function noteOf({ title, note }: Talk, invention?: Invention): NoteOnWire {
  const change = (section: string, text: string): string =>
    invention !== undefined && 'section' in invention && invention.section === section ? put(invention, text) : text;
  return {
    is_medical: true,
    title: change('title', title),
    sections: Object.entries(note).map(([key, text]) => ({ key, text: change(key, text) })),
  };
}

function put(invention: Extract<Invention, { readonly section: string }>, text: string): string {
  if ('adds' in invention) return `${text} ${invention.adds}`;
  if (!text.includes(invention.turns)) throw new Error(`${invention.section} does not have “${invention.turns}”`);
  return text.replaceAll(invention.turns, invention.into);
}

/** A change of the candidate is one of the first. */
export function diagnosisOf({ language }: Talk, invention?: Invention): unknown {
  const faithful = diagnosisAnswer(language);
  const [first, ...others] = faithful.diagnosis.diseases;
  const candidate = invention !== undefined && 'candidate' in invention ? invention.candidate : {};
  const triage = invention !== undefined && 'triage' in invention ? invention.triage : {};
  return {
    diagnosis: { diseases: [{ ...first, ...candidate }, ...others] },
    triage: { ...faithful.triage, ...triage },
  };
}
