// The flows of accounts on stores in memory, and people who have signed in.
import type { OpenedEncounter } from '../../../../src/domain/people/caller.ts';
import type { Grant } from '../../../../src/domain/people/role.ts';
import { makeCheckGrants } from '../../../../src/flows/people/check-grants.ts';
import { makeCloseSession } from '../../../../src/flows/people/close-session.ts';
import { makeGiveRoles } from '../../../../src/flows/people/give-roles.ts';
import { makeMakeLink } from '../../../../src/flows/people/make-link.ts';
import { makeManagePeople } from '../../../../src/flows/people/manage-people.ts';
import { makeManageSessions } from '../../../../src/flows/people/manage-sessions.ts';
import { makeManageTokens } from '../../../../src/flows/people/manage-tokens.ts';
import { makeOpenSession } from '../../../../src/flows/people/open-session.ts';
import { makeOwnAccount } from '../../../../src/flows/people/own-account.ts';
import { makeSignInDevice } from '../../../../src/flows/people/sign-in-device.ts';
import { makeVisitPage } from '../../../../src/flows/people/visit-page.ts';
import { makeDeviceRouter } from '../../../../src/inbound/http/people/device-routes.ts';
import { makeRefusedSignIns } from '../../../../src/inbound/http/people/refused-sign-ins.ts';
import { makeWrongKeyThrottle } from '../../../../src/inbound/http/server/wrong-keys.ts';
import type { Audit } from '../../../../src/ports/audit.ts';
import type { Ehrs } from '../../../../src/ports/ehr.ts';
import type { PersonSessions, SessionKind } from '../../../../src/ports/person-sessions.ts';
import type { Runtime } from '../../../../src/ports/runtime.ts';
import type { ServiceTokens } from '../../../../src/ports/service-tokens.ts';
import type { Sites } from '../../../../src/ports/sites.ts';
import { makeFakeDeviceSignIns } from '../../../fakes/device-sign-ins.ts';
import { makeFakeLocalAccounts } from '../../../fakes/local-accounts.ts';
import type { FakePeople } from '../../../fakes/people.ts';

type AccountParts = {
  readonly people: FakePeople;
  readonly personSessions: PersonSessions;
  readonly serviceTokens: ServiceTokens;
  readonly sites: Pick<Sites, 'current'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Runtime;
};

/** What the forms of a session have. */
export const formTokenOf = (session: string) => `form of ${session}`;
const PUBLIC_URL = 'https://charts.example.org';

export function makeOpsAccounts(given: AccountParts) {
  const { people, runtime } = given;
  const { now } = runtime;
  const localAccounts = makeFakeLocalAccounts({ people, now });
  const parts = { ...given, localAccounts, deviceSignIns: makeFakeDeviceSignIns({ now }) };
  const checkGrants = makeCheckGrants(parts);
  const closeSession = makeCloseSession(parts);
  const openSession = makeOpenSession(parts);
  const makeLink = makeMakeLink({ ...parts, publicUrl: PUBLIC_URL });
  const signInDevice = makeSignInDevice({ ...parts, openSession });
  const many = makeWrongKeyThrottle({ maxFailures: 20, windowSeconds: 60 });
  const throttles = { codes: many, tries: makeWrongKeyThrottle({ maxFailures: 5, windowSeconds: 60 }) };
  const refused = makeRefusedSignIns({
    throttle: many,
    mostKept: makeWrongKeyThrottle({ maxFailures: 600, windowSeconds: 3_600 }),
    audit: given.audit,
    logger: { warn: () => undefined },
  });
  let count = 0;

  /** Stores a person. */
  async function aPerson(grants: readonly Grant[], name = 'Sam Example'): Promise<string> {
    count += 1;
    const id = count.toString(16).padStart(16, '0');
    const given = grants.map((grant) => ({ ...grant, origin: 'admin' }) as const);
    await people.create({ id, name, origin: 'local', grants: given });
    return id;
  }

  /** What the person sends as Authorization: Bearer. */
  async function signIn(person: string, kind: SessionKind = 'cli', opened?: OpenedEncounter): Promise<string> {
    const { secretText } = await openSession({ person, kind, way: 'device', address: '192.0.2.7', opened });
    return `ps_${secretText}`;
  }

  return {
    flows: {
      managePeople: makeManagePeople({ ...parts, checkGrants, makeLink }),
      giveRoles: makeGiveRoles({ ...parts, checkGrants }),
      manageTokens: makeManageTokens(parts),
      manageSessions: makeManageSessions({ ...parts, closeSession }),
      ownAccount: makeOwnAccount({ ...parts, closeSession }),
      signInDevice,
    },
    deviceRouter: makeDeviceRouter({
      signInDevice,
      throttles,
      refused,
      visitPage: makeVisitPage({ ...parts, formTokenOf }),
      closeSession,
      publicUrl: PUBLIC_URL,
      runtime,
      logger: { info: () => undefined, error: () => undefined },
    }),
    aPerson,
    aLink: async (person: string) => (await makeLink({ person, madeBy: 'operator' })).address,
    signIn,
    /** A new person who has signed in. */
    someone: async (...grants: readonly Grant[]) => {
      const id = await aPerson(grants);
      return { id, key: await signIn(id) };
    },
  };
}
