// The input of a diagnosis: the conversation and the facts of the chart, as one text with labelled parts. The note is no part of it, so that an
// invention in a note cannot become a diagnosis. If the conversation is too long, its middle is left out and marked: complaints come first,
// plans last.
import { cleanText } from '../clean-text.ts';
import type { Language } from '../language.ts';
import { speakerLabel, type Transcript } from '../recording/transcript.ts';

type HistoryParts = {
  readonly transcript: Transcript;
  /** Lines of the chart, each with its source; may be empty. */
  readonly history: string;
  /** The language of the labels. */
  readonly language: Language;
};

const MAX_TRANSCRIPT = 60_000;
const MAX_CHART = 20_000;

type Labels = {
  readonly transcript: string;
  readonly chart: string;
  readonly left: (count: number) => string;
  readonly cut: string;
};
const LABELS: Readonly<Record<Language, Labels>> = {
  en: {
    transcript: 'CONVERSATION (written down by speech recognition)',
    chart: 'FROM THE CHART (each line with its source)',
    left: (count) => `[… ${count} utterances left out …]`,
    cut: '[… cut …]',
  },
  es: {
    transcript: 'CONVERSACIÓN (transcrita por reconocimiento de voz)',
    chart: 'DEL EXPEDIENTE (cada línea con su fuente)',
    left: (count) => `[… ${count} intervenciones omitidas …]`,
    cut: '[… cortado …]',
  },
  pt: {
    transcript: 'CONVERSA (transcrita por reconhecimento de fala)',
    chart: 'DO PRONTUÁRIO (cada linha com a sua fonte)',
    left: (count) => `[… ${count} falas omitidas …]`,
    cut: '[… cortado …]',
  },
};

export function makeDiagnosisHistory({ transcript, history, language }: HistoryParts): string {
  const labels = LABELS[language];
  const parts = [
    [labels.transcript, transcriptText(transcript, labels)],
    [labels.chart, cutLines(cleanText(history).split('\n'), MAX_CHART, labels.cut)],
  ] as const;
  return parts
    .filter(([, text]) => text.trim() !== '')
    .map(([label, text]) => `## ${label}\n${text}`)
    .join('\n\n');
}

/** One line per utterance: a line break inside of one could look like another speaker or a label. */
function transcriptText({ utterances }: Transcript, { left, cut }: Labels): string {
  const lines = utterances.map(({ speaker, text }) => {
    const line = `${speakerLabel(speaker)}: ${oneLine(text)}`;
    return line.length > MAX_TRANSCRIPT / 4 ? `${headOf(line, MAX_TRANSCRIPT / 4)} ${cut}` : line;
  });
  const sizes = lines.map((line) => line.length + 1);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MAX_TRANSCRIPT) return lines.join('\n');
  // Cuts from the middle outwards: the longer half loses its inner line.
  let [start, end] = [Math.floor(lines.length / 2), Math.floor(lines.length / 2)];
  while (total > MAX_TRANSCRIPT) {
    const isBefore = start >= lines.length - end;
    if (isBefore) start -= 1;
    total -= sizes[isBefore ? start : end] ?? 0;
    if (!isBefore) end += 1;
  }
  return [...lines.slice(0, start), left(end - start), ...lines.slice(end)].join('\n');
}

function cutLines(lines: readonly string[], maxCharacters: number, mark: string): string {
  const text = lines.join('\n');
  return text.length <= maxCharacters ? text : `${headOf(text, maxCharacters)}\n${mark}`;
}

/** Does not cut a surrogate pair. */
function headOf(text: string, length: number): string {
  const head = text.slice(0, length);
  return head.isWellFormed() ? head : head.slice(0, -1);
}

function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}
