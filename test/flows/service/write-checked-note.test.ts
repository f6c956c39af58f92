import { describe, expect, it } from '@jest/globals';
import { Meter } from '../../../src/domain/access/usage.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { chooseTemplate } from '../../../src/domain/note/template.ts';
import { makeVerifyNote } from '../../../src/flows/service/verify-note.ts';
import { makeWriteCheckedNote } from '../../../src/flows/service/write-checked-note.ts';
import { makeWriteNote } from '../../../src/flows/service/write-note.ts';
import type { NoteAnswer } from '../../../src/ports/reasoner.ts';
import type { Verifier } from '../../../src/ports/verifier.ts';
import { makeNoteChecker } from '../../fakes/note-checker.ts';
import { makeFakeReasoner } from '../../fakes/reasoner.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aTranscript } from '../../fakes/speech.ts';
import { makeFakeVerifier, NOT_MENTIONED } from '../../fakes/verifier.ts';

const TOTAL_MS = 180_000;
const request = {
  transcript: aTranscript(),
  template: chooseTemplate({ template: 'SOAP', language: 'en' }),
  language: 'en',
} as const;

const TRUE = 'The knee has hurt since Monday.';
const ONE_DRUG = `${TRUE} Takes warfarin.`;
const TWO_DRUGS = `${TRUE} Takes warfarin and digoxin.`;

function noteOf(text: string): NoteAnswer {
  return { isMedical: true, note: { title: 'Knee', sections: [{ key: 'PLAN', title: 'Plan', text }] } };
}

type WriterParts = { readonly engine?: string; readonly secondMs?: number; readonly verifier?: Verifier };

/** A reasoner that answers with these notes, one after another; a function answers as it likes. */
function aWriter(
  answers: readonly (string | (() => NoteAnswer))[],
  { engine = 'openai:gpt', secondMs = 0, verifier }: WriterParts = {},
) {
  const runtime = makeFakeRuntime();
  const rest = [...answers];
  const reasoner = makeFakeReasoner({
    note: () => {
      const next = rest.shift() ?? '';
      return typeof next === 'string' ? noteOf(next) : next();
    },
    wait: async () => {
      runtime.advance(1000);
      if (reasoner.noteRequests.length > 1 && secondMs > 0) await runtime.pause(secondMs, new AbortController().signal);
    },
  });
  const writeCheckedNote = makeWriteCheckedNote({
    writeNote: makeWriteNote({ reasoner, runtime }),
    reasoner: { engine },
    runtime,
    noteChecker: makeNoteChecker(),
    verifyNote: makeVerifyNote({ runtime, verifier }),
    check: { maxUnsupported: { drug: 0 } },
    totalMs: TOTAL_MS,
  });
  const meter = new Meter();
  const leaving = new AbortController();
  return {
    meter,
    leaving,
    runtime,
    requests: reasoner.noteRequests,
    writeWhole: () => writeCheckedNote({ request, meter }, leaving.signal),
    write: async () => {
      const { written, statements } = await writeCheckedNote({ request, meter }, leaving.signal);
      return { text: written.note.sections[0]?.text, statements };
    },
  };
}

const fails = (code: 'notMedical' | 'vendorAnswer' | 'vendorUnavailable') => () => {
  throw new AppError(code, 'no');
};

describe('a note for a caller', () => {
  it('a note without an invention is asked for once', async () => {
    const { write, requests } = aWriter([TRUE]);
    expect(await write()).toEqual({ text: TRUE, statements: [] });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['drug', ONE_DRUG, { words: 'warfarin', sentence: 'Takes warfarin.' }],
    ['dose', `${TRUE} Dose: 500 mg.`, { words: '500 mg', sentence: 'Dose: 500 mg.' }],
    [
      'allergy',
      `${TRUE} Allergic to penicillin.`,
      { words: 'Allergic to penicillin', sentence: 'Allergic to penicillin.' },
    ],
    [
      'denied allergy',
      `${TRUE} No known drug allergies.`,
      { words: 'allergies', sentence: 'No known drug allergies.' },
    ],
  ])(
    'a note with an invented %s is asked for once more, with what was not found, and checked again',
    async (_, text, notFound) => {
      const { write, requests, meter, runtime } = aWriter([text, TRUE]);
      expect(await write()).toEqual({ text: TRUE, statements: [] });
      expect(requests).toEqual([request, { ...request, notFound: [notFound] }]);
      expect(meter.aiMs).toBe(2000);
      expect(runtime.pauses).toEqual([TOTAL_MS - 1000]);
    },
  );

  it('the second question says all that was not found, and nothing that was', async () => {
    const { write, requests } = aWriter([`${TRUE} Takes warfarin. Left knee. Pulse 70.`, TRUE]);
    await write();
    expect(requests[1]?.notFound?.map(({ words }) => words)).toEqual(['warfarin', 'Left knee', '70']);
  });

  it('an unsupported number, side, date or denied finding is a reason to mark it, and none to ask again', async () => {
    const { write, requests } = aWriter([`${TRUE} Left knee. Pulse 70. Denies fever. Since 3 March 2025.`]);
    const { statements } = await write();
    expect(statements.map(({ verdict }) => verdict)).toEqual(statements.map(() => 'unsupported'));
    expect(statements.map(({ kind }) => kind)).toEqual(['laterality', 'number', 'negation', 'date']);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['the second, if it has fewer', TWO_DRUGS, ONE_DRUG, ONE_DRUG],
    ['the first, if it has fewer', ONE_DRUG, TWO_DRUGS, ONE_DRUG],
    ['the first, if both have as many', `${ONE_DRUG} A.`, ONE_DRUG, `${ONE_DRUG} A.`],
  ])('of two notes with inventions %s goes on, and no third is asked for', async (_, first, second, better) => {
    const { write, requests } = aWriter([first, second]);
    const { text, statements } = await write();
    expect(text).toBe(better);
    expect(statements).toEqual([expect.objectContaining({ kind: 'drug', text: 'warfarin', effect: 'hold' })]);
    expect(requests).toHaveLength(2);
  });

  it.each(['notMedical', 'vendorAnswer', 'vendorUnavailable'] as const)(
    'the first note goes on if the second fails with %s',
    async (code) => {
      const { write, requests } = aWriter([ONE_DRUG, fails(code)]);
      expect((await write()).text).toBe(ONE_DRUG);
      expect(requests).toHaveLength(2);
    },
  );

  it('the first note goes on if the second is not done within the time of one note', async () => {
    const { write, requests } = aWriter([ONE_DRUG, TRUE], { secondMs: TOTAL_MS });
    expect((await write()).text).toBe(ONE_DRUG);
    expect(requests).toHaveLength(2);
  });

  it('no second note is asked for if the first took all the time', async () => {
    const { write, requests, runtime } = aWriter([
      () => {
        runtime.advance(TOTAL_MS);
        return noteOf(ONE_DRUG);
      },
    ]);
    expect((await write()).text).toBe(ONE_DRUG);
    expect(requests).toHaveLength(1);
  });

  it('a caller who leaves during the second note gets neither', async () => {
    const { write, leaving } = aWriter([
      ONE_DRUG,
      () => {
        leaving.abort();
        throw new AppError('cancelled', 'The request was cancelled');
      },
    ]);
    await expect(write()).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('a defect of the engine during the second note is not hidden', async () => {
    const { write } = aWriter([
      ONE_DRUG,
      () => {
        throw new TypeError('made up');
      },
    ]);
    await expect(write()).rejects.toThrow(TypeError);
  });

  it('what the first note fails with is the failure', async () => {
    await expect(aWriter([fails('notMedical')]).write()).rejects.toMatchObject({ code: 'notMedical' });
  });

  it('the rules are not asked again: they would write the same note', async () => {
    const { write, requests } = aWriter([ONE_DRUG, TRUE], { engine: 'builtin:rules@2' });
    expect((await write()).text).toBe(ONE_DRUG);
    expect(requests).toHaveLength(1);
  });

  it('the better of two notes is checked a second time, and what that adds is marked', async () => {
    const verifier = makeFakeVerifier({ judge: () => NOT_MENTIONED });
    const { writeWhole } = aWriter([ONE_DRUG, TRUE], { verifier });
    const { written, statements, verifier: second } = await writeWhole();
    expect(written.note.sections[0]?.text).toBe(TRUE);
    expect(statements).toEqual([
      expect.objectContaining({ text: TRUE, verdict: 'unsupported', effect: 'mark', by: 'verifier' }),
    ]);
    expect(second).toEqual({ model: 'fake:verifier', outcome: 'checked' });
    expect(verifier.requests).toHaveLength(1);
  });

  it('without a verifier the answer says nothing of a second check', async () => {
    expect(await aWriter([TRUE]).writeWhole()).not.toHaveProperty('verifier');
  });

  it.each([
    ['fails', { failure: new AppError('vendorAnswer', 'cut off') }],
    ['is late', { wait: hangs }],
  ])('the note goes out by the first check, and says so, if the verifier %s', async (_, script) => {
    const { writeWhole } = aWriter([TRUE], { verifier: makeFakeVerifier(script) });
    const { written, statements, verifier } = await writeWhole();
    expect([written.note.sections[0]?.text, statements]).toEqual([TRUE, []]);
    expect(verifier).toEqual({ model: 'fake:verifier', outcome: 'failed' });
  });

  it('the verifier is not asked if the note took all the time', async () => {
    const verifier = makeFakeVerifier();
    const { writeWhole, runtime } = aWriter(
      [
        () => {
          runtime.advance(TOTAL_MS);
          return noteOf(TRUE);
        },
      ],
      { verifier },
    );
    expect((await writeWhole()).verifier?.outcome).toBe('failed');
    expect(verifier.requests).toHaveLength(0);
  });
});

async function hangs(signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  await promise;
}
