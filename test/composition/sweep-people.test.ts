// What the engine deletes of people's sign-ins and messages once their time is over.
import { expect, it } from '@jest/globals';
import { sweepPeople } from '../../src/composition/sweep-people.ts';
import { anAttempt } from '../contracts/sign-in-attempts-contract.ts';
import { makeFakeAuditEvents } from '../fakes/audit-events.ts';
import { makeFakeDeviceSignIns } from '../fakes/device-sign-ins.ts';
import { makeFakeLocalAccounts } from '../fakes/local-accounts.ts';
import { makeFakeNotices } from '../fakes/notices.ts';
import { makeFakePeople } from '../fakes/people.ts';
import { makeFakePersonSessions } from '../fakes/person-sessions.ts';
import { makeFakeSignInAttempts } from '../fakes/sign-in-attempts.ts';

const DAY_MS = 86_400_000;
const DIGEST = new Uint8Array(32).fill(1);
const NOTICE = {
  id: '1',
  kind: 'red',
  channel: { kind: 'mail', to: 'a@example.org' },
  site: 'mercy',
  details: {},
} as const;

it('sign-ins that are over are deleted, and notices and AuditEvents a month after they were sent', async () => {
  let time = Date.parse('2026-03-02T10:00:00Z');
  const now = () => new Date(time);
  const people = makeFakePeople({ now });
  const stores = {
    personSessions: makeFakePersonSessions({ people, now }),
    signInAttempts: makeFakeSignInAttempts({ now }),
    localAccounts: makeFakeLocalAccounts({ people, now }),
    deviceSignIns: makeFakeDeviceSignIns({ now }),
    notices: makeFakeNotices({ now }),
    auditEvents: makeFakeAuditEvents({ now }),
  };
  const swept: string[] = [];
  for (const [name, store] of Object.entries(stores)) {
    const { sweep } = store;
    Object.assign(store, {
      sweep: async (keepMs: number) => {
        swept.push(name);
        await sweep(keepMs);
      },
    });
  }
  const attempt = anAttempt();
  await stores.signInAttempts.begin(attempt);
  await stores.deviceSignIns.begin({
    deviceDigest: DIGEST,
    userCodeDigest: DIGEST,
    address: '',
    lifeMs: 1,
    intervalMs: 1,
  });
  await stores.notices.add(NOTICE);
  await stores.notices.claim(1, 1);
  await stores.notices.sent(NOTICE.id);
  await stores.auditEvents.add({ id: '1', site: 'mercy', body: '{}' });
  await stores.auditEvents.sent('1');
  time += 29 * DAY_MS;
  await sweepPeople(stores);
  expect(swept.toSorted()).toEqual(Object.keys(stores).toSorted());
  expect(await stores.deviceSignIns.poll(DIGEST)).toEqual({ state: 'unknown' });
  await stores.signInAttempts.begin(attempt);
  expect([stores.notices.all(), stores.auditEvents.all()]).toEqual([[expect.anything()], [expect.anything()]]);
  time += 2 * DAY_MS;
  await sweepPeople(stores);
  expect([stores.notices.all(), stores.auditEvents.all()]).toEqual([[], []]);
});
