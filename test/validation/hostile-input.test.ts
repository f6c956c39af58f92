import { beforeAll, describe, expect, it } from '@jest/globals';
import { validateResources } from '../../src/validation/validate-resource.ts';
import { fc } from '../support/fast-check.ts';
import { aComposition, goodSet, narrative } from './good-resources.ts';

type Json = Record<string, unknown>;

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

// What takes its time is loading the definitions, once.
beforeAll(() => {
  validateResources([]);
});

/** Far below what a walk would need that does not stop; far above a busy machine's second. */
const SOON_MS = 10_000;

describe('a hostile resource is refused, and nothing breaks', () => {
  const list = (length: number, item: unknown): unknown[] => Array.from({ length }, () => item);
  const cycle: Json = { title: 'x' };
  cycle['section'] = [cycle];

  it.each<readonly [string, unknown, RegExp]>([
    [
      'sections in sections without end',
      aComposition({ section: [nested(100_000, (inner) => ({ section: [inner] }))] }),
      /^is nested deeper than 64 levels/,
    ],
    [
      'lists in lists without end',
      aComposition({ section: nested(100_000, (inner) => [inner]) }),
      /^is nested deeper than 64 levels/,
    ],
    [
      'extensions in extensions without end',
      aComposition({ extension: [nested(50_000, (inner) => ({ extension: [inner] }))] }),
      /^is nested deeper/,
    ],
    ['a circle', aComposition({ section: [cycle] }), /^is nested deeper than 64 levels/],
    ['a million authors', aComposition({ author: list(1_000_000, { display: 'x' }) }), /^makes the set too large/],
    [
      'a list that says it is endless',
      aComposition({ author: Object.assign([], { length: 4_000_000_000 }) }),
      /^makes the set too large/,
    ],
    [
      'a million unknown elements',
      Object.fromEntries(list(1_000_000, 0).map((_, index) => [`a${index}`, 1])),
      /^makes the set too large/,
    ],
    ['70 MB of text', aComposition({ title: 'x'.repeat(70 * 1_048_576) }), /^makes the set too large/],
    ['a function', aComposition({ title: () => 'x' }), /^has something in it that is no JSON/],
    ['a Date', aComposition({ date: new Date(0) }), /^has something in it that is no JSON/],
    ['a Map', aComposition({ section: new Map() }), /^has something in it that is no JSON/],
    ['a bigint', aComposition({ title: 1n }), /^has something in it that is no JSON/],
    ['a number that is none', aComposition({ title: Number.NaN }), /^has something in it that is no JSON/],
  ])('%s', (_, resource, message) => {
    const started = performance.now();
    expect(validateResources([resource])).toEqual([
      {
        resource: 0,
        element: expect.stringMatching(/^(Composition|Resource)$/),
        message: expect.stringMatching(message),
        severity: 'error',
      },
    ]);
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  });

  it('a thousand faults are not all listed', () => {
    const problems = validateResources([aComposition({ author: list(1_000, { reference: 'x' }) })]);
    expect(problems.length).toBeLessThanOrEqual(101);
    expect(problems.at(-1)?.message).toBe('has more problems than are shown here');
  });

  it.each([
    ['__proto__', '{"resourceType":"Flag","__proto__":{"status":"active"}}'],
    ['constructor', '{"resourceType":"Flag","constructor":{"prototype":{}}}'],
    ['hasOwnProperty', '{"resourceType":"Flag","hasOwnProperty":1}'],
    ['__proto__ as a type', '{"resourceType":"__proto__"}'],
    ['constructor as a type', '{"resourceType":"constructor"}'],
    ['a type that is an object', '{"resourceType":{"a":1}}'],
    ['constructor as a reference', '{"resourceType":"Flag","subject":{"reference":"constructor/1"}}'],
  ])('%s', (_, json) => {
    expect(validateResources([JSON.parse(json)])).not.toEqual([]);
    expect({}).not.toHaveProperty('status');
  });

  it('a list with holes', () => {
    const author = [{ display: 'x' }];
    author[2] = { display: 'y' };
    expect(validateResources([aComposition({ author, section: undefined })])).toEqual([
      expect.objectContaining({ element: 'Composition.author[1]', message: 'is null; leave it out of the list' }),
    ]);
  });

  it('a great sound set is looked at in seconds', () => {
    const section = list(10, { title: 'x', text: narrative(`<p>${'a &lt; b '.repeat(110_000)}</p>`) });
    const started = performance.now();
    const problems = validateResources([aComposition({ section })], { isPart: true });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  });
});

describe('no value of a resource is in a message', () => {
  const CANARY = 'Zanzibar-4711';

  it('it is refused at any place of the resource', () => {
    let messages = 0;
    for (const { resource } of goodSet()) {
      for (const broken of withCanaries(resource, CANARY)) {
        const problems = validateResources([broken], { isPart: true });
        messages += problems.length;
        expect(JSON.stringify(problems)).not.toMatch(/zanzibar|4711/i);
      }
    }
    expect(messages).toBeGreaterThan(300);
  });

  it('also where something else is wrong beside it', () => {
    const broken = [
      { resourceType: CANARY },
      { resourceType: 'Flag', [CANARY]: 1 },
      { resourceType: 'Flag', contained: [{ resourceType: CANARY, id: 'a' }], author: { reference: '#a' } },
      { resourceType: 'Flag', contained: [{ resourceType: 'Patient', [CANARY]: 1 }] },
      { resourceType: 'Flag', subject: { reference: `${CANARY}/1`, type: CANARY } },
      { resourceType: 'Flag', author: { reference: `https://example.org/${CANARY}/1` } },
      { resourceType: 'Bundle', type: CANARY, entry: [{ fullUrl: 'urn:uuid:1', resource: { resourceType: CANARY } }] },
      { resourceType: 'Flag', author: { reference: 'urn:uuid:1' } },
      {
        resourceType: 'Flag',
        code: { coding: [{ system: CANARY, code: CANARY }] },
        extension: [{ [`value${CANARY}`]: 1 }],
      },
    ];
    expect(JSON.stringify(validateResources(broken, { fullUrls: [CANARY] }))).not.toMatch(/zanzibar|4711/i);
  });
});

describe('any input', () => {
  const anything = fc.jsonValue({ maxDepth: 4 });

  it('a resource of random shape gets an answer', () => {
    const elements = [
      'status',
      'code',
      'subject',
      'text',
      'contained',
      'extension',
      'identifier',
      'meta',
      '_status',
      'section',
      'author',
      'period',
      'prediction',
      'content',
    ];
    const hostile = fc.record(
      {
        resourceType: fc.constantFrom(
          'Flag',
          'Composition',
          'Bundle',
          'RiskAssessment',
          'DocumentReference',
          'Parameters',
          'Nobody',
        ),
        ...Object.fromEntries(elements.map((element) => [element, anything])),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(hostile, anything), { maxLength: 3 }), (resources) => {
        for (const { resource, element, message } of validateResources(resources)) {
          expect(resource).toBeLessThan(resources.length);
          expect(element).toMatch(/^[A-Za-z0-9_.[\]]+$/);
          expect(message).not.toBe('could not be checked');
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Copies of a resource, in each of which one value is the canary, a text where none may be, or an element beside the others. */
function* withCanaries(resource: unknown, canary: string): Generator<unknown> {
  yield canary;
  yield [canary];
  yield { text: canary };
  if (typeof resource !== 'object' || resource === null) return;
  for (const [key, member] of Object.entries(resource)) {
    for (const inner of withCanaries(member, canary)) {
      yield Array.isArray(resource) ? resource.with(Number(key), inner) : { ...(resource as Json), [key]: inner };
    }
  }
}
