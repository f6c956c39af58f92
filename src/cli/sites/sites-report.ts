// Formats reports on sites and their EHRs for people.

import type { PauseAnswer } from '../../wire/pauses.ts';
import type { ProbeAnswer, ProbedTypeAnswer, ProbeStepAnswer } from '../../wire/probe.ts';
import type { FindingAnswer, ReconcileAnswer } from '../../wire/reconcile.ts';
import type { SiteAnswer } from '../../wire/sites.ts';
import { readableTime, renderTable } from '../shared/tables.ts';
import { renderWrapped, wrap } from '../shared/wrapped-table.ts';

const WIDTH = 98;

export function describeSites(sites: readonly SiteAnswer[], unavailable: readonly string[]): string {
  const none = 'No sites yet. Create one: npm run cli -- mappings new my-hospital --from plain-r4\n';
  const table = sites.length === 0 ? '' : sitesTable(sites);
  const warnings = sites.flatMap(({ name, warning }) => (warning === undefined ? [] : [`${name}: ${warning}.`]));
  const stale = sites
    .filter(({ isStale }) => isStale)
    .map(({ name }) => `${name}: its files have problems, and it goes on as it was: npm run cli -- mappings check`);
  const absent = unavailable.map(
    (name) => `${name}: not in force, its files have problems: npm run cli -- mappings check`,
  );
  const notes = [
    ...sites.flatMap(stops),
    ...sites.flatMap(alarms),
    ...warnings,
    ...stale,
    ...absent,
    ...sites.flatMap(checks),
  ];
  if (table === '' && notes.length === 0) return none;
  return `${table}${notes.length === 0 || table === '' ? '' : '\n'}${notes.map(asNote).join('')}`;
}

/** What an operator paused, and how to resume it. */
function stops({ name, paused = [] }: SiteAnswer): readonly string[] {
  return paused.map((pause) => `${name}: ${describePause(pause)} npm run cli -- sites resume ${name} ${pause.what}`);
}

export function describePause({ what, reason, since }: PauseAnswer): string {
  return `${what === 'all' ? 'all of it' : what} is paused since ${readableTime(since)} UTC (${unended(reason)}).`;
}

/** How far the reconciler is. */
function checks({ name, checks: progress }: SiteAnswer): readonly string[] {
  if (progress === undefined) return [];
  const { written, checked, oldestAt } = progress;
  const since = oldestAt === undefined ? '' : `, each since ${readableTime(oldestAt)} UTC`;
  return [`${name}: ${checked} of ${written} resources in its charts were checked${since}.`];
}

function alarms({ name, feeds = [] }: SiteAnswer): readonly string[] {
  return feeds.flatMap(({ kind, alarm }) => {
    if (alarm === undefined) return [];
    const since = alarm.since === undefined ? '' : ` since ${readableTime(alarm.since)} UTC`;
    const message = alarm.message === undefined ? '' : `: ${unended(alarm.message)}`;
    return [`${name}: ALARM of its events by ${kind} (${alarm.kind})${since}${message}.`];
  });
}

function unended(text: string): string {
  return text.replace(/[.\s]+$/, '');
}

function asNote(note: string): string {
  return wrap(note, WIDTH)
    .map((line, index) => `${index === 0 ? '' : '  '}${line}\n`)
    .join('');
}

/** The address comes last, because it is the longest. */
function sitesTable(sites: readonly SiteAnswer[]): string {
  return renderTable(sites, {
    SITE: ({ name }) => name,
    MODE: ({ mode }) => mode,
    'LAST CONTACT (UTC)': ({ lastContact }) => readableTime(lastContact),
    FINDINGS: ({ findings }) => countsOf(findings),
    EHR: ({ ehr }) => ehr.baseUrl,
  });
}

function countsOf(findings: Readonly<Record<string, number>>): string {
  return Object.entries(findings)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}

export function describeProbe(report: ProbeAnswer): string {
  const { forgotten, steps, types, ladder, learned, warnings, writeTest } = report;
  const parts = [
    heading(report),
    ...(forgotten === undefined ? [] : [describeForgotten(forgotten)]),
    stepsTable('STEP', steps),
    ...(types.length === 0 ? [] : [typesTable(types)]),
    ...(ladder.length === 0 ? [] : [ladderTable(ladder)]),
    ...(learned.length === 0 ? [] : [learnedTable(learned)]),
    ...(writeTest === undefined ? [] : [stepsTable('WRITE TEST', writeTest.steps)]),
    ...(writeTest === undefined || writeTest.leftBehind.length === 0 ? [] : [describeLeft(writeTest)]),
    ...(warnings.length === 0 ? [] : [`Warnings\n${warnings.flatMap(asItem).join('')}`]),
  ];
  return parts.join('\n');
}

function heading({ site, mode, ehr }: ProbeAnswer): string {
  const software = ehr.software === undefined ? '' : `, ${ehr.software}`;
  const text = `${site} (${mode}): ${ehr.baseUrl}${software}, auth: ${ehr.auth}`;
  return `${wrap(text, WIDTH).join('\n')}\n`;
}

function describeForgotten(count: number): string {
  if (count === 0) return 'Nothing was known about this EHR from earlier use.\n';
  return `Forgotten: ${count === 1 ? '1 fact' : `${count} facts`} learned about this EHR earlier.\n`;
}

const RESULTS: Readonly<Record<string, string>> = { passed: 'ok', failed: 'FAILED', 'not-tried': 'not tried' };

function stepsTable(title: string, steps: readonly ProbeStepAnswer[]): string {
  return renderWrapped(steps, {
    [title]: ({ name }) => name,
    RESULT: ({ result }) => RESULTS[result] ?? result,
    WHY: ({ why }) => why,
  });
}

function typesTable(types: readonly ProbedTypeAnswer[]): string {
  return renderWrapped(types, {
    TYPE: ({ type }) => type,
    NEEDS: ({ needs }) => scopeLetters(needs),
    OFFERS: ({ offers }) => (offers === undefined ? '?' : scopeLetters(RIGHTS.filter((right) => offers[right]))),
    'FOUND BY': ({ findBy }) => findBy,
    WRITTEN: ({ isTaken }) => (isTaken === undefined ? undefined : isTaken ? 'yes' : 'no'),
    FOR: ({ documents }) => (documents.length === 0 ? 'reading' : documents.join(', ')),
  });
}

/** What an EHR can state of a type. */
const RIGHTS = ['create', 'read', 'update', 'search'] as const;

/** As SMART scopes name rights, in their order: `system/Condition.crus`. */
function scopeLetters(rights: ProbedTypeAnswer['needs']): string | undefined {
  const letters = ['create', 'read', 'update', 'delete', 'search'] as const;
  return letters.flatMap((right) => (rights.includes(right) ? right.slice(0, 1) : [])).join('') || undefined;
}

function ladderTable(ladder: ProbeAnswer['ladder']): string {
  const usable = ({ isNext, isUsable }: ProbeAnswer['ladder'][number]) => {
    if (isNext) return 'will be used';
    return isUsable ? 'can be used' : 'no';
  };
  return renderWrapped(ladder, {
    'WRITE STRATEGY': ({ rung }) => rung,
    USABLE: usable,
    WHY: ({ why }) => why,
  });
}

/** Types or searches with the same result share a line. */
function learnedTable(learned: ProbeAnswer['learned']): string {
  const lines = [...Map.groupBy(learned, ({ name, value }) => `${name.split(':')[0]} ${value}`).values()];
  const [first] = lines.flat();
  if (first === undefined) return '';
  type Line = (typeof lines)[number];
  const latest = (line: Line) =>
    readableTime(
      line
        .map(({ learnedAt }) => learnedAt)
        .toSorted()
        .at(-1),
    );
  return renderWrapped(lines, {
    LEARNED: ([one = first]) => one.name.split(':')[0],
    'IT IS': ([one = first]) => String(one.value),
    'LAST (UTC)': latest,
    OF: (line) => [...new Set(line.map(({ name }) => name.split(':')[1] ?? ''))].join(', '),
  });
}

function describeLeft({ identifier, leftBehind }: NonNullable<ProbeAnswer['writeTest']>): string {
  const list = leftBehind.flatMap(asItem).join('');
  return `Test data that could not be removed (its patient has the identifier ${identifier})\n${list}`;
}

function asItem(text: string): readonly string[] {
  return wrap(text, WIDTH - 4).map((line, index) => `${index === 0 ? '- ' : '  '}${line}\n`);
}

export function describeReconciliation({ site, checked, findings, cancelled, problems }: ReconcileAnswer): string {
  const looked = `${checked} written resource${checked === 1 ? '' : 's'} of ${site} looked at, ${findings.length} finding${findings.length === 1 ? '' : 's'}.`;
  const sessions = cancelled.map(({ encounter, session }) => `Encounter/${encounter}, session ${session}`);
  return [
    `${looked}\n`,
    ...(findings.length === 0 ? [] : [findingsTable(findings)]),
    ...(sessions.length === 0
      ? []
      : [`Encounters that were cancelled: their drafts should be retracted\n${sessions.flatMap(asItem).join('')}`]),
    ...(findings.length + sessions.length === 0 ? [] : [WHAT_TO_DO]),
    ...(problems.length === 0 ? [] : [`Could not be checked\n${problems.flatMap(asItem).join('')}`]),
  ].join('\n');
}

const WHAT_TO_DO = 'The engine changes nothing by itself. What to do about each: docs/ehr.md, "Discrepancies".\n';

const MEANINGS: Readonly<Record<string, string>> = {
  duplicate: 'in the chart more than once',
  missing: 'no longer in the chart',
  foreign: 'in another patient’s chart',
  unknown: 'has our identifier, but is not in the ledger',
  encounter: 'encounter cancelled',
  moved: 'encounter moved to another patient',
};

function findingsTable(findings: readonly FindingAnswer[]): string {
  return renderWrapped(findings, {
    FINDING: ({ kind }) => kind,
    'IT IS': ({ kind }) => MEANINGS[kind],
    WHERE: ({ references, identity }) => [...references, `(${identity})`].join(' '),
  });
}
