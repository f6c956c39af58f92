// Reads how often a dose is given, and whether the number of doses is limited.
import { skipRange, type Token } from './dosage-tokens.ts';
import { TIME_UNITS } from './dosage-words.ts';

export const HOUR = 3600;

const EVERY = new Set(['every', 'each', 'cada', 'q', 'c']);
const VAGUE = new Set(['few', 'couple', 'other', 'pocos', 'poucos', 'algunos', 'alguns', 'varios']);
const HALF = new Set(['half', 'media', 'meia', 'quarter']);

/** In seconds. */
export function intervalsIn(tokens: readonly Token[]): readonly number[] {
  return tokens.flatMap(({ word }, index): readonly number[] => {
    const sticky = /^q(\d?)(min|h|hrs?|hours?|mins?)$/.exec(word);
    if (sticky) return [TIME_UNITS.get(sticky[2] ?? '') ?? HOUR];
    if (/^half-hourly$/.test(word)) return [HOUR / 2];
    if (/^(?:times|veces|vezes|doses|dosis)$/.test(word)) return [timesInterval(tokens, index)];
    // "de 8 em 8 horas"; "em 20 minutos" is no interval.
    const isPair = word === 'em' && tokens[index - 1]?.value !== undefined && tokens[index - 2]?.word === 'de';
    if (!EVERY.has(word) && !isPair) return [];
    const start = tokens[index + 1]?.word === '/' ? index + 2 : index + 1;
    return [intervalAt(tokens, start)].filter((seconds) => seconds !== undefined);
  });
}

function intervalAt(tokens: readonly Token[], start: number): number | undefined {
  let [at, factor]: [number, number] = [start, 1];
  while (
    VAGUE.has(tokens[at]?.word ?? '') ||
    HALF.has(tokens[at]?.word ?? '') ||
    /^(?:an?|una?|uma?|of)$/.test(tokens[at]?.word ?? '')
  ) {
    if (HALF.has(tokens[at]?.word ?? '')) factor = 0.5;
    at += 1;
  }
  const value = tokens[at]?.value;
  if (value !== undefined) at = skipRange(tokens, at);
  const seconds = TIME_UNITS.get(tokens[at]?.word ?? '');
  return seconds === undefined ? undefined : seconds * factor * (value ?? 1);
}

/** `3 times an hour`. */
function timesInterval(tokens: readonly Token[], index: number): number {
  const value = tokens[index - 1]?.value ?? 1;
  let at = index + 1;
  while (/^(?:an?|per|por|each|every|cada|al?|una?|uma?|à|\/)$/.test(tokens[at]?.word ?? '')) at += 1;
  const seconds = at === index + 1 ? undefined : TIME_UNITS.get(tokens[at]?.word ?? '');
  return seconds === undefined ? HOUR : seconds / Math.max(value, 1);
}

const LIMIT =
  /^(?:doses?|dosis|times|veces|vezes|tablets?|puffs?|tomas?|sprays?|comprimidos?|injections?|inyecciones|injecoes|applications?|repetitions?|repeticiones|repeticoes|administrations?|administraciones|administracoes|boluses|bolos|inhalations?|inhalaciones|inalacoes|disparos|jatos|nebuli[sz]ations?|nebulizaciones|nebulizacoes|more|mas|mais)$/;
const LIMIT_CUES = new Set(
  'to max maximum most than total of for x × hasta maximo mas de por durante ate total repeat repetir more first primera primeira until'.split(
    ' ',
  ),
);

/** At most ten doses, or at most three hours: "every 5 minutes up to 3 doses". */
export function isBounded(tokens: readonly Token[]): boolean {
  return tokens.some(({ word, value }, index) => {
    if (/^(?:first|primera|primeira|next)$/.test(word) && /^hor?a?|^hour/.test(tokens[index + 1]?.word ?? ''))
      return true;
    if (
      /^(?:repeat|repeated|repetir|repita|repetida|repetido)$/.test(word) &&
      /^(?:once|twice|una|uma)$/.test(tokens[index + 1]?.word ?? '')
    )
      return true;
    const isAfterCue = tokens.slice(Math.max(0, index - 3), index).some((token) => LIMIT_CUES.has(token.word));
    const next = tokens[index + 1]?.word ?? '';
    if (!isAfterCue) return false;
    if (/^an?$|^una?$|^uma?$/.test(word) && /^(?:hour|hora)$/.test(next)) return true;
    if (value === undefined || value > 10) return false;
    return LIMIT.test(next)
      ? !isPerTime(tokens, index + 2)
      : TIME_UNITS.get(next) === HOUR && value <= 3 && !/^(?:every|cada)$/.test(tokens[index - 1]?.word ?? '');
  });
}

function isPerTime(tokens: readonly Token[], at: number): boolean {
  return (
    /^(?:an?|per|por|each|every|cada|al?|ao|daily|\/)$/.test(tokens[at]?.word ?? '') &&
    TIME_UNITS.has(tokens[at + 1]?.word ?? '')
  );
}
