// The second check of a run's note, by a model: what it may hold up, and what not.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/domain/errors.ts';
import { makeFakeReasoner } from '../fakes/reasoner.ts';
import { type FakeVerifier, makeFakeVerifier, NOT_MENTIONED } from '../fakes/verifier.ts';
import { aRunTestbed, type RunTestbed } from '../support/run-testbed.ts';

const isKnee = (text: string) => text.startsWith('Knee');

function aTestbed(verifier: FakeVerifier | undefined, settings: Parameters<typeof aRunTestbed>[0] = {}) {
  const testbed = aRunTestbed({ ...settings, ...(verifier && { verifier }) });
  testbed.reasoner.script.note = ({ template }) => ({
    isMedical: true,
    note: {
      title: 'Visit',
      sections: template.sections.map(({ key, title }, index) => {
        return { key, title, text: index === 0 ? 'Knee stiff in the mornings.' : 'Rest.' };
      }),
    },
  });
  return testbed;
}

async function lastResults(testbed: RunTestbed) {
  const run = (await testbed.allRuns()).at(-1);
  return { run, results: await testbed.runs.results(run?.id ?? '') };
}

describe('the second check of a run', () => {
  it('marks what the first check cannot read, and the run goes on', async () => {
    const testbed = aTestbed(makeFakeVerifier({ judge: (text) => (isKnee(text) ? NOT_MENTIONED : undefined) }));
    await testbed.accept();
    await testbed.work();
    const { run, results } = await lastResults(testbed);
    expect(run?.status).toBe('written');
    expect(results.check?.note.note.sections[0]?.text).toContain('Knee stiff in the mornings. [');
    expect(results.check?.report.verifier).toMatchObject({ model: 'fake:verifier', outcome: 'checked' });
  });

  it('holds the note if the policy of the site says so', async () => {
    const testbed = aTestbed(makeFakeVerifier({ judge: (text) => (isKnee(text) ? NOT_MENTIONED : undefined) }));
    const { check } = testbed.site.settings;
    testbed.change({ check: { ...check, policy: { finding: { unsupported: 'hold' } } } }, '1');
    await testbed.accept();
    await testbed.work();
    expect((await lastResults(testbed)).run?.status).toBe('held');
  });

  it('the alarm of a RED triage is stored before the verifier is asked', async () => {
    const verifier = makeFakeVerifier();
    const testbed = aTestbed(verifier);
    const diagnosis = testbed.reasoner.script.diagnosis;
    testbed.reasoner.script.diagnosis = (request) => {
      const usual = diagnosis(request);
      return { ...usual, triage: { ...usual.triage, triage_level: 'RED' } };
    };
    let told: readonly string[] | undefined;
    verifier.script.wait = async () => {
      told = testbed.kinds();
    };
    await testbed.accept();
    await testbed.work();
    expect(told).toContain('attention');
  });

  it('a verifier that cannot be had stops no run, and the report says that its check is missing', async () => {
    const testbed = aTestbed(makeFakeVerifier({ failure: new AppError('vendorUnavailable', 'down') }));
    await testbed.accept();
    await testbed.work();
    const { run, results } = await lastResults(testbed);
    expect(run?.status).toBe('written');
    expect(run?.waitsFor).toBeUndefined();
    expect(results.check?.report.verifier).toEqual({ model: 'fake:verifier', outcome: 'failed' });
  });

  it('a site that allows no vendor has no second check', async () => {
    const verifier = makeFakeVerifier();
    const model = { ...makeFakeReasoner(), engine: 'builtin:rules@3' };
    const testbed = aTestbed(verifier, { model, settings: { engines: { allow: ['builtin'] } } });
    await testbed.accept();
    await testbed.work();
    const { results } = await lastResults(testbed);
    expect(verifier.requests).toHaveLength(0);
    expect(results.check?.report.statements).toBeDefined();
    expect(results.check?.report.verifier).toBeUndefined();
  });

  it.each([true, false])(
    'a pause of the model that begins after the diagnosis stops the run before its second check, if there is one (%s)',
    async (isSecond) => {
      const verifier = makeFakeVerifier();
      const testbed = aTestbed(isSecond ? verifier : undefined);
      const diagnosis = testbed.reasoner.script.diagnosis;
      testbed.reasoner.script.diagnosis = (request) => {
        void testbed.pauses.pause(testbed.site.name, 'model', 'wrong answers');
        return diagnosis(request);
      };
      await testbed.accept();
      await testbed.work();
      expect((await lastResults(testbed)).run?.status).toBe(isSecond ? 'waiting' : 'written');
      expect(verifier.requests).toHaveLength(0);
    },
  );
});
