// The figures of the check of notes as tables of Markdown, and its floors.
import { LANGUAGES } from '../../../src/domain/language.ts';
import { DEFAULT_POLICY } from '../../../src/domain/note/check-policy.ts';
import type { StatementKind } from '../../../src/domain/note/check-report.ts';
import { tableOf } from '../tables.ts';
import { CLAIM_KINDS, CLAIM_SETS, type ClaimSet } from './claims.ts';
import type { JudgedEvidence, JudgedOmission, JudgedSentence } from './judge-claims.ts';

export type ClaimsReport = {
  readonly checker: string;
  readonly sentences: readonly JudgedSentence[];
  readonly omissions: readonly JudgedOmission[];
  readonly otherMissing: readonly string[];
  readonly evidence: readonly JudgedEvidence[];
};

type Test = (sentence: JudgedSentence) => boolean;
type Share = { readonly of: number; readonly met: number };

/** The kinds of the sentences, as the check names them. */
const KIND_OF: Readonly<Record<(typeof CLAIM_KINDS)[number], StatementKind>> = {
  symptom: 'finding',
  'past-history': 'history',
  'family-history': 'family',
  'social-history': 'social',
  allergy: 'allergy',
  drug: 'drug',
  dose: 'dose',
  frequency: 'dose',
  'drug-change': 'drug-change',
  measure: 'number',
  result: 'result',
  side: 'laterality',
  procedure: 'procedure',
  order: 'order',
  'follow-up': 'follow-up',
  consent: 'consent',
  pregnancy: 'pregnancy',
  resuscitation: 'resuscitation',
  disposition: 'disposition',
  'self-harm': 'self-harm',
};

const isMarked: Test = ({ effect }) => effect !== 'none';
const isHeld: Test = ({ effect }) => effect === 'hold';
/** Of a kind that holds the note by default. */
const isOfHolding: Test = ({ kind }) =>
  DEFAULT_POLICY[KIND_OF[kind as (typeof CLAIM_KINDS)[number]]].unsupported === 'hold';

const FLOORS = {
  held: { seen: 0.9, late: 0.8, sealed: 0.8 },
  marked: { seen: 0.75, late: 0.65, sealed: 0.65 },
  wrong: { seen: 0.05, late: 0.08, sealed: 0.08 },
  wronglyHeld: { seen: 0.01, late: 0.01, sealed: 0.01 },
  omissions: { seen: 0.85, late: 0.7, sealed: 0.7 },
  /** Points between the best and the worst language. */
  apart: 0.05,
} as const;

export type ClaimFloor = {
  readonly group: ClaimSet;
  readonly what: string;
  readonly wanted: string;
  readonly given: string;
  readonly isKept: boolean;
};

export function claimFloors(report: ClaimsReport): readonly ClaimFloor[] {
  return CLAIM_SETS.flatMap((set) => {
    const { inventions, faithful, omissions } = partOf(report, set);
    const holding = inventions.filter(isOfHolding);
    const rows: readonly (readonly [string, Share, number, boolean])[] = [
      ['inventions of the kinds that hold, held', shareOf(holding, isHeld), FLOORS.held[set], true],
      ['inventions marked or held', shareOf(inventions, isMarked), FLOORS.marked[set], true],
      ['faithful statements marked', shareOf(faithful, isMarked), FLOORS.wrong[set], false],
      ['faithful statements held', shareOf(faithful, isHeld), FLOORS.wronglyHeld[set], false],
      ['omissions found', shareOf(omissions, ({ isFound }) => isFound), FLOORS.omissions[set], true],
    ];
    const floors = rows.map(([what, share, limit, isLeast]): ClaimFloor => {
      const rate = rateOf(share);
      const isKept = isLeast ? rate >= limit : rate <= limit;
      return { group: set, what, wanted: `${isLeast ? '≥' : '≤'} ${percent(limit)}`, given: percent(rate), isKept };
    });
    const apart = [spread(inventions, isMarked), spread(faithful, isMarked)];
    const languages: ClaimFloor = {
      group: set,
      what: 'points between languages: inventions, faithful statements',
      wanted: `≤ ${percent(FLOORS.apart)}`,
      given: apart.map(percent).join(', '),
      isKept: apart.every((points) => points <= FLOORS.apart),
    };
    return [...floors, languages];
  });
}

export function claimTables(report: ClaimsReport): string {
  const sets = CLAIM_SETS.map((set) => partOf(report, set));
  return [
    tableOf(
      ['figure', 'set', 'wanted', 'is', 'kept'],
      claimFloors(report).map(({ what, group, wanted, given, isKept }) => [
        what,
        group,
        wanted,
        given,
        isKept ? 'yes' : 'no',
      ]),
    ),
    tableOf(
      [
        'language',
        'set',
        'inventions',
        'marked',
        'held',
        'faithful',
        'marked',
        'held',
        'omissions',
        'found',
        'conflicts',
        'shown with the chart',
      ],
      LANGUAGES.flatMap((language) => sets.map((part) => languageRow(language, part))),
    ),
    tableOf(
      ['faithful statements', 'set', 'right polarity', 'right speaker', 'moments found without the cites'],
      LANGUAGES.flatMap((language) => CLAIM_SETS.map((set) => evidenceRow(language, set, report.evidence))),
    ),
    tableOf(
      ['kind', 'set', 'inventions', 'marked', 'held', 'faithful', 'marked', 'held'],
      CLAIM_KINDS.flatMap((kind) => sets.map((part) => kindRow(kind, part))),
    ),
  ].join('\n\n');
}

type Part = ReturnType<typeof partOf>;

function partOf({ sentences, omissions }: ClaimsReport, set: ClaimSet) {
  const own = sentences.filter((sentence) => sentence.set === set);
  const listOf = (list: JudgedSentence['list']) => own.filter((sentence) => sentence.list === list);
  return {
    set,
    inventions: listOf('inventions'),
    faithful: listOf('faithful'),
    conflicts: listOf('conflicts'),
    omissions: omissions.filter((omission) => omission.set === set),
  };
}

function languageRow(language: string, { set, inventions, faithful, omissions, conflicts }: Part): string[] {
  const own = <One extends { readonly talk: { readonly language: string } }>(list: readonly One[]) =>
    list.filter(({ talk }) => talk.language === language);
  const missed = own(omissions);
  const shown = own(conflicts);
  return [
    language,
    set,
    ...rates(own(inventions)),
    ...rates(own(faithful)),
    String(missed.length),
    percent(rateOf(shareOf(missed, ({ isFound }) => isFound))),
    String(shown.length),
    percent(rateOf(shareOf(shown, ({ namesChart }) => namesChart === true))),
  ];
}

function evidenceRow(language: string, set: ClaimSet, all: readonly JudgedEvidence[]): string[] {
  const own = all.filter((one) => one.set === set && one.talk.language === language);
  const isRight = (judged: JudgedEvidence['whose']) => judged?.wanted === judged?.given;
  const spoken = own.filter(({ whose }) => whose !== undefined);
  return [
    language,
    set,
    percent(rateOf(shareOf(own, ({ polarity }) => isRight(polarity)))),
    percent(rateOf(shareOf(spoken, ({ whose }) => isRight(whose)))),
    percent(rateOf(shareOf(spoken, ({ isPlaced }) => isPlaced === true))),
  ];
}

function kindRow(kind: string, { set, inventions, faithful }: Part): string[] {
  const own = (list: readonly JudgedSentence[]) => list.filter((sentence) => sentence.kind === kind);
  return [kind, set, ...rates(own(inventions)), ...rates(own(faithful))];
}

function rates(sentences: readonly JudgedSentence[]): string[] {
  return [
    String(sentences.length),
    percent(rateOf(shareOf(sentences, isMarked))),
    percent(rateOf(shareOf(sentences, isHeld))),
  ];
}

function shareOf<One>(list: readonly One[], isMet: (one: One) => boolean): Share {
  return { of: list.length, met: list.filter(isMet).length };
}

function rateOf({ of, met }: Share): number {
  return of === 0 ? 0 : met / of;
}

function spread(sentences: readonly JudgedSentence[], isMet: Test): number {
  const ofLanguages = LANGUAGES.map((language) =>
    rateOf(
      shareOf(
        sentences.filter(({ talk }) => talk.language === language),
        isMet,
      ),
    ),
  );
  return Math.max(...ofLanguages) - Math.min(...ofLanguages);
}

function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`;
}
