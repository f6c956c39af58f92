// Reads `sem` as weeks in "8sem", "há 2 sem", "2x/sem" and "na sem. passada"; otherwise it is Portuguese for "without". "De mes y medio" is
// six weeks.
import type { RawWord } from './raw-word.ts';

const OF_TIME = /^(ha|faz|ig|cerca|apos|ultimas|uns|umas|gravida|gestante|gravidez|gestacao)$/;
const OF_WEEKS = /^(passada|retrasada|anterior|atras|gestacionais|gestacao)$/;
const MOST_WEEKS = 42;

export function spellWeeks(text: string, words: readonly RawWord[]): RawWord[] {
  return words.map((word, at) => {
    const last = words[at - 1];
    if (isMonthAndHalf(words, at)) return { ...word, text: '6', number: 6 };
    if (isMonthAndHalf(words, at - 1)) return { ...word, text: 'semanas' };
    if (word.text !== 'sem' || last === undefined) return word;
    const between = text.slice(last.end, word.start);
    const count = Number(last.text.replace(',', '.'));
    const isTime = count <= MOST_WEEKS && (between === '' || OF_TIME.test(words[at - 2]?.text ?? ''));
    const isPer = between === '/' && (last.text === 'x' || !Number.isNaN(count));
    return isTime || isPer || OF_WEEKS.test(words[at + 1]?.text ?? '') ? { ...word, text: 'semanas' } : word;
  });
}

function isMonthAndHalf(words: readonly RawWord[], at: number): boolean {
  const [before, month, and, half] = [at - 1, at, at + 1, at + 2].map((near) => words[near]?.text);
  return before === 'de' && month === 'mes' && (and === 'y' || and === 'e') && (half === 'medio' || half === 'meio');
}
