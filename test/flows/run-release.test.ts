// A run that is held as sensitive goes on to the chart once a person has released it.
import { expect, it } from '@jest/globals';
import { makeOperateRuns } from '../../src/flows/operations/operate-runs.ts';
import { makeResumeRuns } from '../../src/flows/operations/resume-runs.ts';
import { asIfOpen, OPERATOR } from '../support/access.ts';
import { aRunTestbed } from '../support/run-testbed.ts';

function aSensitiveHospital() {
  // biome-ignore lint/suspicious/noThenProperty: `then` is the documented key of site.yaml; the object is never awaited
  const testbed = aRunTestbed({ settings: { sensitive: [{ when: 'true', then: 'hold' }] } });
  const onAccepted = () => undefined;
  const findEncounters = async () => ({ encounters: [], isComplete: true });
  const operate = makeOperateRuns({ ...testbed, requireOpenChart: asIfOpen, findEncounters, onAccepted });
  const { release } = makeResumeRuns({ ...testbed, startRun: operate.start, onResumed: onAccepted });
  return { testbed, operate, release };
}

it('a run that was released is written, and a second one of its session is not held again', async () => {
  const { testbed, operate, release } = aSensitiveHospital();
  await testbed.accept();
  await testbed.drain();
  const held = await testbed.onlyRun();
  expect([held.status, held.reason, testbed.chart()]).toEqual(['held', 'sensitive', []]);
  await release({ access: OPERATOR, id: held.id, reason: 'The patient agreed.', isForEncounter: false });
  await testbed.drain();
  expect(await testbed.onlyRun()).toMatchObject({ status: 'written' });
  expect(testbed.chart()).toContain('Composition');
  await operate.replay({ access: OPERATOR, id: held.id, isDry: false });
  await testbed.drain();
  expect(await testbed.statuses()).toEqual(['written', 'written']);
});
