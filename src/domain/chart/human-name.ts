// The name of a person in a resource, as it is read out: the official one if there are several.
import type { HumanName } from '@medplum/fhirtypes';
import { cleanTexts } from '../clean-text.ts';

const BEST_FIRST = ['official', 'usual'] as const;
const MOST_CHARACTERS = 200;

/** Undefined if there is none. */
export function humanName(names: readonly HumanName[] | undefined): string | undefined {
  const current = (names ?? []).filter(({ use }) => use !== 'old' && use !== 'maiden');
  const best = BEST_FIRST.flatMap((use) => current.filter((name) => name.use === use));
  const [name] = [...best, ...current];
  if (name === undefined) return undefined;
  const { text, prefix = [], given = [], family = '', suffix = [] } = cleanTexts(name);
  const words = text ?? [...prefix, ...given, family, ...suffix].join(' ');
  const line = words.replace(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS);
  return line === '' ? undefined : line;
}
