// What each role may do, from the table of permissions: the endpoints as a client writes them.
import { PERMISSIONS, WITHOUT_PATIENT_DATA } from './permissions.ts';
import { ROLE_PURPOSES, ROLES, type Role } from './role.ts';

export type RoleRights = {
  readonly role: Role;
  readonly purpose: string;
  readonly readsPatientData: boolean;
  /** `GET /ops/runs/{id}` */
  readonly may: readonly string[];
};

export function rightsOfRoles(): readonly RoleRights[] {
  return ROLES.map((role) => ({
    role,
    purpose: ROLE_PURPOSES[role],
    readsPatientData: !WITHOUT_PATIENT_DATA.has(role),
    may: Object.entries(PERMISSIONS)
      .filter(([, { roles }]) => roles.includes(role))
      .filter(([, { patientData }]) => patientData !== 'always' || !WITHOUT_PATIENT_DATA.has(role))
      .map(([endpoint]) => asWritten(endpoint)),
  }));
}

/** The router also takes `Run/<id>` for an id; a client needs to know one way only. */
function asWritten(endpoint: string): string {
  const [method = '', path = ''] = endpoint.split(' ');
  return `${method} /ops${path.replace(/\{[^}]*\}/g, '').replace(/:(\w+)/g, '{$1}')}`;
}
