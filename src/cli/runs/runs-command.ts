// The command `runs` shows and operates runs: the work on encounters from the event to the chart.
import type { CliCommand } from '../shared/cli-command.ts';
import type { CommandParts } from '../shared/command-parts.ts';
import { addAside } from './runs-aside.ts';
import { addBreakGlass } from './runs-break-glass.ts';
import { addDrafts } from './runs-drafts.ts';
import { addExplain } from './runs-explain.ts';
import { addList } from './runs-list.ts';
import { addQuarantine } from './runs-quarantine.ts';
import { addRecall } from './runs-recall.ts';
import { addCancel, addReplay } from './runs-replay.ts';
import { addRelease, addRetry } from './runs-retry.ts';
import { addReview } from './runs-review.ts';
import { addShow } from './runs-show.ts';
import { addStart } from './runs-start.ts';
import { addWatch } from './runs-watch.ts';

export function addRunsCommand(program: CliCommand, parts: CommandParts): void {
  const runs = program
    .command('runs')
    .description('show, follow, start, replay, retry, cancel, release, review and recall runs')
    .addHelpText(
      'after',
      `
Ids are taken whole, as Run/<id>, or by their beginning where that fits only one run.`,
    );
  for (const add of [
    addList,
    addShow,
    addWatch,
    addExplain,
    addStart,
    addReplay,
    addCancel,
    addRetry,
    addRelease,
    addReview,
    addBreakGlass,
    addDrafts,
    addRecall,
    addAside,
    addQuarantine,
  ]) {
    add(runs, parts);
  }
}
