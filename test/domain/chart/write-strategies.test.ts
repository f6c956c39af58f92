import { describe, expect, it } from '@jest/globals';
import type { EhrCapabilities, EhrFact, TypeCapabilities } from '../../../src/domain/chart/ehr-capabilities.ts';
import {
  acceptedContent,
  assessStrategies,
  conditionalLimit,
  type WriteStrategy,
} from '../../../src/domain/chart/write-strategies.ts';

const TYPE: TypeCapabilities = {
  canRead: true,
  canSearch: true,
  canCreate: true,
  canUpdate: true,
  hasConditionalCreate: false,
  hasVersions: true,
  searchParameters: new Set(['identifier', 'patient']),
};

const PROVEN: readonly EhrFact[] = [{ name: 'transaction', value: 'proven-atomic' }];

function capabilities(changes: Partial<EhrCapabilities> = {}): EhrCapabilities {
  return {
    software: 'Made Up 1.0',
    fhirVersion: '4.0.1',
    isKnown: true,
    hasTransaction: true,
    hasBatch: true,
    types: new Map([
      ['Composition', TYPE],
      ['DocumentReference', TYPE],
      ['Provenance', { ...TYPE, searchParameters: new Set(['target']) }],
    ]),
    ...changes,
  };
}

function usable(given: EhrCapabilities, facts: readonly EhrFact[] = []): readonly WriteStrategy[] {
  const types = ['Composition', 'DocumentReference', 'Provenance'] as const;
  return assessStrategies({ capabilities: given, facts, types: [...types] }).flatMap(({ rung, isUsable }) =>
    isUsable ? [rung] : [],
  );
}

describe('the write strategies', () => {
  it('an EHR with searches and with transactions that a write test has proven gets one transaction', () => {
    expect(usable(capabilities(), PROVEN)).toEqual(['transaction', 'single-creates', 'document-only', 'hold']);
  });

  it('an EHR whose transactions no write test has tried gets single creates, whatever it states', () => {
    const silent = capabilities({ isKnown: false, hasTransaction: false, types: new Map() });
    for (const given of [capabilities(), silent]) {
      expect(usable(given)).toEqual(['single-creates', 'document-only', 'hold']);
    }
  });

  it('a transaction that turned out to be run entry by entry is not used any more, although a write test had proven it', () => {
    expect(usable(capabilities(), [...PROVEN, { name: 'transaction', value: 'batch' }])[0]).toBe('single-creates');
  });

  it('an EHR without transactions gets single creates', () => {
    expect(usable(capabilities({ hasTransaction: false }))).toEqual(['single-creates', 'document-only', 'hold']);
  });

  it('an EHR that does not state transactions or a search gets one transaction once a write test has shown both', () => {
    const unstated = capabilities({
      hasTransaction: false,
      types: new Map([...capabilities().types, ['Composition', { ...TYPE, searchParameters: new Set<string>() }]]),
    });
    expect(usable(unstated, PROVEN)[0]).toBe('single-creates');
    const found: EhrFact = { name: 'search:Composition:identifier', value: 'works' };
    expect(usable(unstated, [...PROVEN, found])[0]).toBe('transaction');
  });

  it.each([['refused'], ['batch']] as const)('a transaction that was %s before is not tried again', (value) => {
    expect(usable(capabilities(), [{ name: 'transaction', value }])[0]).toBe('single-creates');
  });

  it('a type that cannot be searched for rules out a plain transaction, and only a probe allows a conditional one', () => {
    const blind = capabilities({
      types: new Map([...capabilities().types, ['Composition', { ...TYPE, canSearch: false }]]),
    });
    expect(usable(blind, PROVEN)[0]).toBe('single-creates');
    expect(usable(blind, [{ name: 'conditional', value: 'passed' }])[0]).toBe('conditional-transaction');
    expect(usable(blind, [{ name: 'conditional', value: 'failed' }])[0]).toBe('single-creates');
  });

  it('a search that was refused does not count as a way to find something again', () => {
    const only = new Set(['identifier']);
    const given = capabilities({
      types: new Map([...capabilities().types, ['Composition', { ...TYPE, searchParameters: only }]]),
    });
    expect(usable(given, PROVEN)[0]).toBe('transaction');
    expect(usable(given, [...PROVEN, { name: 'search:Composition:identifier', value: 'refused' }])[0]).toBe(
      'single-creates',
    );
  });

  it('an EHR that accepts none of the types leaves the result to a person', () => {
    const nothing = capabilities({ hasTransaction: false, types: new Map([['Patient', TYPE]]) });
    expect(usable(nothing)).toEqual(['hold']);
  });

  it('an EHR that does not state what it can do gets a transaction after a write test', () => {
    const silent = capabilities({ isKnown: false, hasTransaction: false, types: new Map() });
    expect(usable(silent, PROVEN)[0]).toBe('transaction');
    expect(usable(silent, [...PROVEN, { name: 'transaction', value: 'refused' }])[0]).toBe('single-creates');
  });

  it('each strategy has a reason', () => {
    const steps = assessStrategies({ capabilities: capabilities(), facts: [], types: ['Composition'] });
    expect(steps.map(({ why }) => why.length > 20 && why.endsWith('.'))).toEqual([true, true, true, true, true]);
  });
});

describe('what an EHR accepts', () => {
  it('is what it offers and has not refused, and what it accepted without offering it', () => {
    const facts: EhrFact[] = [
      { name: 'type:Composition', value: 'refused' },
      { name: 'type:Flag', value: 'taken' },
    ];
    const { takesType } = acceptedContent({ capabilities: capabilities(), facts });
    expect(['Composition', 'DocumentReference', 'Flag', 'RiskAssessment'].map(takesType)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('includes drafts, until it has refused one', () => {
    const known = { capabilities: capabilities() };
    expect(acceptedContent({ ...known, facts: [] }).takesDrafts).toBe(true);
    expect(acceptedContent({ ...known, facts: [{ name: 'drafts', value: 'refused' }] }).takesDrafts).toBe(false);
  });

  it('a conditional transaction holds eight entries, or as many as were learned', () => {
    expect(conditionalLimit([])).toBe(8);
    expect(conditionalLimit([{ name: 'conditional-limit', value: 5 }])).toBe(5);
  });
});
