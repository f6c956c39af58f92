// How the sentences are judged by both checks together.
import { describe, expect, it } from '@jest/globals';
import { Meter } from '../../../src/domain/access/usage.ts';
import { makeVerifyNote } from '../../../src/flows/service/verify-note.ts';
import type { NoteChecker } from '../../../src/ports/note-checker.ts';
import { makeNoteChecker } from '../../fakes/note-checker.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { makeFakeVerifier, NOT_MENTIONED } from '../../fakes/verifier.ts';
import { type ClaimTalk, readClaimTalks } from './claims.ts';
import { judgeTalk } from './judge-claims.ts';

const [talk] = readClaimTalks('seen') as readonly [ClaimTalk];

describe('the sentences of a talk before a verifier', () => {
  it('each is judged by both checks, and what is left out by the first alone', async () => {
    const checker = makeNoteChecker();
    const verifier = makeFakeVerifier({ judge: () => NOT_MENTIONED });
    const verifyNote = makeVerifyNote({ verifier, runtime: makeFakeRuntime() });
    const judging: NoteChecker = {
      check: async (checked, signal) => {
        return await verifyNote({ checked, report: await checker.check(checked, signal), meter: new Meter() }, signal);
      },
    };
    const alone = await judgeTalk({ set: 'seen', talk }, checker);
    const both = await judgeTalk({ set: 'seen', talk }, checker, judging);
    expect(alone.sentences.some(({ effect }) => effect === 'none')).toBe(true);
    expect(both.sentences.map(({ effect }) => effect)).not.toContain('none');
    expect(both.omissions).toEqual(alone.omissions);
    expect(verifier.requests.map(({ statements }) => statements.length)).toEqual([
      talk.faithful.length,
      talk.inventions.length,
      talk.conflicts.length,
    ]);
  });
});
