// The commands `sites pause` and `sites resume` stop and continue a part of a site's work. Events are accepted meanwhile.

import type { PausedSiteAnswer } from '../../wire/pauses.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, sitePath } from '../shared/command-parts.ts';
import { printable } from '../shared/tables.ts';
import { describePause } from './sites-report.ts';

const KINDS = ['intake', 'model', 'write', 'all'] as const;

const WHAT_THEY_ARE = `intake: no encounter is looked at. model: nothing goes to the engines. write: nothing is written. all: all of it.
Events are taken all the while: nothing is lost.`;

export function addPause(sites: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  sites
    .command('pause <site> [what]')
    .description(`pause a part of a site’s work: ${KINDS.join(', ')} (default: all)`)
    .requiredOption('--reason <text>', 'the reason, shown to operators; no patient data')
    .examples(
      "npm run cli -- sites pause mercy write --reason 'EHR upgrade'",
      "npm run cli -- sites pause mercy --reason 'No reviewer today'",
    )
    .remarks(`${WHAT_THEY_ARE}
It holds in every engine within 5 seconds; a step that is under way is brought to its end.`)
    .action(async (site: string, what: string | undefined, { reason }: { readonly reason: string }) => {
      const body = { what: whatOf(what), reason };
      const answer = await connect().ask<PausedSiteAnswer>({ method: 'POST', path: sitePath(site, 'pause'), body });
      print(wantsJson() ? json(answer) : describePaused(answer));
    });
}

export function addResume(sites: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  sites
    .command('resume <site> [what]')
    .description(`resume a part of a site’s work: ${KINDS.join(', ')} (default: all)`)
    .examples('npm run cli -- sites resume mercy', 'npm run cli -- sites resume mercy write')
    .remarks('all ends every pause of the site. Runs that waited for it go on at once.')
    .action(async (site: string, what: string | undefined) => {
      const body = { what: whatOf(what) };
      const answer = await connect().ask<PausedSiteAnswer>({ method: 'POST', path: sitePath(site, 'resume'), body });
      print(wantsJson() ? json(answer) : describeResumed(answer));
    });
}

function whatOf(given = 'all'): string {
  if ((KINDS as readonly string[]).includes(given)) return given;
  throw new CliError(`${printable(given)} is nothing that can be paused: say one of ${KINDS.join(', ')}.`);
}

function describePaused({ site, paused }: PausedSiteAnswer): string {
  if (paused.length === 0) return `Nothing is paused at ${printable(site)}.\n`;
  return paused.map((pause) => `${printable(`${site}: ${describePause(pause)}`)}\n`).join('');
}

const GOES_ON = [
  ['intake', 'encounters are read'],
  ['model', 'reasoner and speech recognition are called'],
  ['write', 'charts are written, if the mode of the site is live'],
] as const;

/** What goes on, and what does not. */
function describeResumed(answer: PausedSiteAnswer): string {
  const { site, paused, wokenRuns } = answer;
  const stopped = new Set<string>(paused.map(({ what }) => what));
  const going = stopped.has('all') ? [] : GOES_ON.filter(([what]) => !stopped.has(what)).map(([, words]) => words);
  const waking = wokenRuns ? ` ${wokenRuns} waiting run${wokenRuns === 1 ? ' goes' : 's go'} on now.` : '';
  const goesOn = going.length === 0 ? '' : `${printable(site)} goes on: ${going.join('; ')}.${waking}\n`;
  return `${goesOn}${describePaused(answer)}`;
}
