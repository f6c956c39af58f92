import { describe, expect, it } from '@jest/globals';
import {
  asConfidentiality,
  CONFIDENTIALITY_ORDER,
  confidentialityOf,
  decideSensitive,
  higherOf,
  highestConfidentiality,
  isRestricted,
} from '../../../src/domain/chart/confidentiality.ts';
import { fc } from '../../support/fast-check.ts';

const SYSTEM = 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality';
const ACT_CODE = 'http://terminology.hl7.org/CodeSystem/v3-ActCode';

function labelled(...security: readonly unknown[]) {
  return { resourceType: 'Condition', meta: { security } };
}

describe('how confidential a resource is', () => {
  it('the highest of its labels counts', () => {
    expect(confidentialityOf(labelled({ system: SYSTEM, code: 'N' }, { system: SYSTEM, code: 'R' }))).toBe('R');
    expect(confidentialityOf(labelled({ system: SYSTEM, code: 'L' }))).toBe('L');
  });

  it('without a label of that kind it has none', () => {
    expect(confidentialityOf({ resourceType: 'Condition' })).toBeUndefined();
    expect(confidentialityOf(labelled({ system: 'https://local.example/labels', code: 'V' }))).toBeUndefined();
    expect(confidentialityOf(labelled({ system: ACT_CODE, code: 'PERSISTLABEL' }))).toBeUndefined();
    expect(confidentialityOf(null)).toBeUndefined();
  });

  it('an unknown code of that system counts as the highest', () => {
    for (const code of ['PSY', 'r', '', 'X', undefined, 7]) {
      expect(confidentialityOf(labelled({ system: SYSTEM, code }))).toBe('V');
    }
    expect(asConfidentiality('Z')).toBe('V');
    expect(asConfidentiality(undefined)).toBeUndefined();
  });

  it('a sensitive matter counts as restricted', () => {
    for (const code of ['ETH', 'PSY', 'HIV', 'SUD', 'SDV', 'SEX']) {
      expect(confidentialityOf(labelled({ system: ACT_CODE, code }))).toBe('R');
    }
  });

  it('older addresses of the code system are the same system', () => {
    expect(confidentialityOf(labelled({ system: 'http://hl7.org/fhir/v3/Confidentiality', code: 'R' }))).toBe('R');
    expect(confidentialityOf(labelled({ system: 'urn:oid:2.16.840.1.113883.5.25', code: 'V' }))).toBe('V');
  });

  it('labels of a wrong shape never count as harmless', () => {
    expect(confidentialityOf({ meta: { security: { system: SYSTEM, code: 'R' } } })).toBe('R');
    expect(confidentialityOf({ meta: { security: 'restricted' } })).toBe('V');
    expect(confidentialityOf(labelled({ display: 'very restricted' }))).toBe('V');
    expect(confidentialityOf(labelled({ code: 'R' }))).toBe('R');
    expect(confidentialityOf(labelled({ code: 'N' }))).toBeUndefined();
    expect(confidentialityOf(labelled(null))).toBeUndefined();
  });

  it('a document’s own label counts, too', () => {
    const document = {
      resourceType: 'DocumentReference',
      securityLabel: [{ coding: [{ system: SYSTEM, code: 'V' }] }],
    };
    expect(confidentialityOf(document)).toBe('V');
  });

  it('from R on it is restricted', () => {
    expect(CONFIDENTIALITY_ORDER.filter((code) => isRestricted(code))).toEqual(['R', 'V']);
    expect(isRestricted(undefined)).toBe(false);
  });
});

describe('the highest of many', () => {
  const code = fc.constantFrom(...CONFIDENTIALITY_ORDER, undefined);

  it('it is one of the labels, whatever their order and grouping', () => {
    fc.assert(
      fc.property(fc.array(code, { maxLength: 12 }), fc.nat(), (codes, shift) => {
        const resources = codes.map((one) => labelled(...(one === undefined ? [] : [{ system: SYSTEM, code: one }])));
        const at = codes.length === 0 ? 0 : shift % codes.length;
        const turned = [...resources.slice(at), ...resources.slice(0, at)];
        const highest = highestConfidentiality(resources);
        expect(highestConfidentiality(turned.reverse())).toBe(highest);
        const halves = [resources.slice(0, at), resources.slice(at)].map(highestConfidentiality);
        expect(higherOf(halves[0], halves[1])).toBe(highest);
        const ranks = codes.map((one) => (one === undefined ? -1 : CONFIDENTIALITY_ORDER.indexOf(one)));
        const best = Math.max(-1, ...ranks);
        expect(highest).toBe(best < 0 ? undefined : CONFIDENTIALITY_ORDER[best]);
      }),
    );
  });

  it('another label never lowers it', () => {
    fc.assert(
      fc.property(fc.array(code), fc.anything(), (codes, label) => {
        const resources = codes.map((one) => labelled({ system: SYSTEM, code: one ?? 'U' }));
        const before = highestConfidentiality(resources);
        const after = highestConfidentiality([...resources, labelled(label)]);
        expect(higherOf(before, after)).toBe(after);
      }),
    );
  });
});

describe('a label in an unusual form', () => {
  it.each([
    ['with a version after its system', { system: `${SYSTEM}|2.0.0`, code: 'R' }, 'R'],
    ['with a slash at the end', { system: `${SYSTEM}/`, code: 'R' }, 'R'],
    [
      'with the address of the value set',
      { system: 'http://terminology.hl7.org/ValueSet/v3-Confidentiality', code: 'V' },
      'V',
    ],
    ['with https', { system: SYSTEM.replace('http:', 'https:'), code: 'R' }, 'R'],
    ['with the bare OID', { system: '2.16.840.1.113883.5.25', code: 'R' }, 'R'],
    ['with a system that is no text', { system: [SYSTEM], code: 'N' }, 'V'],
    ['of something else', { system: 'urn:hospital:confidentiality-of-rooms', code: 'R' }, undefined],
  ])('%s is understood', (_, label, expected) => {
    expect(confidentialityOf(labelled(label))).toBe(expected);
  });

  it('counts in a list of metas, or as a text alone', () => {
    const label = { system: SYSTEM, code: 'R' };
    expect(confidentialityOf({ meta: [{ security: [label] }] })).toBe('R');
    expect(confidentialityOf({ securityLabel: [label] })).toBe('R');
    expect(confidentialityOf({ securityLabel: [{ text: 'for the board only' }] })).toBe('V');
  });
});

describe('the sensitive entries of a site', () => {
  const entry = (when: string, then: 'allow' | 'skip' | 'hold') => ({ when, then });
  const entries = [entry('a', 'allow'), entry('b', 'skip'), entry('c', 'hold')];

  it('the first entry that fits decides', () => {
    expect(decideSensitive(entries, (when) => when !== 'a')).toBe('skip');
    expect(decideSensitive(entries, () => true)).toBe('allow');
    expect(decideSensitive(entries, () => false)).toBeUndefined();
  });

  it('an entry that cannot be evaluated is not skipped', () => {
    expect(decideSensitive(entries, (when) => (when === 'a' ? 'cannot-tell' : true))).toBe('cannot-tell');
    expect(decideSensitive(entries, (when) => (when === 'a' ? true : 'cannot-tell'))).toBe('allow');
  });
});
