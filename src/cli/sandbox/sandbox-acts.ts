// What else can happen to a visit, and to the hospital as a whole: cancelled, merged, recorded again, played again, set back.
import type { Command } from 'commander';
import type { MergedVisitAnswer, SandboxResetAnswer, VisitAnswer } from '../../wire/sandbox.ts';
import { agree, type CommandParts, examples, json, LONG_PATIENCE, whileTelling } from '../shared/command-parts.ts';
import { printable } from '../shared/tables.ts';
import { visitPath } from './sandbox-visits.ts';

export function addCancel(sandbox: Command, parts: CommandParts): void {
  sandbox
    .command('cancel <encounter>')
    .description('the encounter never was: what was drafted of it is taken back')
    .addHelpText('after', examples('npm run cli -- sandbox cancel en-common-cold'))
    .action(async (given: string) => {
      const visit = await act<VisitAnswer>(parts, given, 'cancel');
      tell(
        parts,
        visit,
        `${visit.name} is cancelled, and the EHR has told so. What was drafted and nobody signed is taken back.`,
      );
    });
}

export function addMerge(sandbox: Command, parts: CommandParts): void {
  sandbox
    .command('merge <encounter>')
    .description('the patient turns out to be another one, whose their chart is from now on')
    .addHelpText('after', examples('npm run cli -- sandbox merge en-common-cold'))
    .action(async (given: string) => {
      const visit = await act<MergedVisitAnswer>(parts, given, 'merge');
      tell(
        parts,
        visit,
        `The patient of ${visit.name} is ${visit.survivor} now. A run that was under way goes on with them.`,
      );
    });
}

export function addLateRecording(sandbox: Command, parts: CommandParts): void {
  sandbox
    .command('late-recording <encounter>')
    .description('one more recording of the encounter comes in, after all others')
    .addHelpText(
      'after',
      `${examples('npm run cli -- sandbox late-recording en-common-cold')}
Some patients have a second recording; the engine says which. It gets a note of its own.`,
    )
    .action(async (given: string) => {
      const visit = await act<VisitAnswer>(parts, given, 'late-recording');
      tell(parts, visit, `${visit.name} has ${visit.recordings} recordings now, and the EHR has told so.`);
    });
}

export function addVisit(sandbox: Command, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  sandbox
    .command('visit <story>')
    .description('the patient of a story comes again, with the same complaint')
    .addHelpText('after', examples('npm run cli -- sandbox visit en-chest-pressure'))
    .action(async (given: string) => {
      const body = { story: given.replace(/^Encounter\//, '') };
      const visit = await connect().ask<VisitAnswer>({ method: 'POST', path: '/sandbox/visits', body });
      if (wantsJson()) return print(json(visit));
      const name = printable(visit.name);
      print(`${name} has begun.\nFinish it: npm run cli -- sandbox finish ${name}\n`);
    });
}

export function addReset(sandbox: Command, parts: CommandParts): void {
  sandbox
    .command('reset')
    .description('all charts as on the first day; the engine forgets its runs of the sandbox')
    .option('--yes', 'without asking')
    .addHelpText(
      'after',
      `${examples('npm run cli -- sandbox reset', 'npm run cli -- sandbox reset --yes')}
What was done before stays in the audit trail. A drill that is under way ends.`,
    )
    .action(async ({ yes = false }: { readonly yes?: boolean }) => {
      if (!yes) await agree(parts, RESET_QUESTION);
      const client = parts.connect(LONG_PATIENCE);
      const request = { method: 'POST', path: '/sandbox/reset' } as const;
      const answer = await whileTelling(parts, 'The charts are made anew …', () =>
        client.ask<SandboxResetAnswer>(request),
      );
      const { visits, forgotten } = answer;
      const words = `${visits} visits as on the first day; ${forgotten} run${forgotten === 1 ? '' : 's'} forgotten.\n`;
      parts.print(parts.wantsJson() ? json(answer) : words);
    });
}

const RESET_QUESTION = {
  question: 'All charts of the sandbox are made as on the first day, and its runs are forgotten.',
  otherwise: 'Nothing was changed.',
  because: 'All charts of the sandbox would be as on the first day, and its runs forgotten.',
} as const;

function act<Visit extends VisitAnswer>({ connect }: CommandParts, given: string, verb: string): Promise<Visit> {
  return connect(LONG_PATIENCE).ask<Visit>({ method: 'POST', path: visitPath(given, verb) });
}

function tell({ print, wantsJson }: CommandParts, visit: VisitAnswer, sentence: string): void {
  const then = `Look at its chart: npm run cli -- sandbox show ${visit.name}`;
  print(wantsJson() ? json(visit) : `${printable(sentence)}\n${printable(then)}\n`);
}
