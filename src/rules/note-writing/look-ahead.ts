// Tells whether a sentence says what is to be done: it requests, looks ahead, sets a condition or orders.
import { foldWord } from '../../clinical-text/fold.ts';
import type { Language } from '../../domain/language.ts';
import type { CueFiles } from './cue-files.ts';
import type { SortParts } from './sorting-state.ts';
import { finds, startsWith } from './word-families.ts';

const ACCENT = '[áéíóú]';

/** A request, an order or a condition: `Please drink more`, `Keep the ice`, `Sóndala`, `If it gets worse`. */
export function makeOrders(
  { orders, imperatives, conditions, ...speech }: CueFiles['speech'],
  language: Language,
): SortParts['orders'] {
  const asksFor = finds(orders[language]);
  const begins = startsWith([...imperatives[language], ...conditions[language]]);
  const ordered = orderedWord(speech['order-endings'][language]);
  return ({ text, words }) => asksFor(words) || begins(words) || ordered.test(text);
}

/** A request or a condition counts in any phase; the rest only once the plan has begun, because questions and findings use the same words. */
export function makePlans(speech: CueFiles['speech'], language: Language): SortParts['plans'] {
  const asksFor = finds(speech.orders[language]);
  const isCondition = startsWith(speech.conditions[language]);
  const looksAhead = finds(speech.plans[language]);
  const orders = makeOrders(speech, language);
  return (sentence, phase) =>
    asksFor(sentence.words) ||
    isCondition(sentence.words) ||
    (phase === 'plan' && (looksAhead(sentence.words) || orders(sentence)));
}

/** Behind the last comma there is nothing but a tag. */
export function makeEndsWithTag(speech: CueFiles['speech'], language: Language): SortParts['endsWithTag'] {
  const tags = new Set(speech['end-tags'][language].map((tag) => tag.split(/\s+/).map(foldWord).join(' ')));
  return (text) => {
    const end = /,\s*[¿]?([^,?]{1,20})\?$/u.exec(text)?.[1] ?? '';
    return tags.has(end.split(/\s+/).map(foldWord).join(' '));
  };
}

/** `Sóndala`, `suspéndela`: an accent before the ending is what tells an order from a noun like `escuela`. */
function orderedWord(endings: readonly string[]): RegExp {
  if (endings.length === 0) return /(?!)/;
  return new RegExp(`${ACCENT}\\p{L}{1,12}(?:${endings.join('|')})(?!\\p{L})`, 'iu');
}

/** `Can I drink with that?` asks for advice once the history is taken. */
export function makeAsksPlan(
  { 'plan-questions': about, permission }: CueFiles['speech'],
  language: Language,
): SortParts['asksPlan'] {
  const [isAbout, asksLeave] = [finds(about[language]), finds(permission[language])];
  return (words, phase) => isAbout(words) || (phase !== 'history' && asksLeave(words));
}
