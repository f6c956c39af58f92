// Makes the flows of accounts: people and their roles, sessions, tokens, and sign-in of the command line.
import { makeCheckGrants } from '../flows/people/check-grants.ts';
import { makeCloseSession } from '../flows/people/close-session.ts';
import { makeGiveRoles } from '../flows/people/give-roles.ts';
import { makeMakeLink } from '../flows/people/make-link.ts';
import { makeManagePeople } from '../flows/people/manage-people.ts';
import { makeManageSessions } from '../flows/people/manage-sessions.ts';
import { makeManageTokens } from '../flows/people/manage-tokens.ts';
import { makeOpenSession } from '../flows/people/open-session.ts';
import { makeOwnAccount } from '../flows/people/own-account.ts';
import { makeSignInDevice } from '../flows/people/sign-in-device.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Sites } from '../ports/sites.ts';
import type { Stores } from './make-stores.ts';
import type { Charts } from './open-charts.ts';

type AccountParts = {
  readonly stores: Stores;
  readonly sites: Sites;
  readonly charts: Pick<Charts, 'ehrs'>;
  readonly publicUrl: string;
};

export function makeAccounts({ stores, sites, charts: { ehrs }, publicUrl }: AccountParts) {
  const parts = { ...stores, sites, ehrs, runtime: systemRuntime };
  const checkGrants = makeCheckGrants(parts);
  const closeSession = makeCloseSession(parts);
  return {
    managePeople: makeManagePeople({ ...parts, checkGrants, makeLink: makeMakeLink({ ...parts, publicUrl }) }),
    giveRoles: makeGiveRoles({ ...parts, checkGrants }),
    manageTokens: makeManageTokens(parts),
    manageSessions: makeManageSessions({ ...parts, closeSession }),
    ownAccount: makeOwnAccount({ ...parts, closeSession }),
    signInDevice: makeSignInDevice({ ...parts, openSession: makeOpenSession(parts) }),
  };
}
