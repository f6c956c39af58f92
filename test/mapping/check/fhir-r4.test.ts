import { describe, expect, it } from '@jest/globals';
import { fhirR4 } from '../../../src/mapping/check/fhir-r4.ts';

const fhir = fhirR4();

describe('the compact FHIR R4 of the checker', () => {
  it('a Composition has its own elements and those of every resource', () => {
    const members = [...(fhir.type('Composition')?.members.keys() ?? [])];
    expect(members.slice(0, 8)).toEqual([
      'id',
      'meta',
      'implicitRules',
      'language',
      'text',
      'contained',
      'extension',
      'modifierExtension',
    ]);
    expect(members).toEqual(expect.arrayContaining(['status', 'section', 'author']));
  });

  it('an element has its cardinality and its codes', () => {
    const elements = fhir.type('Composition')?.elements;
    expect(elements?.get('status')).toEqual({
      name: 'status',
      types: [{ type: 'code' }],
      isChoice: false,
      isRequired: true,
      isList: false,
      codes: { 'http://hl7.org/fhir/composition-status': ['preliminary', 'final', 'amended', 'entered-in-error'] },
    });
    expect(elements?.get('section')).toMatchObject({ isRequired: false, isList: true });
    expect(elements?.get('author')).toMatchObject({ isRequired: true, isList: true });
  });

  it('a section has sections', () => {
    expect(fhir.type('Composition.section')?.members.get('section')?.type).toEqual({ type: 'Composition.section' });
  });

  it('a choice has a name for each of its types', () => {
    const observation = fhir.type('Observation');
    expect(observation?.elements.get('value')?.types).toHaveLength(11);
    expect(observation?.members.get('valueQuantity')?.type).toEqual({ type: 'Quantity' });
    expect(observation?.members.get('valueQuantity')?.element.name).toBe('value');
    expect(observation?.members.has('value')).toBe(false);
  });

  it('a Reference says what it may refer to', () => {
    const asserter = fhir.type('Condition')?.members.get('asserter')?.type;
    expect(asserter?.targets).toEqual(['Practitioner', 'PractitionerRole', 'Patient', 'RelatedPerson']);
    expect(fhir.type('Composition')?.members.get('subject')?.type).toEqual({ type: 'Reference' });
  });

  it('elements that only one FHIR server knows are left out', () => {
    expect([...(fhir.type('Meta')?.members.keys() ?? [])]).toEqual([
      'id',
      'extension',
      'versionId',
      'lastUpdated',
      'source',
      'profile',
      'security',
      'tag',
    ]);
    expect(fhir.type('SubscriptionStatus')).toBeUndefined();
    expect(fhir.resourceTypes).toHaveLength(146);
    expect(fhir.resourceTypes).not.toContain('DomainResource');
  });

  it('isA() follows the base types', () => {
    expect(fhir.isA('id', 'string')).toBe(true);
    expect(fhir.isA('Age', 'Quantity')).toBe(true);
    expect(fhir.isA('Composition', 'Resource')).toBe(true);
    expect(fhir.isA('string', 'code')).toBe(false);
    expect(fhir.type('Composition')?.kind).toBe('resource');
    expect(fhir.type('code')?.kind).toBe('primitive');
    expect(fhir.type('Composition.section')?.kind).toBe('complex');
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])('%s is no type', (name) => {
    expect(fhir.type(name)).toBeUndefined();
    expect(fhir.isA(name, 'Resource')).toBe(false);
  });

  it('every type that an element names is defined', () => {
    for (const name of fhir.resourceTypes) {
      for (const { types } of fhir.type(name)?.elements.values() ?? []) {
        for (const { type, targets } of types) {
          expect(fhir.type(type)?.name).toBe(type);
          for (const target of targets ?? []) expect(fhir.resourceTypes).toContain(target);
        }
      }
    }
  });
});
