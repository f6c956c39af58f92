// Formats the patient data of a run: transcript, note, diagnosis. Printed only on request, and always as plain text.

import type { RunViewAnswer } from '../../wire/run-view.ts';
import { offsetOf } from '../shared/time-words.ts';
import { renderWrapped, wrap } from '../shared/wrapped-table.ts';

const WIDTH = 98;

export function describePatientData({ transcript, note, diagnosis, check }: RunViewAnswer): string {
  const parts = [
    ...(transcript === undefined ? [] : [transcriptTable(transcript)]),
    ...(note === undefined ? [] : [describeNote(note)]),
    ...(check === undefined ? [] : [describeCheck(check)]),
    ...(diagnosis === undefined ? [] : [describeDiagnosis(diagnosis)]),
  ];
  return parts.length === 0
    ? 'No patient data: the run did not get that far, or its results were deleted.\n'
    : parts.join('\n');
}

type Shown<Name extends keyof RunViewAnswer> = NonNullable<RunViewAnswer[Name]>;

function transcriptTable({ language, durationSeconds, utterances }: Shown<'transcript'>): string {
  const head = `Transcript (${language}, ${offsetOf(durationSeconds)})\n`;
  if (utterances.length === 0) return `${block(head, 0)}No speech.\n`;
  const table = renderWrapped(utterances, {
    AT: ({ startSeconds }) => offsetOf(startSeconds),
    WHO: ({ speaker }) => `Speaker ${speaker + 1}`,
    SAYS: ({ text }) => text,
  });
  return `${block(head, 0)}${table}`;
}

function describeNote({ title, sections, dynamicFields = {} }: Shown<'note'>): string {
  const fields = Object.entries(dynamicFields).map(([name, value]) => `${name}: ${value}`);
  return [
    block(`Note: ${title}`, 0),
    ...sections.map((section) => `${block(`${section.title} (${section.key})`, 2)}${block(section.text, 4)}`),
    ...(fields.length === 0 ? [] : [block(fields.join('\n'), 2)]),
  ].join('');
}

function describeCheck({ unsupported, overSilence, coverage }: Shown<'check'>): string {
  const counts = Object.entries(unsupported).map(([kind, count]) => `${count} ${kind}`);
  const findings = [
    counts.length === 0
      ? 'all statements were found in the transcript'
      : `not found in the transcript: ${counts.join(', ')}`,
    ...(overSilence.length === 0 ? [] : [`words over silence: ${overSilence.length}`]),
    ...(coverage === undefined ? [] : [`${Math.floor(coverage * 100)} % of the speech is in the transcript`]),
  ];
  return block(`Check: ${findings.join('; ')}`, 0);
}

function describeDiagnosis({ diagnosis: { diseases }, triage }: Shown<'diagnosis'>): string {
  const head = `Triage ${triage.triage_level}: ${triage.triage_justification} ${triage.triage_recommendation}`;
  if (diseases.length === 0) return block(head, 0);
  const table = renderWrapped(diseases, {
    DISEASE: ({ name }) => name,
    CODE: ({ icd10_code }) => icd10_code,
    PROBABILITY: ({ probability }) => probability.toFixed(2),
    WHY: ({ why }) => why,
  });
  return `${block(head, 0)}\n${table}`;
}

/** Keeps the text's own lines and wraps those that are too long. */
function block(text: string, indent: number): string {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .flatMap((line) => wrap(line, WIDTH - indent))
    .map((line) => `${`${' '.repeat(indent)}${line}`.trimEnd()}\n`)
    .join('');
}
