// The tables of docs/security.md: what each role is for, and who may call which endpoint of /ops.
import {
  EXTENSION_PERMISSIONS,
  PERMISSIONS,
  type Permission,
  WITHOUT_PATIENT_DATA,
} from '../src/domain/people/permissions.ts';
import { PURPOSE_NAMES } from '../src/domain/people/purpose.ts';
import { ROLE_PURPOSES, ROLES, type Role } from '../src/domain/people/role.ts';

const PATIENT_DATA = { none: 'no', 'unless-brief': 'yes, not with `?brief=true`', always: 'yes' } as const;
const REACH = { site: 'its sites', engine: 'every site' } as const;

export const rolesTable = [
  '| role | is for |',
  '| --- | --- |',
  ...ROLES.map((role) => `| **${role}** | ${ROLE_PURPOSES[role]} |`),
].join('\n');

export const purposesTable = [
  '| code | purpose |',
  '| --- | --- |',
  ...Object.entries(PURPOSE_NAMES).map(([code, name]) => `| \`${code}\` | ${name} |`),
].join('\n');

const all = [
  ...Object.entries(PERMISSIONS).map(([endpoint, permission]) => row(shownPath(endpoint), permission)),
  row('`GET` of an extension (`/ops/sandbox…`)', EXTENSION_PERMISSIONS.read),
  row('other methods of an extension', EXTENSION_PERMISSIONS.act),
];

export const permissionsTable = [
  `| endpoint | ${ROLES.join(' | ')} | operator key alone | patient data | role for |`,
  `| --- | ${ROLES.map(() => '---').join(' | ')} | --- | --- | --- |`,
  ...all,
].join('\n');

function row(endpoint: string, permission: Permission): string {
  const { patientData, reach, isForLoneKey, isForPeople } = permission;
  const far = `${REACH[reach]}${isForPeople === true ? '; people only' : ''}`;
  const cells = ROLES.map((role) => cellOf(role, permission));
  return `| ${[endpoint, ...cells, isForLoneKey === true ? 'yes' : '', PATIENT_DATA[patientData], far].join(' | ')} |`;
}

function cellOf(role: Role, { roles, patientData }: Permission): string {
  const isLimited = patientData !== 'none' && WITHOUT_PATIENT_DATA.has(role);
  if (!roles.includes(role) || (isLimited && patientData === 'always')) return '';
  return isLimited ? 'brief' : 'yes';
}

/** `GET /keys{/Key}/:id` is `GET /ops/keys/{id}`. */
function shownPath(endpoint: string): string {
  const [method, path = ''] = endpoint.split(' ');
  return `\`${method} /ops${path.replaceAll(/\{[^}]*\}/g, '').replaceAll(/:(\w+)/g, '{$1}')}\``;
}
