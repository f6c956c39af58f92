// A run whose documents a person must retract by hand names them: in its message, which `runs show` has at the top, and in `runs explain`.
import { expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { explainRun } from '../../src/flows/operations/explain-run.ts';
import { aRunTestbed } from '../support/run-testbed.ts';

it('a run of a cancelled encounter names the signed document that a person must retract', async () => {
  const testbed = aRunTestbed();
  await testbed.accept();
  await testbed.work();
  const note = testbed.hospital.written('DocumentReference')[0];
  const reference = `DocumentReference/${note?.id}`;
  testbed.ehr.edit(reference, (resource) => ({ ...resource, docStatus: 'final' }) as Resource);
  testbed.putEncounter({ status: 'cancelled' });
  await testbed.accept();
  await testbed.work();
  const run = (await testbed.allRuns()).find(({ session }) => session !== undefined);
  if (run === undefined) throw new Error('the run is gone');
  expect(run).toMatchObject({ status: 'parked', reason: 'retract-by-hand' });
  expect(run.message).toMatch(new RegExp(`still in the chart\\. Look at ${reference}\\.$`));
  expect(run.left).toEqual([{ document: 'document-reference', reference, why: 'signed' }]);
  const state = { site: testbed.site, pauses: [], feeds: [] };
  expect(explainRun({ state, run }).sentence).toContain(`Look at ${reference}.`);
});
