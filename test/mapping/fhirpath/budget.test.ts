import { describe, expect, it } from '@jest/globals';
import { type Evaluation, evaluate, TestBudgetError } from './evaluate.ts';

const MANY = Array.from({ length: 2000 }, (_, index) => index);
const OBJECTS = MANY.map((id) => ({ id, inner: { id } }));
const TEXT = 'x'.repeat(100_000);
const DAYS = MANY.map((_, index) => new Date(index * 86_400_000).toISOString().slice(0, 10));
const VARIABLES = {
  days: DAYS,
  many: MANY,
  objects: OBJECTS,
  text: TEXT,
  words: MANY.map(String),
  a: 'a'.repeat(300_000),
  b: 'b'.repeat(300_000),
};

describe('the budget of steps', () => {
  it.each([
    '%many.where($this > 5)',
    '%many.select($this + 1)',
    '%many.exists($this < 0)',
    '%many.all($this >= 0)',
    '%many.aggregate($total + $this, 0)',
    '%many.distinct()',
    '%many | %many',
    '%many.intersect(%many)',
    '%many.sum()',
    '%many.max()',
    '%words.join()',
    '%objects.id',
    '%objects.children()',
    '%objects.descendants()',
    '%objects.repeat(inner)',
    '5000 in %many',
    '%many ~ %many',
    "%text.split('')",
    '%text.toChars()',
  ])('each item costs a step: %s', (text) => {
    expect(() => run(text, { steps: 1000 })).toThrow(TestBudgetError);
  });

  it('a thousand different numbers or texts cost about as many steps, not a million', () => {
    expect(evaluate('%many.distinct().count()', { variables: VARIABLES }).stepsSpent).toBeLessThan(10_000);
    expect(evaluate('(%words | %words).count()', { variables: VARIABLES }).stepsSpent).toBeLessThan(20_000);
  });

  it('objects and dates cost a step for each compared pair', () => {
    expect(() => run('%objects.distinct()', { steps: 1_000_000 })).toThrow(TestBudgetError);
    expect(() => run('%objects.isDistinct()', { steps: 1_000_000 })).toThrow(TestBudgetError);
    expect(() => run('%objects ~ %objects', { steps: 1_000_000 })).toThrow(TestBudgetError);
    expect(() => run('%days.select(toDate()).distinct()', { steps: 1_000_000 })).toThrow(TestBudgetError);
  });

  it('loops in loops multiply', () => {
    expect(() => run('%many.select(%many.where($this = 1))', { steps: 200_000 })).toThrow(TestBudgetError);
    expect(() => run('%many.aggregate($total | %many)', { steps: 200_000 })).toThrow(TestBudgetError);
  });

  it('the search for a long text in a long text costs steps', () => {
    const text = "%a.contains('b' & %a.substring(0, 150000))";
    expect(() => run(text, { steps: 200_000 })).toThrow(TestBudgetError);
    expect(() => run('%many.exists(%a < %a)', { steps: 20_000 })).toThrow(TestBudgetError);
    expect(() => run('%many.where(%a = %b)', { steps: 20_000 })).toThrow(TestBudgetError);
  });

  it('an everyday expression costs next to nothing', () => {
    expect(evaluate('%objects[3].inner.id', { variables: VARIABLES }).stepsSpent).toBeLessThan(200);
  });
});

describe('the budget of characters is spent before a text is made', () => {
  it.each([
    '%text & %text',
    '%text + %text',
    '%text.upper()',
    '%text.lower()',
    '%text.trim()',
    '%text.substring(1)',
    "%text.replace('x', 'yyyyyyyyyy')",
    "%text.replace('', 'y')",
    '%text.toChars().join()',
    "%text.split('y')",
    "%text.encode('base64')",
    "%text.encode('hex')",
    "%text.escape('html')",
    "%text.escape('json')",
    "%text.unescape('html')",
    '%text.base64()',
    '%text.hash()',
    '%text.xhtml()',
    "%many.select('xxxxxxxxxx' & 'xxxxxxxxxx').join()",
    "%text ~ 'y'",
  ])('%s', (text) => expect(() => run(text, { characters: 30_000 })).toThrow(TestBudgetError));

  it('repeated doubling of a text ends long before the memory is full', () => {
    const doubling = `%text.select(${'$this & '.repeat(30)}$this)`;
    expect(() => run(`${doubling}.select(${'$this & '.repeat(30)}$this)`, {})).toThrow(TestBudgetError);
    expect(() => run("%many.aggregate($total & $total & 'xx')", {})).toThrow(TestBudgetError);
  });

  it('one replacement that would make gigabytes is never made', () => {
    expect(() => run("%a.replace('a', %a)", {})).toThrow(TestBudgetError);
    expect(() => run('%words.join(%a)', {})).toThrow(TestBudgetError);
  });
});

describe('values nested without end', () => {
  const nested = (levels: number) => {
    let deep: unknown = 1;
    for (let level = 0; level < levels; level++) deep = level % 2 === 0 ? { deep } : [deep, deep];
    return deep;
  };
  const bomb = (levels: number) =>
    Array(levels)
      .fill(0)
      .reduce<unknown>((inner) => [inner, inner], 1);
  const lists = JSON.parse(`${'['.repeat(3000)}1, 2${']'.repeat(3000)}`);

  it('a list in a list in a list … with one item is that item', () => {
    const variables = { lists: JSON.parse(`${'['.repeat(3000)}1${']'.repeat(3000)}`) };
    expect(evaluate('%lists', { variables }).items).toEqual([1]);
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => evaluate('%circle', { variables: { circle } })).toThrow('without end');
  });

  it.each([
    '%deep = %other',
    '%deep ~ %other',
    '%deep.descendants().count()',
    '%list.count()',
    '%bomb.count()',
    '%holder.bomb.count()',
    '%shallow = %shallowToo',
  ])('%s ends with an error in words or of the budget', (text) => {
    const shared = { bomb: bomb(40), holder: { bomb: bomb(40) }, shallow: nested(80), shallowToo: nested(80) };
    const variables = { deep: nested(5000), other: nested(5000), lists, list: [1, lists], ...shared };
    expect(() => evaluate(text, { variables, steps: 100_000 })).toThrow(/too deeply|without end|too many steps/);
  });
});

function run(text: string, limits: Evaluation): void {
  evaluate(text, { variables: VARIABLES, characters: 8_000_000, ...limits });
}
