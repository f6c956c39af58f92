// The scopes of SMART App Launch that the sandbox's EHR grants: apps may read and search, and write nothing.

const CONTEXT_SCOPES = [
  'launch',
  'launch/patient',
  'launch/encounter',
  'openid',
  'fhirUser',
  'profile',
  'offline_access',
  'online_access',
];

export const SUPPORTED_SCOPES: readonly string[] = [...CONTEXT_SCOPES, 'patient/*.rs', 'user/*.rs'];

export type ResourceScope = {
  readonly level: 'patient' | 'user';
  /** `*` or the name of a type. */
  readonly type: string;
  readonly letters: string;
};

/** The letters are in this order, as SMART demands. */
const RESOURCE_SCOPE = /^(patient|user)\/(\*|[A-Z][A-Za-z]+)\.(c?r?u?d?s?)$/;

export function readResourceScope(scope: string): ResourceScope | undefined {
  const [, level, type, letters] = RESOURCE_SCOPE.exec(scope) ?? [];
  if (type === undefined || !letters) return undefined;
  return { level: level === 'patient' ? 'patient' : 'user', type, letters };
}

/** What is granted of the requested scopes. Unknown ones, and the permission to write, are left out. */
export function grantedScopes(requested: string): readonly string[] {
  const scopes = requested.split(' ').flatMap((scope) => {
    if (CONTEXT_SCOPES.includes(scope)) return [scope];
    const read = readResourceScope(scope);
    const letters = read?.letters.replace(/[^rs]/g, '');
    return read !== undefined && letters ? [`${read.level}/${read.type}.${letters}`] : [];
  });
  return [...new Set(scopes)];
}
