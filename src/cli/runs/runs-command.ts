// runs: from an encounter that ended to the chart: see how each is, follow it, start, repeat, end, decide, take back.
import type { Command } from 'commander';
import type { CommandParts } from '../shared/command-parts.ts';
import { addAside } from './runs-aside.ts';
import { addExplain } from './runs-explain.ts';
import { addList } from './runs-list.ts';
import { addRecall } from './runs-recall.ts';
import { addCancel, addReplay } from './runs-replay.ts';
import { addReview } from './runs-review.ts';
import { addShow } from './runs-show.ts';
import { addStart } from './runs-start.ts';
import { addWatch } from './runs-watch.ts';

export function addRunsCommand(program: Command, parts: CommandParts): void {
  const runs = program
    .command('runs')
    .description('from an encounter to its chart: see, follow, start, repeat, end, decide, take back')
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
    addReview,
    addRecall,
    addAside,
  ]) {
    add(runs, parts);
  }
}
