// Which imports are allowed: between the rooms of `src`, and of packages.
import type { Import } from './source-imports.ts';

/** What a room, a folder or a file may import beside its own room. The longest entry that fits a file counts. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/config.ts': [
    'src/config-values.ts',
    'src/domain/people/signature-algorithms.ts',
    'src/domain/site/plain-address.ts',
  ],
  'src/config-values.ts': [],
  'src/startup-message.ts': ['src/ports', 'src/domain'],
  'src/clinical-text': ['src/domain/language.ts'],
  'src/domain': ['src/clinical-text'],
  'src/wire': ['src/domain'],
  'src/mapping': ['src/domain'],
  'src/validation': ['src/domain', 'src/platform/question-thread.ts', 'src/platform/thread-answers.ts'],
  'src/ports': ['src/domain'],
  'src/flows': ['src/domain', 'src/mapping', 'src/ports'],
  'src/platform': ['src/domain/backoff.ts', 'src/domain/restarts.ts'],
  'src/rules': ['src/clinical-text', 'src/domain', 'src/ports', 'src/platform'],
  'src/evidence': ['src/clinical-text', 'src/domain', 'src/ports', 'src/platform'],
  'src/sandbox': [
    'src/validation/code-sets.ts',
    'src/validation/fhir-r4.ts',
    'src/platform',
    'src/domain',
    'src/ports',
    'src/wire',
    'src/flows/people/by-caller.ts',
    'src/outbound/files/mapping-folders.ts',
    'src/inbound/http/http-extension.ts',
  ],
  'src/sandbox/http': [
    'src/domain',
    'src/wire',
    'src/inbound/http/body/validate.ts',
    'src/inbound/http/docs/openapi-endpoints.ts',
    'src/inbound/http/docs/openapi-parts.ts',
    'src/inbound/http/ops/ops-body.ts',
    'src/inbound/http/ops/ops-caller.ts',
    'src/inbound/http/ops/ops-routes.ts',
  ],
  'src/cli': [
    'src/mapping',
    'src/validation',
    'src/domain',
    'src/wire',
    'src/outbound/files',
    'src/flows/operations/preview-mapping.ts',
    'src/flows/chart-writing/find-active-candidates.ts',
    'src/platform/command-name.ts',
  ],
  'src/inbound/*': ['src/flows', 'src/domain', 'src/ports', 'src/platform', 'src/wire'],
  'src/outbound/*': ['src/ports', 'src/domain', 'src/platform'],
  'src/outbound/files': ['src/ports', 'src/domain', 'src/platform', 'src/mapping'],
  'src/outbound/fhir': ['src/ports', 'src/domain', 'src/platform', 'src/validation'],
  // SMART is of the same EHR: the engine proves itself there with the same kind of key.
  'src/outbound/smart': ['src/ports', 'src/domain', 'src/platform', 'src/outbound/fhir/auth'],
  'src/composition': [
    'src/config.ts',
    'src/domain',
    'src/evidence',
    'src/flows',
    'src/inbound',
    'src/mapping',
    'src/outbound',
    'src/platform',
    'src/ports',
    'src/rules',
    'src/validation',
  ],
  'src/composition/load-extension.ts': ['src/flows/health', 'src/outbound/postgres', 'src/platform', 'src/sandbox'],
  'src/bin.ts': ['src/main.ts', 'src/cli/main.ts'],
  'src/main.ts': [
    'src/composition',
    'src/config.ts',
    'src/startup-message.ts',
    'src/inbound/http/server/open-door.ts',
    'src/platform',
  ],
};

/** Rooms with a face: the one file of the room that other rooms may import. */
const FACES: Readonly<Record<string, string>> = {
  'src/mapping': 'src/mapping/mapping.ts',
  'src/rules': 'src/rules/rules.ts',
};

const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  express: ['src/inbound/http', 'src/sandbox/http'],
  '@fastify/busboy': ['src/inbound/http'],
  helmet: ['src/inbound/http'],
  pg: ['src/outbound/postgres', 'src/platform'],
  kysely: ['src/outbound/postgres', 'src/platform'],
  'pg-boss': ['src/outbound/postgres', 'src/platform'],
  amqplib: ['src/platform', 'src/inbound/amqp', 'src/outbound/amqp'],
  openai: ['src/outbound/openai'],
  '@deepgram/sdk': ['src/outbound/deepgram'],
  'fhir-kit-client': ['src/outbound/fhir'],
  jose: ['src/outbound/fhir', 'src/outbound/oidc', 'src/outbound/cds'],
  nodemailer: ['src/outbound/notices'],
  'openid-client': ['src/outbound/oidc', 'src/outbound/smart'],
  '@simplewebauthn/server': ['src/outbound/webauthn'],
  '@medplum/fhir-router': ['src/sandbox'],
};

export function roomOf(file: string): string {
  const [, room, inner] = file.split('/');
  return room === 'inbound' || room === 'outbound' ? `src/${room}/${inner}` : `src/${room}`;
}

/** Why an import is not allowed; empty if it is. */
export function ruleProblems({ file, line, target, isType }: Import): string[] {
  const place = `${file}:${line}`;
  if (!target.startsWith('src/')) return packageProblems(place, file, target, isType);
  const room = roomOf(file);
  const allowed = [...allowedTo(file, room), room];
  if (!allowed.some((home) => target === home || target.startsWith(`${home}/`))) {
    return [`${place}: ${room} must not import ${target}`];
  }
  const face = FACES[roomOf(target)];
  if (face !== undefined && target !== face && room !== roomOf(target)) {
    return [`${place}: import ${face}, not ${target}`];
  }
  const isPortValue = target.startsWith('src/ports/') && !isType && !file.startsWith('src/ports/');
  return isPortValue ? [`${place}: ports are types: write \`import type\``] : [];
}

function allowedTo(file: string, room: string): readonly string[] {
  const fitting = Object.keys(ALLOWED).filter((name) => file === name || file.startsWith(`${name}/`));
  const [longest = room.replace(/\/[^/]+$/, '/*')] = fitting.toSorted((one, other) => other.length - one.length);
  return ALLOWED[longest] ?? [];
}

function packageProblems(place: string, file: string, target: string, isType: boolean): string[] {
  const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : (target.split('/')[0] ?? '');
  const homes = PACKAGE_HOMES[name];
  if (homes === undefined || isType || homes.some((home) => file.startsWith(`${home}/`))) return [];
  return [`${place}: ${name} is only for ${homes.join(', ')}`];
}
