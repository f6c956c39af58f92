// Makes a short title from the words of the complaint.

import type { FamilyWord } from '../../clinical-text/phrases/family-phrases.ts';
import type { Language } from '../../domain/language.ts';
import type { Wording } from '../knowledge/language-schema.ts';
import { chiefComplaint, isOfHealth } from './chief-complaint.ts';
import type { CueFiles } from './cue-files.ts';
import type { Statement } from './statement.ts';
import { findAny } from './word-families.ts';

const MAX_CHARS = 60;
const MAX_LEADS = 4;
/** A statement that only corrects another has at most this many words. */
const SHORT = 6;
const SIDE_STEM = 4;

/** For talks and notes in the same language: a title is never in two languages. */
export function makeMakeTitle({ speech }: Pick<CueFiles, 'speech'>, language: Language) {
  const findLead = findAny(speech.lead[language]);
  const findDenial = findAny(speech.denials[language]);
  return (statements: readonly Statement[], { visit, plainTitle }: Wording['note']): string => {
    const complaint = chiefComplaint(statements).find(
      (one) => isOfHealth(one) && !one.isClinician && findDenial(one.words).length === 0,
    );
    const words =
      complaint && !isSideTakenBack(complaint, statements)
        ? shorten(complaint, withoutLead(complaint.words))
        : undefined;
    return words ? `${visit}: ${words}` : plainTitle;
  };

  function withoutLead(words: readonly FamilyWord[]): readonly FamilyWord[] {
    let rest = words;
    for (let round = 0; round < MAX_LEADS; round += 1) {
      const lead = findLead(rest.slice(0, 5)).filter(({ first }) => first === 0);
      const end = Math.max(0, ...lead.map((hit) => hit.end));
      if (end === 0 || end >= rest.length) break;
      rest = rest.slice(end);
    }
    return rest;
  }
}

/** `It's my right shoulder. No, sorry, the left.`: a wrong side in a title is dangerous, so such a complaint gives no title. */
function isSideTakenBack(complaint: Statement, statements: readonly Statement[]): boolean {
  const sides = sidesOf(complaint);
  return statements
    .slice(statements.indexOf(complaint) + 1)
    .filter(({ exchange, speaker }) => exchange === complaint.exchange && speaker === complaint.speaker)
    .filter(({ words }) => words.length <= SHORT)
    .some((later) => sides.size > 0 && [...sidesOf(later)].some((side) => !sides.has(side)));
}

function sidesOf({ words }: Statement): ReadonlySet<string> {
  return new Set(words.filter(({ families }) => families.has('side')).map(({ word }) => word.slice(0, SIDE_STEM)));
}

/** Cuts at the first comma, or after the last whole word that fits. */
function shorten({ text }: Statement, words: readonly FamilyWord[]): string | undefined {
  const [first] = words;
  if (first === undefined) return undefined;
  let end = first.to;
  for (const [place, { to }] of words.entries()) {
    const between = text.slice(words[place - 1]?.to ?? first.from, to);
    if (to - first.from > MAX_CHARS || (place > 0 && /[,;:.?]\s/.test(between))) break;
    end = to;
  }
  const title = text.slice(first.from, end);
  if (!isOfHealth({ words: words.filter(({ to }) => to <= end) })) return undefined;
  // The capital letter of a name or an abbreviation is kept.
  const isPlain = first.from === 0 && !/^(?:I\b|\p{Lu}{2})/u.test(title);
  return first.from === 0 && isPlain ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}
