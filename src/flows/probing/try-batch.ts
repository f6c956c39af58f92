// Whether an EHR answers several reads in one batch as it answers each of them alone. The outlet itself finds out and remembers it; here it
// gets reads to find it out with, of the test patient.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { factNamed } from '../../domain/chart/ehr-capabilities.ts';
import type { ProbeAttempt } from './probe-attempt.ts';
import { failed, passed } from './probe-steps.ts';

type Visit = { readonly patient: Patient; readonly encounter: Encounter };

export async function tryBatch(
  { ehr, steps, recall, signal }: ProbeAttempt,
  { patient, encounter }: Visit,
): Promise<void> {
  await steps.run('several reads in one batch', async () => {
    const parameters = { _id: encounter.id ?? '' };
    await ehr.together(
      [
        (reads) => reads.read(`Patient/${patient.id}`, signal),
        (reads) => reads.read(`Encounter/${encounter.id}`, signal),
        (reads) => reads.search({ type: 'Encounter', parameters, maxResources: 1 }, signal),
      ],
      signal,
    );
    return factNamed(await recall(), 'search:batch') === 'works' ? passed(WORKS) : failed(DOES_NOT);
  });
}

const WORKS = 'Answered as single requests are: a run sends fewer of them.';
const DOES_NOT =
  'It does not answer a batch as it answers single requests: a run sends them one by one, which is slower and changes nothing else.';
