// The fakes of people and of all that belongs to them pass the contract suites of their ports.
import { auditEventsContract } from '../contracts/audit-events-contract.ts';
import { deviceSignInsContract } from '../contracts/device-sign-ins-contract.ts';
import { localAccountsContract } from '../contracts/local-accounts-contract.ts';
import { noticesContract } from '../contracts/notices-contract.ts';
import { openedChartsContract } from '../contracts/opened-charts-contract.ts';
import { peopleContract } from '../contracts/people-contract.ts';
import { personSessionsContract } from '../contracts/person-sessions-contract.ts';
import { serviceTokensContract } from '../contracts/service-tokens-contract.ts';
import { signInAttemptsContract } from '../contracts/sign-in-attempts-contract.ts';
import { makeFakeAuditEvents } from './audit-events.ts';
import { makeFakeDeviceSignIns } from './device-sign-ins.ts';
import { makeFakeLocalAccounts } from './local-accounts.ts';
import { makeFakeNotices } from './notices.ts';
import { makeFakeOpenedCharts } from './opened-charts.ts';
import { makeFakePeople } from './people.ts';
import { makeFakePersonSessions } from './person-sessions.ts';
import { makeFakeServiceTokens } from './service-tokens.ts';
import { makeFakeSignInAttempts } from './sign-in-attempts.ts';

function aClock() {
  let time = Date.parse('2026-03-02T10:00:00Z');
  return {
    now: () => new Date(time),
    pass: async (ms: number) => {
      time += ms;
    },
  };
}

peopleContract('the fake', async () => {
  const people = makeFakePeople();
  return { people, other: people };
});
personSessionsContract('the fake', async () => {
  const { now, pass } = aClock();
  const people = makeFakePeople({ now });
  return { people, sessions: makeFakePersonSessions({ people, now }), pass };
});
serviceTokensContract('the fake', async () => makeFakeServiceTokens());
signInAttemptsContract('the fake', async () => {
  const { now, pass } = aClock();
  const attempts = makeFakeSignInAttempts({ now });
  return { attempts, other: attempts, now, pass };
});
localAccountsContract('the fake', async () => {
  const { now, pass } = aClock();
  const people = makeFakePeople({ now });
  const accounts = makeFakeLocalAccounts({ people, now });
  return { people, accounts, other: accounts, now, pass };
});
deviceSignInsContract('the fake', async () => {
  const { now, pass } = aClock();
  const devices = makeFakeDeviceSignIns({ now });
  return { people: makeFakePeople({ now }), devices, other: devices, pass };
});
openedChartsContract('the fake', async () => {
  const { now, pass } = aClock();
  return { charts: makeFakeOpenedCharts({ now }), pass };
});
noticesContract('the fake', async () => {
  const { now, pass } = aClock();
  const notices = makeFakeNotices({ now });
  return { notices, other: notices, now, pass };
});
auditEventsContract('the fake', async () => {
  const { now, pass } = aClock();
  const events = makeFakeAuditEvents({ now });
  return { events, other: events, now, pass };
});
