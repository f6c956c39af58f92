// The figures of the extracts that the rules write for a note, as tables of Markdown, with their floors.
import type { Reasoner } from '../../src/ports/reasoner.ts';
import { templateOf, transcriptOf } from './evaluate.ts';
import { type ExtractCase, readExtractCases } from './extract-cases.ts';
import type { Floor } from './judge-floors.ts';
import { toNoAnswer } from './no-answer.ts';
import { type ExtractScore, scoreExtract } from './score-extract.ts';
import { EVERYBODY, percentOf, type Share, sum } from './summary.ts';
import { shown, tableOf } from './tables.ts';

export type ExtractReport = { readonly scores: readonly ExtractScore[]; readonly floors: readonly Floor[] };

const PARTS = { shipped: 'Shipped transcripts, used for tuning', first: 'Visits that were written first' } as const;
const COLUMNS = [
  'visits',
  'language',
  'count',
  'plan kept',
  'wrongly "not discussed"',
  'relatives unnamed',
  'left out',
];
const LEAST_PLAN = 90;

export async function reportExtracts(reasoner: Pick<Reasoner, 'writeNote'>): Promise<ExtractReport> {
  const scores: ExtractScore[] = [];
  for (const visit of await readExtractCases()) scores.push(await scoreOf(visit, reasoner));
  return { scores, floors: floorsOf(scores) };
}

async function scoreOf(visit: ExtractCase, reasoner: Pick<Reasoner, 'writeNote'>): Promise<ExtractScore> {
  const { signal } = new AbortController();
  const request = {
    transcript: transcriptOf(visit.talk),
    template: templateOf(visit.talk),
    language: visit.talk.language,
  };
  const answer = await reasoner.writeNote(request, signal).catch((thrown: unknown) => toNoAnswer(thrown, signal));
  return scoreExtract(visit, answer);
}

export function floorsOf(scores: readonly ExtractScore[]): readonly Floor[] {
  const of = (part: keyof typeof PARTS) => scores.filter((score) => score.part === part);
  return [
    planFloor(of('shipped')),
    ...(['shipped', 'first'] as const).flatMap((part) => [
      noneFloor(`wrongly "not discussed", ${part}`, of(part), ({ silenced }) => silenced.length),
      noneFloor(`relatives unnamed, ${part}`, of(part), ({ unnamed }) => unnamed.length),
    ]),
  ];
}

function planFloor(scores: readonly ExtractScore[]): Floor {
  const kept = keptOf(scores);
  return {
    group: 'notes',
    what: 'plan statements kept, shipped',
    wanted: `at least ${LEAST_PLAN} %`,
    given: kept.of === 0 ? '-' : `${percentOf(kept).toFixed(1)} % (${kept.met}/${kept.of})`,
    isKept: kept.of > 0 && percentOf(kept) >= LEAST_PLAN,
  };
}

function noneFloor(what: string, scores: readonly ExtractScore[], count: (score: ExtractScore) => number): Floor {
  const given = sum(scores.map(count));
  return { group: 'notes', what, wanted: 'none', given: String(given), isKept: scores.length > 0 && given === 0 };
}

function keptOf(scores: readonly ExtractScore[]): Share {
  const of = sum(scores.map(({ planned }) => planned));
  return { met: of - sum(scores.map(({ lost }) => lost.length)), of };
}

/** The figures, the floors, and each mistake by name. */
export function extractTables({ scores, floors }: ExtractReport): string {
  const mistakes = scores.flatMap(({ id, lost, silenced, unnamed, leftOut }) => [
    ...lost.map((what) => `- ${id}: lost ${what}`),
    ...silenced.map((key) => `- ${id}: wrongly silent ${key}`),
    ...unnamed.map((what) => `- ${id}: unnamed ${what}`),
    ...leftOut.map((what) => `- ${id}: left out ${what}`),
  ]);
  return [
    `### Extracts: the plan, silent sections and relatives\n\n${extractTable(scores)}`,
    floorsTable(floors),
    ...(mistakes.length === 0 ? [] : [`What is not in them as it should be:\n\n${mistakes.join('\n')}`]),
  ].join('\n\n');
}

function floorsTable(floors: readonly Floor[]): string {
  const rows = floors.map(({ what, wanted, given, isKept }) => [what, wanted, given, isKept ? 'yes' : 'no']);
  return tableOf(['floor', 'wanted', 'measured', 'reached'], rows);
}

function extractTable(scores: readonly ExtractScore[]): string {
  const rows = (Object.keys(PARTS) as (keyof typeof PARTS)[]).flatMap((part) =>
    EVERYBODY.map((language) => {
      const some = scores.filter((one) => one.part === part && (language === 'all' || one.language === language));
      const share = (count: (score: ExtractScore) => number, of: (score: ExtractScore) => number) =>
        shown({ met: sum(some.map(count)), of: sum(some.map(of)) });
      return [
        PARTS[part],
        language,
        String(some.length),
        shown(keptOf(some)),
        share(
          ({ silenced }) => silenced.length,
          ({ discussed }) => discussed,
        ),
        share(
          ({ unnamed }) => unnamed.length,
          ({ relatives }) => relatives,
        ),
        share(
          ({ leftOut }) => leftOut.length,
          ({ relatives }) => relatives,
        ),
      ];
    }),
  );
  return tableOf(COLUMNS, rows);
}

const BEGIN = '<!-- extracts: made by npm run eval -- --write -->';
const END = '<!-- /extracts -->';

/** The page of the evaluation with these figures. */
export function withExtracts(page: string, report: ExtractReport): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/evaluation.md has no ${BEGIN} … ${END}`);
  return `${page.slice(0, begin)}${BEGIN}\n${extractTables(report)}\n${page.slice(end)}`;
}
