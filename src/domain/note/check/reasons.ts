// The reasons of a differential diagnosis with the words on which they rest: each finding, drug or value that the explanation of a candidate
// names is looked up in the talk and the chart. Nothing is judged: an explanation may conclude what no one said.
import { findDrugsInNote } from '../../../clinical-text/drugs/find-drugs.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ChartEntry } from '../chart-to-check.ts';
import type { ChartSource, ReasonEvidence } from '../check-report.ts';
import type { CheckWork } from './check-work.ts';
import type { Polarity } from './spoken-facts.ts';
import { readFacts, type TextFacts } from './text-facts.ts';

/** Moments of one reason: the first ones suffice to find it. */
const MOST_MOMENTS = 3;

/** A pain without its place may be any of them. */
const ANY_PAIN = 'pain';

type Mention = { readonly utterance: number; readonly polarity: Polarity };
type Named = {
  /** The finding or drug. */
  readonly id: string;
  readonly first: number;
  readonly end: number;
  readonly isDenied: boolean;
  readonly mentions: readonly Mention[];
  readonly chart: readonly ChartSource[];
};

/** In the order of the candidates, and of the words in the explanation of each. What is found nowhere is left out. */
export function pointReasons(work: CheckWork, { diagnosis: { diseases } }: Diagnosis): readonly ReasonEvidence[] {
  const chart = readChart(work);
  return diseases.flatMap(({ why }, disease) => {
    const reading = readFacts({ text: why, language: work.language, findDrugs: findDrugsInNote });
    const named = [...namedFindings(reading, work, chart), ...namedDrugs(reading, work, chart)]
      .filter(({ mentions, chart: sources }) => mentions.length + sources.length > 0)
      .toSorted((a, b) => a.first - b.first);
    // An explanation comes back to what it has named.
    const once = new Map(named.toReversed().map((one) => [one.id, one]));
    return named.filter((one) => once.get(one.id) === one).map((one) => reasonOf(one, { disease, reading, work }));
  });
}

type ReadEntry = { readonly source: ChartSource; readonly reading: TextFacts };

/** Each entry of the chart, read once. */
function readChart({ chart, language }: CheckWork): readonly ReadEntry[] {
  const lists = { problems: chart?.problems, drugs: chart?.drugs, allergies: chart?.allergies };
  return (Object.entries(lists) as readonly [ChartSource['list'], readonly ChartEntry[] | undefined][]).flatMap(
    ([list, entries = []]) =>
      entries.map((entry) => {
        const reading = readFacts({ text: entry.text, language, findDrugs: findDrugsInNote });
        return { source: { list, ...entry }, reading };
      }),
  );
}

function namedFindings({ findings }: TextFacts, { spoken }: CheckWork, chart: readonly ReadEntry[]): readonly Named[] {
  return findings
    .filter(({ id }) => id !== ANY_PAIN)
    .map(({ id, first, end, isDenied }) => ({
      id,
      first,
      end,
      isDenied,
      mentions: (spoken.findings.get(id) ?? []).filter(({ polarity }) => polarity !== 'unknown'),
      chart: chart.filter(({ reading }) => reading.findings.some((one) => one.id === id)).map(({ source }) => source),
    }));
}

function namedDrugs({ drugs }: TextFacts, { spoken }: CheckWork, chart: readonly ReadEntry[]): readonly Named[] {
  return drugs.map(({ ids, first, end }) => ({
    id: ids.join(' '),
    first,
    end,
    isDenied: false,
    mentions: ids.flatMap((id) => {
      const utterance = spoken.drugs.get(id);
      return utterance === undefined ? [] : [{ utterance, polarity: 'affirmed' as const }];
    }),
    chart: chart
      .filter(({ reading }) => reading.drugs.some((drug) => drug.ids.some((id) => ids.includes(id))))
      .map(({ source }) => source),
  }));
}

type ReasonParts = { readonly disease: number; readonly reading: TextFacts; readonly work: CheckWork };

/** What was denied speaks against a candidate, and so does what its explanation denies. */
function reasonOf(
  { first, end, isDenied, mentions, chart }: Named,
  { disease, reading, work }: ReasonParts,
): ReasonEvidence {
  const isSaidDenied = mentions.length > 0 && mentions.every(({ polarity }) => polarity === 'denied');
  const utterances = [...new Set(mentions.map(({ utterance }) => utterance))].slice(0, MOST_MOMENTS);
  return {
    disease,
    from: reading.tokens[first]?.from ?? 0,
    to: reading.tokens[end - 1]?.to ?? 0,
    speaks: isDenied || isSaidDenied ? 'against' : 'for',
    moments: utterances.flatMap((utterance) => {
      const said = work.transcript.utterances[utterance];
      return said === undefined ? [] : [{ utterance, startSeconds: said.startSeconds, endSeconds: said.endSeconds }];
    }),
    chart,
  };
}
