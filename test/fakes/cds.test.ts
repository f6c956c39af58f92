// The fakes of what cards in the EHR need keep the promises of their ports.
import { cdsContract } from '../contracts/cds-contract.ts';
import { makeFakeCdsFeedback } from './cds-feedback.ts';
import { makeFakeRuns } from './runs.ts';

cdsContract('the fake', async () => {
  let at = new Date('2026-03-02T10:00:00Z').getTime();
  const now = () => new Date(at);
  const fake = makeFakeRuns({ now });
  return {
    ...fake,
    other: fake.queue,
    cdsFeedback: makeFakeCdsFeedback(),
    now,
    pass: (ms: number) => {
      at += ms;
    },
    outbox: async () => fake.outbox,
  };
});
