// The command `sandbox` drives the made-up hospital: its visits, charts and drills.
import type { CliCommand } from '../shared/cli-command.ts';
import type { CommandParts } from '../shared/command-parts.ts';
import { addCancel, addLateRecording, addMerge, addMove, addReset, addVisit } from './sandbox-acts.ts';
import { addDrill } from './sandbox-drill.ts';
import { addFinish } from './sandbox-finish.ts';
import { addList } from './sandbox-list.ts';
import { addOpen } from './sandbox-open.ts';
import { addShow } from './sandbox-show.ts';

export function addSandboxCommand(program: CliCommand, parts: CommandParts): void {
  const sandbox = program
    .command('sandbox')
    .description('drive the made-up hospital: finish visits, show charts, rehearse failures')
    .addHelpText(
      'after',
      `
All of its patients are made up. Encounters are taken bare, as Encounter/<name>, or by their story: then it is the newest
visit of it. It runs where the engine is started with SANDBOX=on, or where no other site has an EHR.`,
    );
  for (const add of [
    addList,
    addFinish,
    addShow,
    addOpen,
    addCancel,
    addMerge,
    addMove,
    addLateRecording,
    addVisit,
    addReset,
    addDrill,
  ]) {
    add(sandbox, parts);
  }
}
