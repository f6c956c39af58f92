// That the checkers which all mappings are tested with do see something, each its own; and that what they see, our validation
// sees too.
import { describe, expect, it } from '@jest/globals';
import { validateResources } from '../../src/validation/validate-resource.ts';
import { checkWithAll } from '../support/fhir-checkers.ts';
import { aComposition, aCondition, aFlag, aRiskAssessment, goodSet, narrative } from './good-resources.ts';

describe('the three checkers', () => {
  it.each([
    ['the JSON schema', aFlag({ zzz: 1 }), /^json-schema: Flag: should NOT have additional properties/],
    ['the JSON schema, by a bad date', aComposition({ date: 'today' }), /^json-schema: Composition\.date: /],
    ['Lantana, by a bogus code', aFlag({ status: 'bogus' }), /^lantana: Flag\.status: Code "bogus" not found/],
    [
      'Lantana, by a wrong target',
      aCondition({ subject: { reference: 'Device/1' } }),
      /^lantana: Condition\.subject: Invalid type/,
    ],
    [
      'Lantana, by a narrative that is no XML',
      aComposition({ text: narrative('<p>x') }),
      /^lantana: Composition: The embedded xhtml/,
    ],
    [
      'fhirpath.js, by an invariant',
      aComposition({ section: [{ section: [{ title: 'x' }] }] }),
      /^fhirpath: Composition\.section\[0\]\.section\[0\]: cmp-1/,
    ],
    [
      'fhirpath.js, by an invariant of a data type',
      aFlag({ extension: [{ url: 'urn:x' }] }),
      /^fhirpath: Flag\.extension\[0\]: ext-1/,
    ],
    [
      'fhirpath.js, by an invariant of a choice',
      aRiskAssessment({ prediction: [{ probabilityRange: { low: { value: 1 } } }] }),
      /ras-1/,
    ],
  ])('%s', (_, resource, complaint) => {
    expect(checkWithAll(resource)).toContainEqual(expect.stringMatching(complaint));
  });
});

describe('what one of them finds, our validation finds too', () => {
  const junk = [null, [], {}, '', 'x y', ['x'], { zzz: 1 }, -1, true];

  it.each(goodSet().map(({ resource }) => [String(resource['resourceType']), resource] as const))(
    'in a %s',
    (_, resource) => {
      const mutants = junk.flatMap((value) => [...withOneReplaced(resource, value)]);
      const missed = mutants.filter((mutant) => {
        const isRefused = validateResources([mutant], { isPart: true }).some(({ severity }) => severity === 'error');
        return !isRefused && complaintsOf(mutant).length > 0;
      });
      expect(missed).toEqual([]);
      expect(mutants.length).toBeGreaterThan(100);
    },
  );

  it.each([null, [], {}, ''])('and %j in any place', (empty) => {
    const mutants = goodSet().flatMap(({ resource }) => [...withOneReplaced(resource, empty)]);
    const unseen = mutants.filter((mutant) => validateResources([mutant], { isPart: true }).length === 0);
    expect(unseen).toEqual([]);
  });
});

/** What is no resource at all they throw at. */
function complaintsOf(mutant: object): readonly string[] {
  try {
    return checkWithAll(mutant);
  } catch {
    return ['threw'];
  }
}

/** Copies in each of which one value is another. */
function* withOneReplaced(resource: object, value: unknown): Generator<object> {
  for (const [key, member] of Object.entries(resource)) {
    yield replaced(resource, key, value);
    if (typeof member !== 'object' || member === null) continue;
    for (const inner of withOneReplaced(member, value)) yield replaced(resource, key, inner);
  }
}

function replaced(holder: object, key: string, value: unknown): object {
  return Array.isArray(holder) ? holder.with(Number(key), value) : { ...holder, [key]: value };
}
