// `npm run eval -- --suite claims`: prints how the check of notes judges made-up sentences, or writes it into docs/evaluation.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { Meter } from '../../../src/domain/access/usage.ts';
import { openNoteChecker } from '../../../src/evidence/open-note-checker.ts';
import { makeVerifyNote, type VerifierEnd } from '../../../src/flows/service/verify-note.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import type { NoteChecker } from '../../../src/ports/note-checker.ts';
import type { Verifier } from '../../../src/ports/verifier.ts';
import { someAtOnce } from '../some-at-once.ts';
import { PAGE } from '../write-page.ts';
import { CLAIM_SETS, readClaimTalks } from './claims.ts';
import { type ClaimsReport, claimFloors, claimTables } from './claims-table.ts';
import { type JudgedEvidence, type JudgedSentence, judgeTalk } from './judge-claims.ts';

const BEGIN = '<!-- claims: made by npm run eval -- --suite claims --write -->';
const END = '<!-- /claims -->';

type Parts = {
  readonly json: boolean;
  readonly write: boolean;
  /** Prints the sentences of the seen talks that are judged otherwise than wanted. */
  readonly all: boolean;
  /** The model of the second check; absent: the check without a model. */
  readonly verifier?: Verifier | undefined;
  readonly onDone: (done: number, of: number) => void;
};

/** Resolves to whether the floors are kept. They are of the check without a model: with a verifier both are shown, and none fails. */
export async function runClaims({ json, write, all, verifier, onDone }: Parts): Promise<boolean> {
  const checker = openNoteChecker();
  try {
    const report = await judgeAll({ checker, onDone });
    if (write) writeFileSync(PAGE, withClaims(readFileSync(PAGE, 'utf8'), report));
    const second = verifier && (await judgeTwice({ checker, verifier, onDone }));
    const reports = [report, ...(second === undefined ? [] : [second.report])];
    if (json) printJson(reports, second?.unanswered);
    else console.log(reports.map(tablesOf).join('\n\n'));
    if (second !== undefined && second.unanswered > 0 && !json)
      console.log(`\nNo answer of the verifier: ${second.unanswered} of ${second.asked} notes`);
    if (all) console.log(seenFaults(second?.report ?? report).join('\n'));
    return verifier !== undefined || claimFloors(report).every(({ isKept }) => isKept);
  } finally {
    await checker.close();
  }
}

function printJson([report, second]: readonly ClaimsReport[], unanswered: number | undefined): void {
  const floors = report && claimFloors(report);
  const verified = second && { verifier: second.checker, unanswered, floors: claimFloors(second) };
  console.log(JSON.stringify({ floors, ...(verified && { verified }) }, undefined, 2));
}

function tablesOf(report: ClaimsReport, _index: number, { length }: readonly ClaimsReport[]): string {
  return length === 1 ? claimTables(report) : `${report.checker}\n\n${claimTables(report)}`;
}

type Judging = { readonly checker: NoteChecker; readonly onDone: Parts['onDone'] };

const CALLS_AT_ONCE = 4;

/** The first check, and behind it the verifier, as in a run. */
async function judgeTwice({ checker, verifier, onDone }: Judging & { readonly verifier: Verifier }) {
  let [asked, unanswered] = [0, 0];
  const onVerified = ({ outcome }: VerifierEnd) => {
    asked += 1;
    if (outcome === 'failed') unanswered += 1;
  };
  const verifyNote = makeVerifyNote({ verifier, runtime: systemRuntime, onVerified });
  const judging: NoteChecker = {
    check: async (checked, signal) => {
      const report = await checker.check(checked, signal);
      return await verifyNote({ checked, report, meter: new Meter() }, signal);
    },
  };
  const report = await judgeAll({ checker, judging, name: `with ${verifier.engine} as verifier`, onDone });
  return { report, asked, unanswered };
}

type AllParts = Judging & { readonly judging?: NoteChecker; readonly name?: string };

export async function judgeAll({
  checker,
  judging,
  name = 'without a model',
  onDone,
}: AllParts): Promise<ClaimsReport> {
  const talks = CLAIM_SETS.flatMap((set) => readClaimTalks(set).map((talk) => ({ set, talk })));
  let done = 0;
  const judged = await someAtOnce(talks, judging === undefined ? 1 : CALLS_AT_ONCE, async (one) => {
    const talk = { set: one.set, ...(await judgeTalk(one, checker, judging)) };
    done += 1;
    onDone(done, talks.length);
    return talk;
  });
  return {
    checker: name,
    sentences: judged.flatMap(({ sentences }) => sentences),
    omissions: judged.flatMap(({ omissions }) => omissions),
    evidence: judged.flatMap(({ evidence }) => evidence),
    otherMissing: judged.flatMap(({ set, otherMissing }) => (set !== 'sealed' ? otherMissing : [])),
  };
}

/** Sealed sentences are never shown. */
function seenFaults({ sentences, omissions, otherMissing, evidence }: ClaimsReport): readonly string[] {
  const seen = sentences.filter(({ set }) => set !== 'sealed');
  const isFault = ({ list, effect, namesChart }: JudgedSentence) =>
    list === 'faithful' ? effect !== 'none' : list === 'inventions' ? effect === 'none' : namesChart !== true;
  return [
    ...seen.filter(isFault).map(({ talk, list, kind, change = '', effect, text, marks }) => {
      return [talk.id, list, kind, change, effect, text, marks.join(' · ')].join(' | ');
    }),
    ...omissions
      .filter(({ set, isFound }) => set !== 'sealed' && !isFound)
      .map(({ talk, kind, text }) => `${talk.id} | omission | ${kind} | ${text}`),
    ...evidence.filter(({ set }) => set !== 'sealed').flatMap(evidenceFaults),
    ...otherMissing.map((text) => `also listed as missing | ${text}`),
  ];
}

/** The page with these tables. Throws if it has no place for them. */
export function withClaims(page: string, report: ClaimsReport): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/evaluation.md has no ${BEGIN} … ${END}`);
  return `${page.slice(0, begin)}${BEGIN}\n${claimTables(report)}\n${page.slice(end)}`;
}

function evidenceFaults({ talk, text, polarity, whose, isPlaced }: JudgedEvidence): readonly string[] {
  const wrong = (what: string, judged: JudgedEvidence['whose']) =>
    judged === undefined || judged.wanted === judged.given
      ? []
      : [`${talk.id} | ${what} | ${judged.given}, not ${judged.wanted} | ${text}`];
  return [
    ...wrong('polarity', polarity),
    ...wrong('speaker', whose),
    ...(isPlaced === false ? [`${talk.id} | moments | ${text}`] : []),
  ];
}
