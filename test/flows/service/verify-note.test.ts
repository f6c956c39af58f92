import { describe, expect, it } from '@jest/globals';
import { Meter } from '../../../src/domain/access/usage.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { type CheckParts, checkNote } from '../../../src/domain/note/check-note.ts';
import { makeVerifyNote, type VerifierEnd, type VerifyWork } from '../../../src/flows/service/verify-note.ts';
import { aConversation, aNote } from '../../domain/note/check/check-cases.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { makeFakeVerifier, NOT_MENTIONED } from '../../fakes/verifier.ts';

const checked: CheckParts = {
  note: aNote('The knee has hurt since Monday. Takes metformin.'),
  transcript: aConversation('My knee has hurt since Monday. | I take metformin.', 'en'),
  language: 'en',
  maxUnsupported: {},
};
const report = checkNote(checked);

function aSecondCheck({ verifier = makeFakeVerifier() } = {}) {
  const runtime = makeFakeRuntime();
  const ends: VerifierEnd[] = [];
  const meter = new Meter();
  const verifyNote = makeVerifyNote({ verifier, runtime, onVerified: (end) => ends.push(end) });
  const verify = (signal = new AbortController().signal) =>
    verifyNote({ checked, report, meter, run: 'run-1' }, signal);
  return { verifier, runtime, ends, meter, verify };
}

describe('the second check of a note', () => {
  it('without a verifier there is none, and the report says nothing of it', async () => {
    const verifyNote = makeVerifyNote({ runtime: makeFakeRuntime() });
    const result = await verifyNote({ checked, report, meter: new Meter() }, new AbortController().signal);
    expect(result).toBe(report);
  });

  it('the verifier is asked once, with each statement and the whole talk, and its time is metered', async () => {
    const { verifier, verify, meter, runtime, ends } = aSecondCheck();
    verifier.script.wait = async () => runtime.advance(700);
    const result = await verify();
    expect(verifier.requests).toEqual([
      {
        statements: [
          { id: 'st-1', section: 'SUBJECTIVE', text: 'The knee has hurt since Monday.', utterances: [0] },
          { id: 'st-2', section: 'SUBJECTIVE', text: 'Takes metformin.', utterances: [1] },
        ],
        transcript: checked.transcript,
        language: 'en',
      },
    ]);
    expect(result).toEqual({ ...report, verifier: { model: 'fake:verifier', outcome: 'checked' } });
    expect(meter.aiMs).toBe(700);
    expect(ends).toEqual([{ outcome: 'checked', run: 'run-1' }]);
  });

  it('what the verifier does not find is marked, and what it leaves out is counted', async () => {
    const { verifier, verify } = aSecondCheck();
    verifier.script.judge = (text) => (text.startsWith('The knee') ? NOT_MENTIONED : undefined);
    const result = await verify();
    expect(result.statements.filter(({ by }) => by === 'verifier')).toMatchObject([{ verdict: 'unsupported' }]);
    expect(result.verifier).toEqual({ model: 'fake:verifier', outcome: 'checked', unjudged: 1 });
  });

  it.each([
    ['vendorUnavailable', new AppError('vendorUnavailable', 'busy')],
    ['vendorAnswer', new AppError('vendorAnswer', 'cut off')],
    ['vendorRejected', new AppError('vendorRejected', 'no such model')],
  ] as const)(
    'a verifier that fails with %s leaves the report of the first check, which says so',
    async (code, failure) => {
      const { verifier, verify, ends } = aSecondCheck();
      verifier.script.failure = failure;
      expect(await verify()).toEqual({ ...report, verifier: { model: 'fake:verifier', outcome: 'failed' } });
      expect(ends).toEqual([{ outcome: 'failed', code, run: 'run-1' }]);
    },
  );

  it('a verifier that is down is not asked for a while, and then again', async () => {
    const { verifier, verify, runtime } = aSecondCheck();
    verifier.script.failure = new AppError('vendorUnavailable', 'down');
    for (let note = 1; note <= 5; note += 1) expect((await verify()).verifier?.outcome).toBe('failed');
    expect(verifier.requests).toHaveLength(3);
    verifier.script.failure = undefined;
    runtime.advance(10_000);
    expect((await verify()).verifier?.outcome).toBe('checked');
    expect((await verify()).verifier?.outcome).toBe('checked');
    expect(verifier.requests).toHaveLength(5);
  });

  it('bad answers, and callers that had no time for it, do not make the verifier count as down', async () => {
    const { verifier, verify } = aSecondCheck();
    verifier.script.failure = new AppError('vendorAnswer', 'cut off');
    for (let note = 1; note <= 5; note += 1) await verify();
    expect(verifier.requests).toHaveLength(5);
    const verifyNote = makeVerifyNote({ verifier, runtime: makeFakeRuntime() });
    const late = AbortSignal.abort(new AppError('vendorUnavailable', 'no time'));
    for (let note = 1; note <= 5; note += 1) {
      const call: VerifyWork['call'] = (ask) => ask(late);
      await verifyNote({ checked, report, meter: new Meter(), call }, new AbortController().signal);
    }
    expect(verifier.requests).toHaveLength(10);
  });

  it('a defect of the engine is not hidden', async () => {
    const { verifier, verify } = aSecondCheck();
    verifier.script.failure = new TypeError('made up');
    await expect(verify()).rejects.toThrow(TypeError);
  });

  it('a caller that has gone ends the check', async () => {
    const { verifier, verify, ends } = aSecondCheck();
    const caller = new AbortController();
    verifier.script.wait = async () => caller.abort();
    verifier.script.failure = new AppError('cancelled', 'gone');
    await expect(verify(caller.signal)).rejects.toMatchObject({ code: 'cancelled' });
    expect(ends).toEqual([]);
  });

  it('a note without statements asks nothing', async () => {
    const { verifier, verify } = aSecondCheck();
    const empty = { statements: [], unsupported: {}, exceeded: [], overSilence: [] };
    const verifyNote = makeVerifyNote({ verifier, runtime: makeFakeRuntime() });
    const result = await verifyNote({ checked, report: empty, meter: new Meter() }, new AbortController().signal);
    expect(result).toBe(empty);
    expect(verifier.requests).toHaveLength(0);
    expect((await verify()).verifier?.outcome).toBe('checked');
  });
});
