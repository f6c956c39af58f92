// The commands `login` and `logout`: a person signs in at an engine, and the session is kept in a file that only this user can read.
import type { EndedSessionsAnswer, MeAnswer } from '../../wire/me.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, withProgress } from '../shared/command-parts.ts';
import { type Login, readLogin, removeLogin, writeLogin } from '../shared/logins.ts';
import { makeOpsClient, type OpsClient } from '../shared/ops-client.ts';
import { LOGIN, readSettings, type Settings } from '../shared/settings.ts';
import { printable, readableTime } from '../shared/tables.ts';
import { makeDeviceClient } from './device-client.ts';
import { readsPatientData } from './whoami-command.ts';

export function addLoginCommands(program: CliCommand, parts: CommandParts): void {
  addLogin(program, parts);
  addLogout(program, parts);
}

function addLogin(program: CliCommand, parts: CommandParts): void {
  const { print, wantsJson, now, pause } = parts;
  program
    .command('login')
    .description('sign in as a person: confirm a code in a browser')
    .option('--link <link>', 'sign in with a one-time link instead, which is used up')
    .examples(
      'npm run cli -- login',
      'CHARTWRIGHT_URL=https://charts.example.org npm run cli -- login',
      'npm run cli -- login --link https://charts.example.org/sign-in/link/…',
    )
    .remarks(`The session lasts 12 hours and is kept in ~/.config/chartwright/logins.json (or below XDG_CONFIG_HOME), which only you
can read. Scripts take a token instead: npm run cli -- tokens create --help`)
    .action(async ({ link }: { readonly link?: string }) => {
      const settings = readSettings(parts.environment, now);
      const file = requireFile(settings);
      const device = makeDeviceClient({ baseUrl: settings.baseUrl, pause });
      const issued = link === undefined ? await confirmInBrowser(device, parts) : await device.useLink(link);
      const expiresAt = new Date(now().getTime() + issued.expires_in * 1_000).toISOString();
      await writeLogin(file, settings.baseUrl, { token: issued.access_token, expiresAt });
      const me = await clientOf(settings, issued.access_token).ask<MeAnswer>({ method: 'GET', path: '/me' });
      print(
        wantsJson()
          ? json({ engine: settings.baseUrl, name: me.name, actor: me.actor, expiresAt })
          : greet(settings, me, expiresAt),
      );
    });
}

async function confirmInBrowser(device: ReturnType<typeof makeDeviceClient>, parts: CommandParts) {
  const begun = await device.begin();
  const minutes = Math.round(begun.expires_in / 60);
  parts.warn(`Open ${printable(begun.verification_uri)} in a browser, sign in there, and type this code:

  ${printable(begun.user_code)}

It is good for ${minutes} minutes. Do not send it to anybody.
`);
  return withProgress(parts, 'Waiting for you to confirm …', () => device.wait(begun));
}

function greet({ baseUrl }: Settings, { name, purpose, roles }: MeAnswer, expiresAt: string): string {
  const mustSay = purpose === undefined && readsPatientData(roles);
  const why = mustSay ? 'To read patient data, say why: npm run cli -- purpose treatment\n' : '';
  return `You are signed in at ${baseUrl} as ${printable(name)}, until ${readableTime(expiresAt)} UTC at the latest.\n${why}`;
}

function addLogout(program: CliCommand, parts: CommandParts): void {
  const { print, warn, wantsJson, now } = parts;
  program
    .command('logout')
    .description('end the session of login, and forget it')
    .option('--everywhere', 'end all your sessions, also those in browsers')
    .examples('npm run cli -- logout', 'npm run cli -- logout --everywhere')
    .action(async ({ everywhere = false }: { readonly everywhere?: boolean }) => {
      const settings = readSettings(parts.environment, now);
      const file = requireFile(settings);
      const login = await readLogin(file, settings.baseUrl);
      if (login === undefined) {
        return print(wantsJson() ? json({ ended: 0 }) : `You are not signed in at ${settings.baseUrl}.\n`);
      }
      await removeLogin(file, settings.baseUrl);
      const ended = await endAtEngine(clientOf(settings, login.token), everywhere).catch((thrown: unknown) => {
        warn(`${notEnded(thrown, login, now())}\n`);
        return 0;
      });
      const what = ended > 1 ? `Your ${ended} sessions` : 'Your session';
      if (wantsJson()) print(json({ ended }));
      else
        print(`${ended === 0 ? 'This machine has forgotten your session' : `${what} at ${settings.baseUrl} ended`}.\n`);
    });
}

async function endAtEngine(client: OpsClient, everywhere: boolean): Promise<number> {
  if (everywhere)
    return (await client.ask<EndedSessionsAnswer>({ method: 'DELETE', path: '/me/sessions' })).ended.length;
  await client.ask<undefined>({ method: 'DELETE', path: '/me/session' });
  return 1;
}

function notEnded(thrown: unknown, { expiresAt }: Login, now: Date): string {
  if (!(thrown instanceof CliError)) throw thrown;
  const isOver = Date.parse(expiresAt) <= now.getTime();
  return isOver
    ? 'The session had ended already.'
    : `${thrown.message}\nThe session ends by itself at ${readableTime(expiresAt)} UTC.`;
}

/** Uses this session, whatever else is set. */
function clientOf(settings: Settings, token: string): OpsClient {
  const key = async () => ({ key: token, source: LOGIN });
  return makeOpsClient({ settings: { ...settings, readKey: key } });
}

function requireFile({ loginsFile }: Settings): string {
  if (loginsFile !== undefined) return loginsFile;
  throw new CliError(
    'There is no folder for your sign-ins: set HOME or XDG_CONFIG_HOME. Scripts take a token in CHARTWRIGHT_TOKEN.',
  );
}
