import { describe, expect, it } from '@jest/globals';
import { checkNames } from '../../../src/mapping/fhirpath/check-names.ts';
import { parseExpression } from '../../../src/mapping/fhirpath/parse-expression.ts';
import { simplePathsOf, textOfPath } from '../../../src/mapping/fhirpath/simple-paths.ts';
import { itemsOf, problemOf } from './evaluate.ts';

const VARIABLES = {
  note: {
    title: 'Visit',
    sections: [
      { key: 'PLAN', text: 'Rest' },
      { key: 'X', text: 'Y' },
    ],
  },
  key: 'PLAN',
};
const STRICT = { variables: VARIABLES, isStrict: true };
const BARE = "names without % are only known inside a function's argument, as in where(title = '…')";

describe('strict names', () => {
  it.each([
    ['%nte.title', '0: %nte is not known here; did you mean %note?'],
    ['note.title', '0: note is not known here; did you mean %note?'],
    ['title', `0: title: ${BARE}`],
    ['%note.title & title', `14: title: ${BARE}`],
    ['$this', "0: $this is only known inside a function's argument"],
    ['exists()', '0: exists() needs something before it, as in %note.exists(…)'],
    ['ofType(Quantity)', '0: ofType() needs something before it, as in %note.ofType(…)'],
    ['%note.sections.combine(title)', `23: title: ${BARE}`],
    ['iif(title, 1, 2)', `4: title: ${BARE}`],
    ['%note.sections.take(count)', `20: count: ${BARE}`],
    ['%note.sections[index]', `15: index: ${BARE}`],
  ])('%s is refused', (text, problem) => expect(problemOf(text, STRICT)).toBe(problem));

  it.each([
    ["%note.sections.where(key = 'PLAN').text", ['Rest']],
    ['%note.sections.where(key = %key).text', ['Rest']],
    ['%note.sections.select($this.text)', ['Rest', 'Y']],
    ['%note.iif(title.exists(), title, 1)', ['Visit']],
    ['iif(%note.exists(), 1, 2)', [1]],
    ['coalesce(%note.foo, %key)', ['PLAN']],
    ['%note.sections.where(iif(text.exists(), true, false)).count()', [2]],
    ["%context.note.title & ''", ['Visit']],
    ['%loinc & %sct & %ucum', ['http://loinc.orghttp://snomed.info/scthttp://unitsofmeasure.org']],
  ])('%s is understood', (text, items) => expect(itemsOf(text, STRICT)).toEqual(items));

  it('an argument that is not about the items reads what is around the call', () => {
    const text = '%note.sections.where(key.combine(text).count() = 2).count()';
    expect(itemsOf(text, STRICT)).toEqual([2]);
  });

  it('in a context block bare names read its item', () => {
    const inside = { ...STRICT, context: { title: 'of the item' }, isInsideContext: true };
    expect(itemsOf('title', inside)).toEqual(['of the item']);
    expect(itemsOf('$this.title', inside)).toEqual(['of the item']);
    expect(problemOf('%nte', inside)).toBe('0: %nte is not known here; did you mean %note?');
  });

  it('without strictness bare names read the context', () => {
    expect(itemsOf('note.title', { variables: VARIABLES })).toEqual(['Visit']);
    expect(problemOf('%nte', { variables: VARIABLES })).toBe('0: %nte is not known here; did you mean %note?');
  });

  it('all unknown names of an expression are reported at once, in their order', () => {
    const known = ['note'];
    const names = { slotOf: (name: string) => (name === 'note' ? 0 : undefined), isStrict: true, known };
    const problems = checkNames(parseExpression('%b.x & title & %a.where(c = %d) & %note'), names);
    expect(problems.map(({ at }) => at)).toEqual([0, 7, 15, 28]);
  });
});

describe('what an expression reads', () => {
  it.each([
    ['%note.title', ['0 %note.title']],
    ['%note', ['0 %note']],
    ['%note.sections[0].text.upper()', ['0 %note.sections[0].text']],
    ['%note.sections.where(key = %key).text & %site.name', ['0 %note.sections', '27 %key', '40 %site.name']],
    ['iif(%a.b is Quantity, -%c, %d[%e])', ['4 %a.b', '23 %c', '27 %d', '30 %e']],
    ["'constant' & title", []],
  ])('%s', (text, paths) => {
    const found = simplePathsOf(parseExpression(text));
    expect(found.map((path) => `${path.at} ${textOfPath(path)}`)).toEqual(paths);
  });
});

describe('only own properties of an object are read', () => {
  const hostile = JSON.parse('{"__proto__": {"polluted": 1}, "list": [1, 2], "text": "abc"}');

  it.each([
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '__defineGetter__',
    'list.length',
    'text.length',
    'text.x',
  ])('%s is empty', (name) => expect(itemsOf(name, { context: { list: [1, 2], text: 'abc' } })).toEqual([]));

  it('an own element may have any name', () => {
    expect(itemsOf('__proto__.polluted', { context: hostile })).toEqual([1]);
    expect(itemsOf('constructor', { context: { constructor: 'own' } })).toEqual(['own']);
  });

  it('dates and quantities of an expression have no elements but those of FHIR', () => {
    expect(itemsOf('@2020.kind | @2020.fields | (4 days).constructor')).toEqual([]);
    expect(itemsOf('(4 days).value')).toEqual([4]);
  });
});
