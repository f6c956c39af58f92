// `npm run eval -- --suite claims`: prints how the check of notes judges made-up sentences, or writes it into docs/evaluation.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { openNoteChecker } from '../../../src/evidence/open-note-checker.ts';
import type { NoteChecker } from '../../../src/ports/note-checker.ts';
import { PAGE } from '../write-page.ts';
import { CLAIM_SETS, readClaimTalks } from './claims.ts';
import { type ClaimsReport, claimFloors, claimTables } from './claims-table.ts';
import { type JudgedSentence, judgeTalk } from './judge-claims.ts';

const BEGIN = '<!-- claims: made by npm run eval -- --suite claims --write -->';
const END = '<!-- /claims -->';

type Parts = {
  readonly json: boolean;
  readonly write: boolean;
  /** Prints the sentences of the seen talks that are judged otherwise than wanted. */
  readonly all: boolean;
  readonly onDone: (done: number, of: number) => void;
};

/** Resolves to whether the floors are kept. */
export async function runClaims({ json, write, all, onDone }: Parts): Promise<boolean> {
  const checker = openNoteChecker();
  try {
    const report = await judgeAll(checker, onDone);
    if (write) writeFileSync(PAGE, withClaims(readFileSync(PAGE, 'utf8'), report));
    const floors = claimFloors(report);
    console.log(json ? JSON.stringify({ floors }, undefined, 2) : claimTables(report));
    if (all) console.log(seenFaults(report).join('\n'));
    return floors.every(({ isKept }) => isKept);
  } finally {
    await checker.close();
  }
}

async function judgeAll(checker: NoteChecker, onDone: Parts['onDone']): Promise<ClaimsReport> {
  const talks = CLAIM_SETS.flatMap((set) => readClaimTalks(set).map((talk) => ({ set, talk })));
  const judged = [];
  for (const [index, one] of talks.entries()) {
    judged.push({ set: one.set, ...(await judgeTalk(one, checker)) });
    onDone(index + 1, talks.length);
  }
  return {
    checker: 'without a model',
    sentences: judged.flatMap(({ sentences }) => sentences),
    omissions: judged.flatMap(({ omissions }) => omissions),
    otherMissing: judged.flatMap(({ set, otherMissing }) => (set === 'seen' ? otherMissing : [])),
  };
}

/** Sealed sentences are never shown. */
function seenFaults({ sentences, omissions, otherMissing }: ClaimsReport): readonly string[] {
  const seen = sentences.filter(({ set }) => set === 'seen');
  const isFault = ({ list, effect, namesChart }: JudgedSentence) =>
    list === 'faithful' ? effect !== 'none' : list === 'inventions' ? effect === 'none' : namesChart !== true;
  return [
    ...seen.filter(isFault).map(({ talk, list, kind, change = '', effect, text, marks }) => {
      return [talk.id, list, kind, change, effect, text, marks.join(' · ')].join(' | ');
    }),
    ...omissions
      .filter(({ set, isFound }) => set === 'seen' && !isFound)
      .map(({ talk, kind, text }) => `${talk.id} | omission | ${kind} | ${text}`),
    ...otherMissing.map((text) => `also listed as missing | ${text}`),
  ];
}

/** The page with these tables. Throws if it has no place for them. */
export function withClaims(page: string, report: ClaimsReport): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/evaluation.md has no ${BEGIN} … ${END}`);
  return `${page.slice(0, begin)}${BEGIN}\n${claimTables(report)}\n${page.slice(end)}`;
}
