// The command `sites` shows the hospitals' EHRs: their state, their capabilities, and discrepancies in their charts.

import type { ProbeAnswer } from '../../wire/probe.ts';
import type { ReconcileAnswer } from '../../wire/reconcile.ts';
import type { SiteListAnswer } from '../../wire/sites.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { agree, type CommandParts, json, LONG_PATIENCE, sitePath, toNumber } from '../shared/command-parts.ts';
import { printable } from '../shared/tables.ts';
import { addPause, addResume } from './sites-pause.ts';
import { describeProbe, describeReconciliation, describeSites } from './sites-report.ts';

export function addSitesCommand(program: CliCommand, parts: CommandParts): void {
  const sites = program.command('sites').description('show, probe, pause and reconcile the hospitals’ EHRs');
  addList(sites, parts);
  addProbe(sites, parts);
  addReconcile(sites, parts);
  addPause(sites, parts);
  addResume(sites, parts);
}

function addList(sites: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  sites
    .command('list')
    .description('list the sites: their EHRs, last contact, pauses and discrepancies')
    .examples('npm run cli -- sites list', 'npm run --silent cli -- --json sites list')
    .remarks('--json says more of each: how the engine signs in, and the version of its mappings.')
    .action(async () => {
      const answer = await connect().ask<SiteListAnswer>({ method: 'GET', path: '/sites' });
      print(wantsJson() ? json(answer) : describeSites(answer.sites, answer.unavailable));
    });
}

type ProbeOptions = { readonly writeTest?: boolean; readonly forget?: boolean; readonly yes?: boolean };

function addProbe(sites: CliCommand, parts: CommandParts): void {
  sites
    .command('probe <site>')
    .description('find out what a site’s EHR can do, and how the engine will write to it')
    .option('--write-test', 'also write a test patient with documents, and remove them again')
    .option('--forget', 'first forget what was learned about this EHR earlier')
    .option('--yes', 'with --write-test: write without asking')
    .examples(
      'npm run cli -- sites probe mercy',
      'npm run cli -- sites probe mercy --write-test',
      'npm run cli -- sites probe mercy --forget --write-test --yes',
      'npm run --silent cli -- --json sites probe mercy',
    )
    .remarks(`Without --write-test nothing is written, and nothing of any patient is read. A write test takes some seconds; where
searches show late what was written, some minutes. It ends with 1 where the EHR cannot be used as it is, or test data
is left there.`)
    .action(async (site: string, { writeTest = false, forget = false, yes = false }: ProbeOptions) => {
      if (yes && !writeTest) throw new CliError('--yes goes with --write-test: it writes without asking.');
      if (writeTest && !yes) await agreeToWrite(parts, site);
      const request = { method: 'POST', path: sitePath(site, 'probe'), body: { writeTest, forget } } as const;
      const report = await parts.connect(LONG_PATIENCE).ask<ProbeAnswer>(request);
      parts.print(parts.wantsJson() ? json(report) : describeProbe(report));
      refuseToBeHappy(report);
    });
}

/** The EHR may be a production system. */
function agreeToWrite(parts: CommandParts, site: string): Promise<void> {
  const name = printable(site);
  return agree(parts, {
    question: `A test patient (Chartwright-Test, not a person) with documents will be written to the EHR of ${name} and removed
again; an EHR that does not allow deletes keeps them. This takes some seconds, or minutes if searches are delayed.`,
    otherwise: 'Nothing was written.',
    because: `A write test creates a test patient in the EHR of ${name}.`,
  });
}

function refuseToBeHappy({ site, isUsable, writeTest }: ProbeAnswer): void {
  const left = writeTest?.leftBehind.length ?? 0;
  if (left > 0) throw new CliError(`Test data is left in the EHR of ${site}: remove ${left} by hand, as listed.`);
  if (!isUsable) throw new CliError(`The EHR of ${site} cannot be used as it is; the table says why.`);
}

function addReconcile(sites: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  sites
    .command('reconcile <site>')
    .description('check that everything written is still in its chart exactly once; changes nothing')
    .option('--limit <number>', 'maximum number of documents to check, least recently checked first')
    .examples('npm run cli -- sites reconcile mercy', 'npm run cli -- sites reconcile mercy --limit 50')
    .remarks('It ends with 1 if there are discrepancies or something could not be checked.')
    .action(async (site: string, { limit }: { readonly limit?: string }) => {
      const body = limit === undefined ? {} : { limit: toNumber(limit) };
      const request = { method: 'POST', path: sitePath(site, 'reconcile'), body } as const;
      const report = await connect(LONG_PATIENCE).ask<ReconcileAnswer>(request);
      print(wantsJson() ? json(report) : describeReconciliation(report));
      const { findings, cancelled, problems } = report;
      if (findings.length + cancelled.length > 0) throw new CliError(`Discrepancies were found in charts of ${site}.`);
      if (problems.length > 0) throw new CliError(`Some documents written to ${site} could not be checked.`);
    });
}
