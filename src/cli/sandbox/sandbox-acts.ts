// The other sandbox commands: cancel, merge, move, late-recording, visit, reset.

import type { MergedVisitAnswer, SandboxResetAnswer, VisitAnswer } from '../../wire/sandbox.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { agree, type CommandParts, json, LONG_PATIENCE, withProgress } from '../shared/command-parts.ts';
import { printable } from '../shared/tables.ts';
import { visitPath } from './sandbox-visits.ts';

export function addCancel(sandbox: CliCommand, parts: CommandParts): void {
  sandbox
    .command('cancel <encounter>')
    .description('cancel an encounter; its unsigned drafts are retracted')
    .examples('npm run cli -- sandbox cancel en-common-cold')
    .action(async (given: string) => {
      const visit = await act<VisitAnswer>(parts, given, 'cancel');
      tell(
        parts,
        visit,
        `${visit.name} is cancelled, and the EHR has sent its event. Its unsigned drafts are retracted.`,
      );
    });
}

export function addMerge(sandbox: CliCommand, parts: CommandParts): void {
  sandbox
    .command('merge <encounter>')
    .description('merge the patient into another one, who keeps the chart')
    .examples('npm run cli -- sandbox merge en-common-cold')
    .action(async (given: string) => {
      const visit = await act<MergedVisitAnswer>(parts, given, 'merge');
      tell(
        parts,
        visit,
        `The patient of ${visit.name} is now ${visit.survivor}. A running run continues with that patient.`,
      );
    });
}

export function addMove(sandbox: CliCommand, parts: CommandParts): void {
  sandbox
    .command('move <encounter>')
    .description('move an encounter with its recordings to another patient, or back')
    .examples('npm run cli -- sandbox move en-common-cold')
    .remarks('Its unsigned drafts are retracted, and it is documented again for the patient of now.')
    .action(async (given: string) => {
      const visit = await act<VisitAnswer>(parts, given, 'move');
      tell(parts, visit, `${visit.name} belongs to ${visit.patient} now, and the EHR has sent its event.`);
    });
}

export function addLateRecording(sandbox: CliCommand, parts: CommandParts): void {
  sandbox
    .command('late-recording <encounter>')
    .description('add a late recording to the encounter')
    .examples('npm run cli -- sandbox late-recording en-common-cold')
    .remarks('Some patients have a second recording; the engine says which. It gets a note of its own.')
    .action(async (given: string) => {
      const visit = await act<VisitAnswer>(parts, given, 'late-recording');
      tell(parts, visit, `${visit.name} now has ${visit.recordings} recordings, and the EHR has sent its event.`);
    });
}

export function addVisit(sandbox: CliCommand, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  sandbox
    .command('visit <scenario>')
    .description('start another visit of a scenario’s patient, with the same complaint')
    .examples('npm run cli -- sandbox visit en-chest-pressure')
    .action(async (given: string) => {
      const body = { story: given.replace(/^Encounter\//, '') };
      const visit = await connect().ask<VisitAnswer>({ method: 'POST', path: '/sandbox/visits', body });
      if (wantsJson()) return print(json(visit));
      const name = printable(visit.name);
      print(`${name} has started.\nFinish it: npm run cli -- sandbox finish ${name}\n`);
    });
}

export function addReset(sandbox: CliCommand, parts: CommandParts): void {
  sandbox
    .command('reset')
    .description('restore all charts to their first state; the engine forgets the sandbox’s runs')
    .option('--yes', 'without asking')
    .examples('npm run cli -- sandbox reset', 'npm run cli -- sandbox reset --yes')
    .remarks('What was done before stays in the audit trail. A drill that is under way ends.')
    .action(async ({ yes = false }: { readonly yes?: boolean }) => {
      if (!yes) await agree(parts, RESET_QUESTION);
      const client = parts.connect(LONG_PATIENCE);
      const request = { method: 'POST', path: '/sandbox/reset' } as const;
      const answer = await withProgress(parts, 'Restoring the charts …', () => client.ask<SandboxResetAnswer>(request));
      const { visits, forgotten } = answer;
      const words = `${visits} visits restored; ${forgotten} run${forgotten === 1 ? '' : 's'} forgotten.\n`;
      parts.print(parts.wantsJson() ? json(answer) : words);
    });
}

const RESET_QUESTION = {
  question: 'All charts of the sandbox will be restored to their first state, and its runs forgotten.',
  otherwise: 'Nothing was changed.',
  because: 'All charts of the sandbox would be restored to their first state, and its runs forgotten.',
} as const;

function act<Visit extends VisitAnswer>({ connect }: CommandParts, given: string, verb: string): Promise<Visit> {
  return connect(LONG_PATIENCE).ask<Visit>({ method: 'POST', path: visitPath(given, verb) });
}

function tell({ print, wantsJson }: CommandParts, visit: VisitAnswer, sentence: string): void {
  const then = `Look at its chart: npm run cli -- sandbox show ${visit.name}`;
  print(wantsJson() ? json(visit) : `${printable(sentence)}\n${printable(then)}\n`);
}
