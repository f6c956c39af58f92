// The fakes pass the contract suites of their ports.
import { codeListsContract } from '../contracts/code-lists-contract.ts';
import { ehrKnowledgeContract } from '../contracts/ehr-knowledge-contract.ts';
import { jobsContract, MOST_JOB_BYTES } from '../contracts/jobs-contract.ts';
import { keyedAnswersContract, MOST_BYTES } from '../contracts/keyed-answers-contract.ts';
import { keysContract } from '../contracts/keys-contract.ts';
import { ledgerContract } from '../contracts/ledger-contract.ts';
import { limitsContract } from '../contracts/limits-contract.ts';
import { plansContract } from '../contracts/plans-contract.ts';
import { preparedStreamsContract } from '../contracts/prepared-streams-contract.ts';
import { usageContract } from '../contracts/usage-contract.ts';
import { makeFakeCodeLists } from './code-lists.ts';
import { makeFakeEhrKnowledge } from './ehr-knowledge.ts';
import { makeFakeJobs } from './jobs.ts';
import { makeFakeKeyedAnswers } from './keyed-answers.ts';
import { makeFakeKeys } from './keys.ts';
import { makeFakeLedger } from './ledger.ts';
import { makeFakeLimits } from './limits.ts';
import { makeFakePlans } from './plans.ts';
import { makeFakePreparedStreams } from './prepared-streams.ts';
import { makeFakeUsage } from './usage.ts';

function aClock() {
  let time = Date.parse('2026-03-02T10:00:00Z');
  return {
    now: () => new Date(time),
    pass: async (ms: number) => {
      time += ms;
    },
  };
}

plansContract('the fake', async () => makeFakePlans());
keysContract('the fake', async () => makeFakeKeys());
usageContract('the fake', async () => makeFakeUsage());
limitsContract('the fake', async () => {
  const { now, pass } = aClock();
  const usage = makeFakeUsage({ now });
  return {
    limits: makeFakeLimits({ now, usage }),
    usage,
    passMinute: () => pass(60_000),
    passMonth: () => pass(31 * 86_400_000),
  };
});
preparedStreamsContract('the fake', async () => {
  const { now, pass } = aClock();
  return { streams: makeFakePreparedStreams({ now }), pass };
});
keyedAnswersContract('the fake', async () => {
  const { now, pass } = aClock();
  const answers = makeFakeKeyedAnswers({ now, mostBytesPerKey: MOST_BYTES });
  return { answers, other: answers, pass };
});
jobsContract('the fake', async () => {
  const { now, pass } = aClock();
  const jobs = makeFakeJobs({ now, mostBytesPerKey: MOST_JOB_BYTES });
  return { jobs, other: jobs, pass };
});
ledgerContract('the fake', async () => {
  const ledger = makeFakeLedger();
  return { ledger, other: ledger, passMs: async (ms) => ledger.passMs(ms) };
});
ehrKnowledgeContract('the fake', async () => makeFakeEhrKnowledge());
codeListsContract('the fake', async () => {
  const codes = makeFakeCodeLists();
  return { codes, other: codes };
});
