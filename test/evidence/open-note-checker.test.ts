import { afterEach, describe, expect, it } from '@jest/globals';
import { openNoteChecker } from '../../src/evidence/open-note-checker.ts';

const never = new AbortController().signal;
const opened: ReturnType<typeof openNoteChecker>[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((checker) => checker.close()));
});

function aChecker(parts: Parameters<typeof openNoteChecker>[0] = {}) {
  const checker = openNoteChecker(parts);
  opened.push(checker);
  return checker;
}

const PARTS = {
  note: { note: { title: '', sections: [{ key: 'SUBJECTIVE', title: 'Subjective', text: 'Wheezing at night.' }] } },
  transcript: {
    language: 'en',
    durationSeconds: 10,
    utterances: [
      { speaker: 0, text: 'What can I do for you?', startSeconds: 0, endSeconds: 2, confidence: 0.9 },
      { speaker: 1, text: 'I wheeze when I lie in bed.', startSeconds: 2, endSeconds: 8, confidence: 0.9 },
    ],
  },
  language: 'en',
  maxUnsupported: {},
} as const;

/** A thread that cannot read its lexicon. */
const WITHOUT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ id }) => {
      parentPort.postMessage({ id, answer: { report: { statements: [] }, withoutLexicon: 'missing' } });
    });
  `)}`,
);

describe('the checker of notes', () => {
  it('checks a note in its thread, with the findings of the lexicon', async () => {
    const told: string[] = [];
    const checker = aChecker({ onWithoutLexicon: (why) => told.push(why) });
    const { statements } = await checker.check(PARTS, never);
    expect(statements).toMatchObject([{ kind: 'finding', verdict: 'supported', said: { utterance: 1 } }]);
    expect(told).toEqual([]);
  });

  it('goes on without a lexicon that cannot be read, and tells it once', async () => {
    const told: string[] = [];
    const checker = aChecker({ file: WITHOUT, onWithoutLexicon: (why) => told.push(why) });
    expect((await checker.check(PARTS, never)).statements).toEqual([]);
    expect((await checker.check(PARTS, never)).statements).toEqual([]);
    expect(told).toEqual(['missing']);
  });

  it('refuses a note when it is closed', async () => {
    const checker = aChecker();
    await checker.close();
    await expect(checker.check(PARTS, never)).rejects.toMatchObject({ code: 'shuttingDown' });
  });
});
