// The command `keys` creates, lists, rotates and revokes the API keys of an engine.

import type {
  IssuedKeyAnswer,
  KeyAnswer,
  KeyCallbacksAnswer,
  KeyListAnswer,
  RotatedKeyAnswer,
} from '../../wire/keys.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, type TextOptions, toNumber } from '../shared/command-parts.ts';
import { askPages } from '../shared/ops-client.ts';
import { readableTime, renderTable } from '../shared/tables.ts';
import { addRotateMaster } from './keys-rotate-master.ts';

type CreateOptions = { readonly organization: string } & TextOptions<'plan' | 'label' | 'expires'>;

const FIRST_KEY = 'npm run cli -- keys create --organization my-clinic';

export function addKeysCommand(program: CliCommand, parts: CommandParts): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys; replace the master key');
  addCreate(keys, parts);
  addList(keys, parts);
  addRotate(keys, parts);
  addCallbacks(keys, parts);
  addRevoke(keys, parts);
  addRotateMaster(keys, parts);
}

function addCreate(keys: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  keys
    .command('create')
    .description('create an API key and show it once')
    .requiredOption('--organization <name>', 'the organization whose usage the key counts for')
    .option('--plan <name>', 'the plan with its limits (default: standard)')
    .option('--label <text>', 'a note on what the key is for')
    .option('--expires <date>', 'when the key expires: a day (00:00 UTC) or a time with an offset (default: never)')
    .examples(
      FIRST_KEY,
      "npm run cli -- keys create --organization my-clinic --label 'test bench' --expires 2027-01-31",
    )
    .action(async ({ organization, plan, label, expires }: CreateOptions) => {
      const { ask, baseUrl } = connect();
      const body = { organization, plan, label, expiresAt: expires };
      const issued = await ask<IssuedKeyAnswer>({ method: 'POST', path: '/keys', body });
      print(wantsJson() ? json(issued) : describeIssued(issued, baseUrl));
    });
}

function addList(keys: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  keys
    .command('list')
    .description('list the keys, newest first, without their secrets')
    .examples('npm run cli -- keys list', 'npm run cli -- --json keys list')
    .action(async () => {
      const { ask } = connect();
      const pages = await askPages<KeyListAnswer>(ask, { path: '/keys', query: {} });
      const listed = pages.flatMap(({ keys: onPage }) => onPage);
      if (wantsJson()) print(json({ keys: listed }));
      else print(listed.length === 0 ? `No keys yet. Create one: ${FIRST_KEY}\n` : keyTable(listed));
    });
}

function addRotate(keys: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  keys
    .command('rotate <id>')
    .description('replace a key; the old key stays valid for a while')
    .option('--overlap-hours <hours>', 'how long the old key stays valid: 0 to 720', '24')
    .examples('npm run cli -- keys rotate 5f0c2a9b7d3e4816 --overlap-hours 48')
    .action(async (id: string, { overlapHours }: { readonly overlapHours: string }) => {
      const { ask, baseUrl } = connect();
      const path = `${keyPath(id)}/rotate`;
      const body = { overlapHours: toNumber(overlapHours) };
      const rotated = await ask<RotatedKeyAnswer>({ method: 'POST', path, body });
      const oldKey = `The old key ${rotated.replaces} expires at ${readableTime(rotated.oldKeyEndsAt)} UTC at the latest.\n`;
      print(wantsJson() ? json(rotated) : describeIssued(rotated, baseUrl) + oldKey);
    });
}

function addCallbacks(keys: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  keys
    .command('callbacks <id> [origins...]')
    .description('allow call-backs to origins of the client, with a new secret; without origins there are none')
    .examples('npm run cli -- keys callbacks 5f0c2a9b7d3e4816 https://clinic.example.org')
    .action(async (id: string, origins: readonly string[]) => {
      const path = `${keyPath(id)}/callbacks`;
      const set = await connect().ask<KeyCallbacksAnswer>({ method: 'PUT', path, body: { origins } });
      print(wantsJson() ? json(set) : describeCallbacks(set));
    });
}

function describeCallbacks({ id, origins, secret }: KeyCallbacksAnswer): string {
  if (origins.length === 0) return `The key ${id} has no call-backs any more.\n`;
  return `The key ${id} may name addresses at ${origins.join(', ')} in Callback-Url. The secret that signs the calls is shown only now:

  ${secret}

`;
}

function addRevoke(keys: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  keys
    .command('revoke <id>')
    .description('revoke a key; every engine refuses it within 5 seconds')
    .examples('npm run cli -- keys revoke 5f0c2a9b7d3e4816')
    .action(async (id: string) => {
      await connect().ask<undefined>({ method: 'DELETE', path: keyPath(id) });
      print(wantsJson() ? json({ id, revoked: true }) : `The key ${id} is revoked.\n`);
    });
}

/** An id may be bare or `Key/<id>`. */
function keyPath(id: string): string {
  return `/keys/${encodeURIComponent(id.replace(/^Key\//, ''))}`;
}

function describeIssued({ id, key, organization, plan, expiresAt }: IssuedKeyAnswer, baseUrl: string): string {
  const end = expiresAt === undefined ? '' : `, until ${readableTime(expiresAt)} UTC`;
  return `Key ${id} for ${organization} on plan ${plan}${end}. It is shown only now; keep it safe:

  ${key}

Try it:

  curl ${baseUrl}/diagnose -H 'x-api-key: ${key}' -F 'clinical_history=58-year-old man, chest pain for 40 minutes, sweating'

`;
}

function keyTable(keys: readonly KeyAnswer[]): string {
  return renderTable(keys, {
    ID: (key) => key.id,
    ORGANIZATION: (key) => key.organization,
    PLAN: (key) => key.plan,
    STATUS: (key) => key.status,
    'CREATED (UTC)': (key) => readableTime(key.createdAt),
    EXPIRES: (key) => readableTime(key.expiresAt),
    'LAST USED': (key) => readableTime(key.lastUsedAt),
    LABEL: (key) => key.label,
  });
}
