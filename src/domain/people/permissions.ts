// Who may call which endpoint of /ops. The router admits callers by this table and refuses to start with an endpoint that is not in it,
// docs/security.md prints it, and test/inbound/http/ops/permissions-matrix.test.ts tries every endpoint with every role.
import type { Role } from './role.ts';

export type Permission = {
  readonly roles: readonly Role[];
  /** Whether the endpoint reads or takes patient data, which needs a purpose. `unless-brief`: not with `?brief=true`. */
  readonly patientData: 'none' | 'unless-brief' | 'always';
  /** `engine`: the role must be held for every site, because what the endpoint touches belongs to none. */
  readonly reach: 'site' | 'engine';
  /** What the endpoint touches belongs to this one site: the role must be held for it. */
  readonly site?: string;
  /** Not for tokens: a person answers for it, and what it gives would outlive the end of the token. */
  readonly isForPeople?: boolean;
  /** Also for the operator key once there is an admin: it makes the next one and does nothing else. */
  readonly isForLoneKey?: boolean;
};

/** They are admitted to no patient data, whatever the table says. */
export const WITHOUT_PATIENT_DATA: ReadonlySet<Role> = new Set<Role>(['viewer', 'auditor', 'admin']);

const ALL: readonly Role[] = ['viewer', 'operator', 'integrator', 'reviewer', 'auditor', 'admin'];
const WATCHERS: readonly Role[] = ['viewer', 'operator', 'integrator'];

function site(...roles: readonly Role[]): Permission {
  return { roles, patientData: 'none', reach: 'site' };
}

function engine(...roles: readonly Role[]): Permission {
  return { roles, patientData: 'none', reach: 'engine' };
}

function byPeople(...roles: readonly Role[]): Permission {
  return { ...site(...roles), isForPeople: true };
}

function patientData(...roles: readonly Role[]): Permission {
  return { roles, patientData: 'always', reach: 'site' };
}

/** What every caller with an account may ask about itself. */
export const OWN_PERMISSION: Permission = site(...ALL);

/** By method and path below /ops, as the router has them. */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  'GET /keys': engine('admin'),
  'POST /keys': engine('admin'),
  'POST /keys{/Key}/:id/rotate': engine('admin'),
  'PUT /keys{/Key}/:id/callbacks': engine('admin'),
  'DELETE /keys{/Key}/:id': engine('admin'),
  'GET /master-key': engine('admin'),
  'POST /master-key/rotate': engine('admin'),
  'GET /plans': engine('admin'),
  'PUT /plans{/Plan}/:name': engine('admin'),
  'GET /codes': site(...WATCHERS, 'admin'),
  'PUT /codes{/CodeList}/:system': engine('integrator'),
  'GET /usage': engine('auditor', 'admin'),
  'GET /sites': site(...WATCHERS, 'admin'),
  'POST /sites{/Site}/:site/probe': site('integrator', 'operator'),
  'POST /sites{/Site}/:site/reconcile': site('operator', 'integrator'),
  'POST /sites{/Site}/:site/pause': site('operator', 'admin'),
  'POST /sites{/Site}/:site/resume': site('operator', 'admin'),
  'POST /sites{/Site}/:site/explain': patientData('operator', 'integrator'),
  'GET /runs': site(...WATCHERS),
  'POST /runs': site('operator'),
  'POST /runs/recall': site('operator'),
  'GET /runs{/Run}/:id': { ...site(...WATCHERS, 'reviewer'), patientData: 'unless-brief' },
  'GET /runs{/Run}/:id/evidence': patientData('operator', 'reviewer'),
  'POST /runs{/Run}/:id/replay': site('operator'),
  'POST /runs{/Run}/:id/cancel': site('operator'),
  'POST /runs{/Run}/:id/retry': site('operator'),
  'POST /runs{/Run}/:id/release': site('operator'),
  'POST /runs{/Run}/:id/review': { ...patientData('reviewer'), isForPeople: true },
  // Not for integrators: mappings are not mended in an emergency.
  'POST /runs{/Run}/:id/break-glass': { ...patientData('operator', 'reviewer'), isForPeople: true },
  'GET /break-glass': site('auditor'),
  'GET /events': site(...WATCHERS),
  'GET /audit': site('auditor'),
  'POST /audit/verify': engine('auditor'),
  'GET /aside': site('operator', 'integrator'),
  'GET /aside/:id': patientData('operator', 'integrator'),
  'POST /aside/:id/send': patientData('operator', 'integrator'),
  'GET /reviews': site('reviewer', 'operator'),
  'POST /reviews/next': site('reviewer'),
  'GET /reviews/signed': site('reviewer'),
  'GET /reviews/figures': site('operator', 'auditor', 'integrator'),
  'POST /runs{/Run}/:id/claim': site('reviewer'),
  'POST /runs{/Run}/:id/unclaim': site('reviewer'),
  'POST /runs{/Run}/:id/delegate': site('reviewer'),
  'GET /reviewers': site('admin'),
  'POST /reviewers': byPeople('admin'),
  'DELETE /reviewers{/Reviewer}/:id': site('admin'),
  'GET /me': OWN_PERMISSION,
  'PUT /me/purpose': OWN_PERMISSION,
  'DELETE /me/session': OWN_PERMISSION,
  'GET /me/sessions': OWN_PERMISSION,
  'DELETE /me/sessions': OWN_PERMISSION,
  'GET /people': { ...site('admin'), isForLoneKey: true },
  'POST /people': { ...byPeople('admin'), isForLoneKey: true },
  'GET /people{/Person}/:id': site('admin'),
  'PUT /people{/Person}/:id': byPeople('admin'),
  'PUT /people{/Person}/:id/roles': byPeople('admin'),
  'POST /people{/Person}/:id/link': byPeople('admin'),
  'POST /people{/Person}/:id/disable': site('admin'),
  'POST /people{/Person}/:id/enable': byPeople('admin'),
  'GET /people{/Person}/:id/sessions': site('admin'),
  'DELETE /people{/Person}/:id/sessions': site('admin'),
  'GET /roles': OWN_PERMISSION,
  'GET /sessions': site('admin'),
  'DELETE /sessions{/Session}/:id': site('admin'),
  'GET /tokens': site('admin'),
  'POST /tokens': byPeople('admin'),
  'DELETE /tokens{/Token}/:id': site('admin'),
};

/**
 * Routes of an extension. This table cannot say what they show, so that all of them count as patient data; acting is for operators. Both need
 * the role for the site that the extension brings with it.
 */
export const EXTENSION_PERMISSIONS = {
  read: patientData('operator', 'integrator', 'reviewer'),
  act: site('operator'),
} as const satisfies Readonly<Record<string, Permission>>;

export function extensionPermission(method: string, extensionSite: string): Permission {
  return { ...EXTENSION_PERMISSIONS[method === 'GET' ? 'read' : 'act'], site: extensionSite };
}
