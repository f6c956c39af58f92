// An EHR that signs clinicians in, in memory: it agrees at once, and says what a test has set.
import { LaunchRefused } from '../../src/domain/people/launch-refusal.ts';
import type { EhrClinician, EhrSignIn } from '../../src/ports/ehr-sign-in.ts';

export type FakeEhrSignIn = EhrSignIn & {
  clinician: EhrClinician;
  /** The orders of both calls, in order. */
  readonly orders: readonly Parameters<EhrSignIn['finish']>[0][];
};

export function makeFakeEhrSignIn(): FakeEhrSignIn {
  const orders: Parameters<EhrSignIn['finish']>[0][] = [];
  const fake: FakeEhrSignIn = {
    clinician: {
      identity: { issuer: 'https://ehr.example.org/fhir https://ehr.example.org', subject: 'okafor' },
      practitioner: 'Practitioner/7',
      name: 'Ines Okafor',
      encounter: 'Encounter/123',
      patient: 'Patient/1',
    },
    orders,
    begin: async (order) => {
      orders.push({ ...order, answer: new URLSearchParams() });
      return new URL(`${order.issuer}/authorize?state=${order.state}`);
    },
    finish: async (order) => {
      orders.push(order);
      if (order.answer.has('error')) throw new LaunchRefused('denied');
      return fake.clinician;
    },
  };
  return fake;
}
