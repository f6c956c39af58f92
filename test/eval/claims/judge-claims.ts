// What the check of notes says about each sentence of a talk, each omission and each conflict.
import type { CheckParts } from '../../../src/domain/note/check-note.ts';
import type { ChartList, CheckReport, Effect, StatementEvidence } from '../../../src/domain/note/check-report.ts';
import type { NoteChecker } from '../../../src/ports/note-checker.ts';
import type { ClaimSet, ClaimTalk } from './claims.ts';

export type JudgedSentence = {
  readonly set: ClaimSet;
  readonly talk: Pick<ClaimTalk, 'id' | 'language'>;
  readonly list: 'faithful' | 'inventions' | 'conflicts';
  readonly kind: string;
  readonly text: string;
  /** Only of inventions. */
  readonly change?: string;
  readonly expected?: string;
  readonly verdict: StatementEvidence['verdict'];
  readonly effect: Effect;
  /** The claims that are not supported: `contradicted dose 500 mg`. */
  readonly marks: readonly string[];
  /** Only of conflicts: the check names the entry's list. */
  readonly namesChart?: boolean;
};

export type JudgedOmission = {
  readonly set: ClaimSet;
  readonly talk: Pick<ClaimTalk, 'id' | 'language'>;
  readonly kind: string;
  readonly text: string;
  readonly isFound: boolean;
};

/** What the check knows of a faithful statement besides its verdict. */
export type JudgedEvidence = {
  readonly set: ClaimSet;
  readonly talk: Pick<ClaimTalk, 'id' | 'language'>;
  readonly text: string;
  readonly polarity: { readonly wanted: string; readonly given: string };
  /** Absent if the statement rests on the chart alone. */
  readonly whose?: { readonly wanted: string; readonly given: string };
  /** An utterance that the statement cites is among the moments, although the check was not given the cites. */
  readonly isPlaced?: boolean;
};

export type JudgedTalk = {
  readonly evidence: readonly JudgedEvidence[];
  readonly sentences: readonly JudgedSentence[];
  readonly omissions: readonly JudgedOmission[];
  /** What the check lists as left out of the faithful note, and is none of the omissions. */
  readonly otherMissing: readonly string[];
};

const SECTIONS = { history: 'SUBJECTIVE', examination: 'OBJECTIVE', assessment: 'ASSESSMENT', plan: 'PLAN' } as const;
/** The date of all made-up visits. */
const VISIT = '2026-11-02';
/** An omission may be listed with the question or the answer. */
const NEAR = 1;

type Sentence = ClaimTalk['faithful'][number] | ClaimTalk['inventions'][number] | ClaimTalk['conflicts'][number];

/** Each list is a note of its own, so that a sentence is judged beside its like. What is left out is looked for by `checker` alone. */
export async function judgeTalk(
  { set, talk }: { readonly set: ClaimSet; readonly talk: ClaimTalk },
  checker: NoteChecker,
  judging: NoteChecker = checker,
): Promise<JudgedTalk> {
  const judge = async (list: JudgedSentence['list']): Promise<readonly JudgedSentence[]> => {
    const sentences = inOrder(talk[list]);
    const report = await judging.check(partsOf(talk, sentences), new AbortController().signal);
    return sentences.map((sentence, index) => ({
      set,
      talk: { id: talk.id, language: talk.language },
      list,
      kind: sentence.kind,
      text: sentence.text,
      ...('change' in sentence && { change: sentence.change, expected: sentence.expected }),
      ...judgementOf(report, index, sentence.text),
      ...('with' in sentence && { namesChart: namesChart(report, index, sentence.with) }),
    }));
  };
  const evidence = await judgeEvidence({ set, talk }, checker);
  const sentences = [...(await judge('faithful')), ...(await judge('inventions')), ...(await judge('conflicts'))];
  const whole = await checker.check(partsOf(talk, talk.faithful), new AbortController().signal);
  const missing = whole.missing ?? [];
  const isOf = ({ said }: ClaimTalk['omissions'][number], utterance: number) => Math.abs(said - 1 - utterance) <= NEAR;
  return {
    sentences,
    evidence,
    omissions: talk.omissions.map((omission) => ({
      set,
      talk: { id: talk.id, language: talk.language },
      kind: omission.kind,
      text: omission.text,
      isFound: missing.some(({ utterance }) => isOf(omission, utterance)),
    })),
    otherMissing: missing
      .filter(({ utterance }) => !talk.omissions.some((omission) => isOf(omission, utterance)))
      .map(({ kind, text }) => `${kind} ${text}`),
  };
}

/** Polarity and whose words, with the cites; the moments without them. */
async function judgeEvidence(
  { set, talk }: { readonly set: ClaimSet; readonly talk: ClaimTalk },
  checker: NoteChecker,
): Promise<readonly JudgedEvidence[]> {
  const sentences = inOrder(talk.faithful) as ClaimTalk['faithful'];
  const parts = partsOf(talk, sentences);
  const signal = new AbortController().signal;
  const cited = (await checker.check(parts, signal)).evidence ?? [];
  const { note } = parts.note;
  const found = (await checker.check({ ...parts, note: { note } }, signal)).evidence ?? [];
  return sentences.map(({ text, polarity, whose, cites }, index) => {
    const own = cited[index];
    // Without the writer's statements, the text is cut into its sentences.
    const parted = found.filter(({ section, from, to }) => {
      return section === own?.section && from >= own.from && to <= own.to;
    });
    const utterances = new Set(parted.flatMap(({ moments }) => moments.map(({ utterance }) => utterance + 1)));
    return {
      set,
      talk: { id: talk.id, language: talk.language },
      text,
      polarity: { wanted: polarity, given: own?.polarity ?? 'none' },
      ...(cites.length > 0 && {
        whose: { wanted: whose, given: own?.whose ?? 'unknown' },
        isPlaced: cites.some((cite) => utterances.has(cite)),
      }),
    };
  });
}

/** The statements of a note are in the order of its sections. */
function inOrder(sentences: readonly Sentence[]): readonly Sentence[] {
  return Object.keys(SECTIONS).flatMap((name) => sentences.filter(({ section }) => section === name));
}

function partsOf(talk: ClaimTalk, sentences: readonly Sentence[]): CheckParts {
  const { chart, language } = talk;
  const speakers = ['clinician', 'patient', 'relative'];
  const statements = sentences.map(({ section, text, cites }) => {
    return { section: SECTIONS[section], text, cites: cites.map((number) => number - 1) };
  });
  const texts = Map.groupBy(statements, ({ section }) => section);
  const sections = Object.values(SECTIONS).map((key) => {
    return { key, title: key, text: (texts.get(key) ?? []).map(({ text }) => text).join('\n') };
  });
  const entries = (list: readonly string[]) => list.map((text) => ({ text }));
  return {
    note: { note: { title: '', sections }, statements },
    transcript: {
      language,
      durationSeconds: (talk.talk.at(-1)?.at ?? 0) + 10,
      utterances: talk.talk.map(({ at, who, said }, index) => ({
        speaker: speakers.indexOf(who),
        text: said,
        startSeconds: at,
        endSeconds: talk.talk[index + 1]?.at ?? at + 10,
        confidence: 0.9,
      })),
    },
    language,
    maxUnsupported: {},
    chart: {
      allergies: entries(chart.allergies),
      drugs: entries(chart.drugs),
      problems: entries(chart.problems),
      sex: chart.sex,
      birthDate: chart.birthDate,
      date: VISIT,
    },
  };
}

/** The statement's evidence, with its claims that are not supported. */
function judgementOf({ evidence = [], statements }: CheckReport, index: number, text: string) {
  const own = evidence[index];
  if (own === undefined || own.to - own.from !== text.length) throw new Error(`the check has lost “${text}”`);
  const marks = statements
    .filter(({ section, from, to, verdict }) => {
      return section === own.section && from >= own.from && to <= own.to && verdict !== 'supported';
    })
    .map(({ kind, verdict, from, to }) => `${verdict} ${kind} ${text.slice(from - own.from, to - own.from)}`);
  return { verdict: own.verdict, effect: own.effect, marks };
}

function namesChart({ evidence = [] }: CheckReport, index: number, list: ChartList): boolean {
  const own = evidence[index];
  return own?.verdict === 'conflict' && own.chart.some((source) => source.list === list);
}
