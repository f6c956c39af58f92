// Formats one run for people, without patient data except ids.

import type { RunAnswer } from '../../wire/run.ts';
import type { RunCodesAnswer, RunStepAnswer, RunViewAnswer } from '../../wire/run-view.ts';
import { printable, readableTime, renderTable } from '../shared/tables.ts';
import { exactTime, tookOf } from '../shared/time-words.ts';
import { renderWrapped, wrap } from '../shared/wrapped-table.ts';
import { nameOfRun, nextCommands, statusWords } from './runs-words.ts';

const WIDTH = 98;

export function describeRun(run: RunViewAnswer): string {
  const parts = [
    [...heading(run), '', ...stateLines(run)].map((line) => `${line}\n`).join(''),
    stepTable(run.steps),
    ...(run.resources.length + run.left.length === 0 ? [] : [resourceTable(run)]),
    ...(run.events.length === 0 ? [] : [eventTable(run.events)]),
    codeLines(run.codes),
    removedLines(run.removed),
    versionLines(run),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function heading(run: RunAnswer): readonly string[] {
  const { organization, patient, session, recordings, replayOf, movedTo } = run;
  const facts = [
    ...(patient === undefined ? [] : [patient]),
    `organization ${organization}`,
    ...(session === undefined ? ['encounter not read yet'] : [`session ${session}`]),
    ...(recordings.length === 0 ? [] : [`recordings ${recordings.join(', ')}`]),
    `created ${readableTime(run.createdAt)} UTC`,
  ];
  return [
    ...wrap(nameOfRun(run), WIDTH),
    ...wrap(facts.join('; '), WIDTH),
    ...(replayOf === undefined ? [] : [printable(`Replay of run ${replayOf}`)]),
    ...(movedTo === undefined ? [] : [printable(`Moved: its encounter belongs to ${movedTo} now.`)]),
    ...flags(run),
  ];
}

function flags({ isUrgent, isDry, isCancelling, review }: RunAnswer): readonly string[] {
  return [
    ...(isUrgent ? ['Urgent: processed before others.'] : []),
    ...(isDry ? ['Dry run: writes nothing.'] : []),
    ...(isCancelling ? ['Cancelling: stops after the current step.'] : []),
    ...(review === undefined ? [] : [printable(reviewLine(review))]),
  ];
}

function reviewLine({ decision, reviewer, name, time, revision }: NonNullable<RunAnswer['review']>): string {
  const done = decision === 'edit' ? 'Edited and approved' : 'Approved';
  const who = name === undefined ? reviewer : `${name} (${reviewer})`;
  return `${done} by ${who} at ${readableTime(time)} UTC: revision ${revision}.`;
}

const WRITTEN_WORDS: Readonly<Record<string, string>> = { retired: 'retracted' };

/** The state of a run: why, until when, and what can be done. */
export function stateLines(run: RunAnswer): readonly string[] {
  const { status, reason, message, waitsUntil, revision, replayedBy } = run;
  // A run whose replay was written needs nothing any more.
  const advice = replayedBy === undefined ? run.advice : undefined;
  const why = reason === undefined ? '' : ` (${reason})`;
  return [
    ...wrap(`${status.toUpperCase()}${why}: ${statusWords(run)}.`, WIDTH),
    ...(message === undefined ? [] : wrap(message, WIDTH)),
    ...(waitsUntil === undefined ? [] : [`Next attempt at ${exactTime(waitsUntil)} UTC.`]),
    ...(status === 'held' && revision > 0 ? [`The draft has revision ${revision}.`] : []),
    ...(advice === undefined ? [] : wrap(`What to do: ${advice}`, WIDTH)),
    ...nextCommands(run).map(printable),
  ];
}

function stepTable(steps: readonly RunStepAnswer[]): string {
  return renderWrapped(steps, {
    STEP: ({ name }) => name,
    STATUS: ({ status }) => status,
    TRIES: ({ attempts }) => attempts,
    'STARTED (UTC)': ({ startedAt }) => exactTime(startedAt),
    TOOK: tookOf,
    ERROR: ({ error }) => (error === undefined ? '-' : `${error.message} (${error.code})`),
  });
}

const LEFT_WORDS: Readonly<Record<string, string>> = {
  touched: 'kept: a person changed it',
  signed: 'kept: a person signed it',
  unchangeable: 'kept: the EHR does not allow changes',
};

export function resourceTable({ resources, left }: Pick<RunAnswer, 'resources' | 'left'>): string {
  const rows = [
    ...resources.map((one) => ({ ...one, status: WRITTEN_WORDS[one.status] ?? one.status })),
    ...left.map(({ why, ...rest }) => ({ ...rest, status: LEFT_WORDS[why] ?? `kept: ${why}` })),
  ];
  return renderTable(rows, {
    DOCUMENT: ({ document }) => document,
    'IN THE CHART': ({ reference }) => reference,
    'IT WAS': ({ status }) => status,
  });
}

function eventTable(events: RunViewAnswer['events']): string {
  return renderTable(events, {
    'EVENT BY': ({ source }) => source,
    'CAME (UTC)': ({ receivedAt }) => exactTime(receivedAt),
    AGAIN: ({ repeats }) => repeats,
    'ITS ID': ({ eventId }) => eventId,
  });
}

function codeLines(codes: RunCodesAnswer | undefined): string {
  if (codes === undefined) return '';
  const { list, official, unverified, unknown } = codes;
  const source = list === undefined ? 'the table of the site' : `${list.system} ${list.version}`;
  const parts = [
    `${official} in ${source}`,
    ...(unverified === 0 ? [] : [`${unverified} unverified (not in the table)`]),
    ...(unknown === 0 ? [] : [`${unknown} unknown (not in the list, not written)`]),
  ];
  const hint = unverified === 0 ? '' : ' Import the official list: npm run cli -- codes import --help';
  return wrap(printable(`Codes of diseases: ${parts.join('; ')}.${hint}`), WIDTH)
    .map((line) => `${line}\n`)
    .join('');
}

function removedLines(removed: RunViewAnswer['removed']): string {
  if (removed === undefined) return '';
  const { markup, addresses, dosages } = removed;
  const parts = [
    ...(markup === 0 ? [] : [`${markup} of markup`]),
    ...(addresses === 0 ? [] : [`${addresses} addresses`]),
    ...(dosages === 0 ? [] : [`${dosages} dosages that cannot be meant`]),
  ];
  return wrap(printable(`Taken out of the reasoner's answers: ${parts.join('; ')}.`), WIDTH)
    .map((line) => `${line}\n`)
    .join('');
}

function versionLines({ versions, tries, crashes }: RunAnswer): string {
  const { answeredBy, ...made } = versions;
  const shown = { ...made, ...(answeredBy !== undefined && { 'answered by': answeredBy }) };
  const named = Object.entries(shown).map(([name, version]) => `${name} ${version}`);
  const lines = [
    ...(named.length === 0 ? [] : wrap(`Versions: ${named.join('; ')}`, WIDTH)),
    ...(tries + crashes === 0 ? [] : [`Failed attempts: ${tries}; crashed workers: ${crashes}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
