// "8sem", "há 2 sem", "2x/sem", "na sem. passada": weeks. Alone it is Portuguese for "without".
import type { Word } from './tokens.ts';

const OF_TIME = /^(ha|faz|ig|cerca|apos|ultimas|uns|umas|gravida|gestante|gravidez|gestacao)$/;
const OF_WEEKS = /^(passada|retrasada|anterior|atras|gestacionais|gestacao)$/;
const MOST_WEEKS = 42;

export function spellWeeks(text: string, words: readonly Word[]): Word[] {
  return words.map((word, at) => {
    const last = words[at - 1];
    if (word.text !== 'sem' || last === undefined) return word;
    const between = text.slice(last.end, word.start);
    const count = Number(last.text.replace(',', '.'));
    const isTime = count <= MOST_WEEKS && (between === '' || OF_TIME.test(words[at - 2]?.text ?? ''));
    const isPer = between === '/' && (last.text === 'x' || !Number.isNaN(count));
    return isTime || isPer || OF_WEEKS.test(words[at + 1]?.text ?? '') ? { ...word, text: 'semanas' } : word;
  });
}
