import { describe, expect, it } from '@jest/globals';
import { makeFindPhrases } from '../../src/clinical-text/phrases/family-phrases.ts';
import { makeFindNamedThings } from '../../src/clinical-text/phrases/named-things.ts';
import { readTokens } from '../../src/clinical-text/tokens/tokens.ts';

describe('Things that are found by name', () => {
  const find = makeFindNamedThings(`
fainting = faint*, lose|losing|lost consciousness / desmay* / desmai*
cough = cough*, / tos / tosse
hemoptysis = cough* [up] blood / tos con sangre / tosse com sangue
`);

  it.each([
    ['She fainted', ['fainting']],
    ['he loses all consciousness', ['fainting']],
    ['he lost his keys, consciousness is clear', []],
    ['coughing up some blood', ['hemoptysis']],
    ['a cough, blood in the stool', ['cough']],
  ])('"%s" names %j', (text, ids) => {
    expect(find(readTokens(text), 'en').map(({ id }) => id)).toEqual(ids);
  });

  it('a phrase that cannot be read is refused with the reason', () => {
    expect(() => makeFindNamedThings('fainting = los* consciousness / /')).toThrow(/"los\* consciousness" has too few/);
    expect(() => makeFindPhrases([['skip* {4}', true]])).toThrow('The phrase "skip* {4}" ends with a gap');
  });
});
