// Reads secrets from files: if NAME_FILE is set, the content of the file is the value of NAME. So no secret is in a container's settings, which
// every user of Docker can read.
import { readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that may come from a file. Other variables that end in _FILE are ignored. */
export const SECRETS = [
  'DATABASE_URL',
  'AMQP_URL',
  'MASTER_KEY',
  'OPERATOR_KEY',
  'OPENAI_API_KEY',
  'VERIFIER_API_KEY',
  'DEEPGRAM_API_KEY',
  'STATUS_TOKEN',
  'SMTP_URL',
  'NOTICE_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'MASTER_KEY_NEXT',
  'OIDC_CLIENT_SECRET',
  'OIDC_PRIVATE_KEY',
] as const;

const MAX_CHARACTERS = 65_536;

/** Returns the variables from the files. Throws an Error for the operator with all problems and without any secret. */
export function readSecretVariables(environment: Environment): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`]?.trim();
    if (!file) continue;
    if (environment[name]?.trim()) {
      problems.push(`${name}_FILE: ${name} is set, too: give one of them`);
      continue;
    }
    const { secret, problem } = readSecret(file);
    if (secret === undefined) problems.push(`${name}_FILE: ${problem}`);
    else found[name] = secret;
  }
  if (problems.length === 0) return found;
  throw new Error(['The secrets cannot be read:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
}

type Reading =
  | { readonly secret: string; readonly problem?: never }
  | { readonly secret?: never; readonly problem: string };

function readSecret(file: string): Reading {
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret === '') return { problem: `${file} is empty` };
    if (secret.length > MAX_CHARACTERS) return { problem: `${file} is too long for a secret` };
    return { secret };
  } catch (thrown) {
    return { problem: `${file} ${explain(thrown)}` };
  }
}

function explain(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'unknown';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is not there';
  if (code === 'EISDIR') return 'is a folder: what was mounted there did not exist on the host';
  if (code === 'EACCES' || code === 'EPERM')
    return `may not be read by the user ${process.getuid?.() ?? ''} of the engine`;
  return `cannot be read (${code})`;
}
