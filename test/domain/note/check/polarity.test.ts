import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { DENIALS } from '../../../support/denials.ts';
import { statementsOf } from './check-cases.ts';

const DENIES: Readonly<Record<Language, string>> = { en: 'Denies', es: 'Niega', pt: 'Nega' };

describe.each(Object.entries(DENIALS))('%s', (_name, rows) => {
  it.each(rows)('in %s “%s” means that “%s” is %s', (language, said, finding, meant) => {
    const statements = statementsOf(said, `${DENIES[language]} ${finding}.`, language);
    expect(statements).toEqual([`${meant === 'denied' ? '+' : '-'}negation ${finding}`]);
  });
});
