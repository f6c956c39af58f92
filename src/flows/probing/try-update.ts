// A probe's update: does the EHR refuse to overwrite a version that is not the last?
import type { Resource } from '@medplum/fhirtypes';
import type { StoredResource } from '../../ports/ehr.ts';
import { failed, notTried, passed, type Verdict } from './probe-steps.ts';
import { saidOf } from './probe-words.ts';
import type { Attempt } from './probe-writing.ts';

const STEP = 'a new version';
/** These get versions; what says something clinically does not. */
const VERSIONED: readonly string[] = ['DocumentReference', 'Composition'];

export async function tryUpdate(attempt: Attempt, stored: readonly StoredResource[]): Promise<void> {
  const { steps, ehr, signal, learn } = attempt;
  const first = stored.find(({ resource }) => VERSIONED.includes(resource.resourceType)) ?? stored[0];
  await steps.run(STEP, async (): Promise<Verdict> => {
    if (first === undefined) return notTried('Nothing was stored that could be changed.');
    const { reference, resource, version } = (await ehr.read(first.reference, signal)) ?? first;
    if (version === undefined) {
      return notTried('It keeps no versions: what a person changes in the moment of a write may be overwritten.');
    }
    const update = (changed: Resource) =>
      ehr.withWriteSlot(
        () => ehr.update({ reference, body: JSON.stringify(changed), ifMatch: version }, signal),
        signal,
      );
    const change = await update({ ...resource, language: resource.language === 'en-GB' ? 'en-US' : 'en-GB' });
    if (change.kind !== 'stored') return failed(saidOf(change));
    // The version that this one builds on is not the last any more.
    const stale = await update({ ...resource, language: 'en-AU' });
    if (stale.kind === 'conflict') {
      await learn({ name: 'if-match', value: 'honoured' });
      return passed('It was changed, and a change of an older version was refused.');
    }
    if (stale.kind !== 'stored') return failed(saidOf(stale));
    await learn({ name: 'if-match', value: 'ignored' });
    return failed('A change of an older version was taken: it may overwrite what a person wrote meanwhile.');
  });
}
