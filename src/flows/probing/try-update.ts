// The update of a probe: does the EHR refuse a change that was made for an older version?
import type { Resource } from '@medplum/fhirtypes';
import type { StoredResource } from '../../ports/ehr.ts';
import type { ProbeAttempt } from './probe-attempt.ts';
import { failed, notTried, passed, type Verdict } from './probe-steps.ts';
import { describeAnswer } from './probe-words.ts';

const STEP = 'a new version';
/** Documents get versions; clinical statements do not. */
const VERSIONED: readonly string[] = ['DocumentReference', 'Composition'];

export async function tryUpdate(attempt: ProbeAttempt, stored: readonly StoredResource[]): Promise<void> {
  const { steps, ehr, signal, learn } = attempt;
  const first = stored.find(({ resource }) => VERSIONED.includes(resource.resourceType)) ?? stored[0];
  await steps.run(STEP, async (): Promise<Verdict> => {
    if (first === undefined) return notTried('Nothing was stored that could be changed.');
    const { reference, resource, version } = (await ehr.read(first.reference, signal)) ?? first;
    if (version === undefined) {
      return notTried('It keeps no versions: what a person changes at the moment of a write may be overwritten.');
    }
    const update = (changed: Resource) =>
      ehr.withWriteSlot(
        () => ehr.update({ reference, body: JSON.stringify(changed), ifMatch: version }, signal),
        signal,
      );
    const change = await update({ ...resource, language: resource.language === 'en-GB' ? 'en-US' : 'en-GB' });
    if (change.kind !== 'stored') return failed(describeAnswer(change));
    // This change is for a version that is not the current one any more.
    const stale = await update({ ...resource, language: 'en-AU' });
    if (stale.kind === 'conflict') {
      await learn({ name: 'if-match', value: 'honoured' });
      return passed('It was changed, and a change of an older version was refused.');
    }
    if (stale.kind !== 'stored') return failed(describeAnswer(stale));
    await learn({ name: 'if-match', value: 'ignored' });
    return failed('A change of an older version was accepted: it may overwrite what a person has written since.');
  });
}
