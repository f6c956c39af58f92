// The command `runs quarantine` shows quarantined deliveries, and sends one again, corrected or as it came.
import { readFile } from 'node:fs/promises';
import type { QuarantineAnswer, QuarantinedAnswer, ResendAnswer } from '../../wire/quarantine.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import { askPages, type OpsClient } from '../shared/ops-client.ts';
import { printable, readableTime } from '../shared/tables.ts';

type SendOptions = { readonly file?: string; readonly contentType?: string };

export function addQuarantine(runs: CliCommand, parts: CommandParts): void {
  const quarantine = runs
    .command('quarantine')
    .description('show a quarantined delivery, and send it again; npm run cli -- runs aside lists them')
    .examples(
      'npm run cli -- runs aside --site mercy',
      'npm run cli -- runs quarantine show 0198c5b2 --patient-data',
      'npm run cli -- runs quarantine send 0198c5b2 --file corrected.json',
    );
  addShowQuarantined(quarantine, parts);
  addSend(quarantine, parts);
}

function addShowQuarantined(quarantine: CliCommand, { connect, print, warn, wantsJson }: CommandParts): void {
  quarantine
    .command('show <id>')
    .description('show a quarantined delivery as it came')
    .option('--patient-data', 'required: the message may hold patient data; the view is recorded in the audit trail')
    .examples('npm run cli -- runs quarantine show 0198c5b2 --patient-data > message.json')
    .remarks('Only the message goes to standard output, so that it can be stored, corrected and sent again.')
    .action(async (given: string, { patientData = false }: { readonly patientData?: boolean }) => {
      if (!patientData) throw new CliError('The message may hold patient data. To see it: --patient-data.');
      const client = connect();
      const path = `/aside/${await findDeliveryId(client, given)}`;
      const delivery = await client.ask<QuarantinedAnswer>({ method: 'GET', path });
      if (wantsJson()) return print(json(delivery));
      warn('This view of patient data is recorded in the audit trail.\n');
      warn(`${printable(headOf(delivery))}\n`);
      if (delivery.content === undefined && delivery.base64 === undefined) {
        throw new CliError('Its bytes are not stored any more, or it was larger than 1 MB.');
      }
      print(delivery.content ?? `${delivery.base64}\n`);
    });
}

const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Takes the beginning of an id, as the list shows it. */
async function findDeliveryId({ ask }: Pick<OpsClient, 'ask'>, given: string): Promise<string> {
  const typed = given.toLowerCase();
  if (WHOLE_ID.test(typed)) return typed;
  const pages = await askPages<QuarantineAnswer>(ask, { path: '/aside', query: {} });
  const found = pages.flatMap(({ deliveries }) => deliveries.filter(({ id }) => typed !== '' && id.startsWith(typed)));
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return one.id;
  const how = one === undefined ? 'No quarantined delivery has' : `${found.length} quarantined deliveries have`;
  throw new CliError(`${how} an id that begins with ${printable(given)}. List them: npm run cli -- runs aside`);
}

function headOf({ site, source, contentType, receivedAt, why, base64 }: QuarantinedAnswer): string {
  const form = base64 === undefined ? (contentType ?? 'no content type') : `${contentType ?? 'bytes'}, shown in base64`;
  return `${site}, ${source}, ${form}, received ${readableTime(receivedAt)} UTC: ${why}`;
}

function addSend(quarantine: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  quarantine
    .command('send <id>')
    .description('send a quarantined delivery again')
    .option('--file <file>', 'the corrected message; without it, the message as it came')
    .option('--content-type <type>', 'if it is another one than that of the first delivery')
    .examples(
      'npm run cli -- runs quarantine send 0198c5b2 --file corrected.json',
      'npm run cli -- runs quarantine send 0198c5b2',
    )
    .remarks('It is taken in like a new event of the same feed. Once it is accepted, it leaves the list.')
    .action(async (given: string, { file, contentType }: SendOptions) => {
      const content = file === undefined ? undefined : await readText(file);
      const client = connect();
      const path = `/aside/${await findDeliveryId(client, given)}/send`;
      const answer = await client.ask<ResendAnswer>({ method: 'POST', path, body: { content, contentType } });
      print(wantsJson() ? json(answer) : describeSent(answer));
      if (answer.why !== undefined) throw new CliError(`It could not be used: ${printable(answer.why)}`);
    });
}

function describeSent({ outcome, runs }: ResendAnswer): string {
  const watch = runs.map((id) => `Watch it: npm run cli -- runs watch ${printable(id)}\n`);
  return `The delivery is ${outcome}.\n${watch.join('')}`;
}

/** No message repeats the content, because it is patient data. */
async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (thrown) {
    throw new CliError(`The file ${printable(file)} cannot be read as UTF-8 text.`, { cause: thrown });
  }
}
