import { describe, expect, it } from '@jest/globals';
import { makeFindPhrases } from '../../src/clinical-text/phrases/family-phrases.ts';
import { makeFindNamedThings } from '../../src/clinical-text/phrases/named-things.ts';
import { compilePhrase } from '../../src/clinical-text/phrases/phrase-notation.ts';
import { makePhraseTree } from '../../src/clinical-text/phrases/phrase-tree.ts';
import { readTokens } from '../../src/clinical-text/tokens/tokens.ts';
import { readWordTokens } from '../../src/clinical-text/tokens/word-tokens.ts';

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

describe('The tree of all phrases', () => {
  const treeOf = (...phrases: readonly string[]) => {
    const tree = makePhraseTree<string>();
    for (const written of phrases) {
      const compiled = compilePhrase(written);
      if ('phrases' in compiled) for (const phrase of compiled.phrases) tree.add(phrase, written);
    }
    return tree;
  };
  const find = (tree: ReturnType<typeof treeOf>, text: string) => {
    const tokens = readWordTokens(text);
    const literals = tokens.map((token) => tree.literalsOf(token.text));
    const { matches } = tree.find({
      tokens,
      literals,
      isBarrier: () => false,
      from: 0,
      to: tokens.length,
      onStep: () => undefined,
    });
    return matches.map(({ what, words }) => `${what}: ${words.map((word) => tokens[word]?.text).join(' ')}`);
  };

  it.each([
    [
      'chest pain',
      ['chest pain: chest pain', 'chest {2} pain: chest pain', 'chest|thorax pain*: chest pain', 'pain*: pain'],
    ],
    ['a painful chest', ['pain*: painful']],
    ['chest wall pain', ['chest {2} pain: chest pain', 'pain*: pain']],
    ['chest wall and rib pain', ['pain*: pain']],
    ['a thorax x-ray', ['x-ray: x ray']],
    ['', []],
  ])('finds in "%s" the phrases %j, also those that begin alike', (text, found) => {
    const tree = treeOf('chest pain', 'chest|thorax pain*', 'chest {2} pain', 'pain*', 'x-ray');
    expect(find(tree, text)).toEqual(found);
  });

  it('refuses a phrase that is added after the first search, because the builder is gone', () => {
    const tree = treeOf('chest pain');
    expect(find(tree, 'chest pain')).toEqual(['chest pain: chest pain']);
    expect(() => tree.add([], 'late')).toThrow('a phrase cannot be added after the first search');
  });
});
