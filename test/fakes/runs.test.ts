// The fake inbox, queue, runs and recordings pass the contract suites of their ports.
import { draftsContract } from '../contracts/drafts-contract.ts';
import { inboxContract } from '../contracts/inbox-contract.ts';
import { queueContract } from '../contracts/queue-contract.ts';
import { recordingsContract } from '../contracts/recordings-contract.ts';
import { remindersContract } from '../contracts/reminders-contract.ts';
import { runsContract } from '../contracts/runs-contract.ts';
import { makeFakeRecordings } from './recordings.ts';
import { makeFakeRuns } from './runs.ts';

const makeSubject = async () => {
  let at = new Date('2026-03-02T10:00:00Z').getTime();
  const now = () => new Date(at);
  const fake = makeFakeRuns({ now });
  return {
    ...fake,
    other: fake.queue,
    otherReminders: fake.reminders,
    otherDrafts: fake.drafts,
    now,
    pass: (ms: number) => {
      at += ms;
    },
    outbox: async () => fake.outbox,
  };
};

inboxContract('the fake', makeSubject);
queueContract('the fake', makeSubject);
runsContract('the fake', makeSubject);
remindersContract('the fake', makeSubject);
draftsContract('the fake', makeSubject);
recordingsContract('the fake', async () => makeFakeRecordings());
