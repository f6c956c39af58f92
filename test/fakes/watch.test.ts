// The fakes of the audit trail, pauses, feeds, reviewers and the outbox pass the contract suites of their ports.
import { auditContract } from '../contracts/audit-contract.ts';
import { feedsContract } from '../contracts/feeds-contract.ts';
import { outboxContract } from '../contracts/outbox-contract.ts';
import { pausesContract } from '../contracts/pauses-contract.ts';
import { releasesContract } from '../contracts/releases-contract.ts';
import { reviewersContract } from '../contracts/reviewers-contract.ts';
import { makeFakeAudit } from './audit.ts';
import { makeFakeFeeds } from './feeds.ts';
import { makeFakeOutbox } from './outbox.ts';
import { makeFakePauses } from './pauses.ts';
import { makeFakeReleases } from './releases.ts';
import { makeFakeReviewers } from './reviewers.ts';

auditContract('the fake', async () => {
  const audit = makeFakeAudit();
  return { audit, other: audit };
});
pausesContract('the fake', async () => makeFakePauses());
releasesContract('the fake', async () => makeFakeReleases());
feedsContract('the fake', async () => makeFakeFeeds());
reviewersContract('the fake', async () => makeFakeReviewers());
outboxContract('the fake', async () => {
  let time = Date.parse('2026-03-02T10:00:00Z');
  const outbox = makeFakeOutbox({ now: () => new Date(time) });
  return {
    outbox,
    other: outbox,
    put: async (kind, event) => outbox.put(kind, event),
    passMs: async (ms) => {
      time += ms;
    },
  };
});
