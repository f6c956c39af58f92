// Tells whether a sentence says what is to be done: it requests, looks ahead, sets a condition or orders.
import type { Language } from '../../domain/language.ts';
import type { CueFiles } from './cue-files.ts';
import type { SortParts } from './sorting-state.ts';
import { finds, startsWith } from './word-families.ts';

const ACCENT = '[áéíóú]';

/** A request counts in any phase; the rest only once the plan has begun, because questions and findings use the same words. */
export function makePlans(
  { orders, plans, imperatives, ...speech }: CueFiles['speech'],
  language: Language,
): SortParts['plans'] {
  const asksFor = finds(orders[language]);
  const looksAhead = finds(plans[language]);
  const begins = startsWith(imperatives[language]);
  const ordered = orderedWord(speech['order-endings'][language]);
  return ({ text, words }, phase) =>
    asksFor(words) || (phase === 'plan' && (looksAhead(words) || begins(words) || ordered.test(text)));
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
