// What a run takes out of the answers of its reasoner, and where that is visible.
import { describe, expect, it } from '@jest/globals';
import { removedFromRun } from '../../src/domain/run/removed-from-run.ts';
import { aDisease } from '../support/chart-facts.ts';
import { aRunTestbed, type RunTestbed } from '../support/run-testbed.ts';

function aTestbed(text: string): RunTestbed {
  const testbed = aRunTestbed();
  testbed.reasoner.script.note = ({ template }) => ({
    isMedical: true,
    note: {
      title: 'Visit',
      sections: template.sections.map(({ key, title }, index) => ({ key, title, text: index === 0 ? text : 'Rest.' })),
    },
  });
  return testbed;
}

async function resultsOf(testbed: RunTestbed) {
  await testbed.accept();
  await testbed.work();
  return await testbed.runs.results((await testbed.onlyRun()).id);
}

describe('A run whose reasoner wrote markup and addresses', () => {
  it('has them neither in its note nor in its draft, and says so in the section and in its counts', async () => {
    const results = await resultsOf(aTestbed('Cough <b>today</b>, see https://evil.example/a.'));
    expect(results['write-note']?.note.note.sections[0]?.text).toBe('Cough today, see.');
    expect(results.check?.note.note.sections.map(({ text }) => text).slice(0, 2)).toEqual([
      'Cough today, see.\n[an address that was not said was removed] [markup was removed]',
      'Rest.',
    ]);
    expect(results.check?.removed).toEqual({ markup: 2, addresses: 1 });
    expect(removedFromRun(results)).toEqual({ markup: 2, addresses: 1, dosages: 0 });
  });

  it('counts what was taken out of its diagnosis as well', async () => {
    const testbed = aTestbed('Cough.');
    testbed.diagnoses(() => ({
      diagnosis: {
        diseases: [aDisease({ why: '<i>Fever</i>', standard_care: [{ name: 'Rest', url: 'https://evil.example' }] })],
      },
      triage: { triage_level: 'WHITE', triage_justification: 'Calm.', triage_recommendation: 'Rest.' },
    }));
    const results = await resultsOf(testbed);
    expect(results.diagnose?.diagnosis.diagnosis.diseases).toMatchObject([
      { why: 'Fever', standard_care: [{ name: 'Rest' }] },
    ]);
    expect(results.diagnose?.diagnosis).not.toHaveProperty('removed');
    expect(removedFromRun(results)).toEqual({ markup: 2, addresses: 1, dosages: 0 });
  });

  it('says nothing if nothing was removed', async () => {
    const results = await resultsOf(aTestbed('Cough, SpO2 <90 %.'));
    expect(results.check?.note.note.sections[0]?.text).toContain('SpO2 <90 %');
    expect(results.check).not.toHaveProperty('removed');
    expect(removedFromRun(results)).toBeUndefined();
  });
});
