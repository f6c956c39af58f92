import { describe, expect, it } from '@jest/globals';
import { didYouMean, suggest } from '../../src/mapping/suggest.ts';
import { fc } from '../support/fast-check.ts';

describe('the suggestion for a misspelled word', () => {
  it.each([
    ['sectoins', ['section', 'sections', 'title'], 'sections'],
    ['kye', ['title', 'key', 'text'], 'key'],
    ['perod', ['status', 'period'], 'period'],
    ['birthdate', ['birthDate', 'birthdates'], 'birthDate'],
    ['BIRTHDATE', ['name', 'birthDate'], 'birthDate'],
    ['Code', ['node', 'code'], 'code'],
    ['notce', ['note', 'notice'], 'notice'],
    ['notie', ['note', 'notice'], 'notice'],
    ['nte', ['note', 'notice'], 'note'],
  ])('for %s among %j it is %s', (word, known, meant) => {
    expect(suggest(word, known)).toBe(meant);
  });

  it.each([
    ['a word that is near to none', 'frobnicate', ['section', 'title']],
    ['a word of one letter, which is near to everything short', 'x', ['y', 'z']],
    ['the word itself', 'title', ['title']],
    ['an empty word', '', ['a', '']],
    ['nothing known', 'title', []],
    ['a word too long to be compared', `${'a'.repeat(101)}`, ['a'.repeat(100)]],
  ])('%s has no suggestion', (_title, word, known) => {
    expect(suggest(word, known)).toBeUndefined();
  });

  it('of two equally near words it is the first', () => {
    expect(suggest('tent', ['test', 'text'])).toBe('test');
  });

  it('didYouMean() words it as the end of a sentence', () => {
    expect(didYouMean('sectoins', ['sections'], (name) => `%note.${name}`)).toBe('; did you mean %note.sections?');
    expect(didYouMean('frobnicate', ['sections'])).toBe('');
  });

  it('one mistake in a word of three letters or more finds the word again', () => {
    const word = fc.stringMatching(/^[a-z]{3,20}$/);
    const swapped = word.chain((text) => fc.nat({ max: text.length - 2 }).map((at) => [text, swap(text, at)] as const));
    fc.assert(
      fc.property(swapped, ([text, mistaken]) => {
        expect(suggest(mistaken, [text])).toBe(mistaken === text ? undefined : text);
      }),
    );
  });
});

function swap(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`;
}
