// What every reasoner must do, run on the fake and on the real outlets: answers are whole and of the asked form, or a throw;
// what is shown of a diagnosis only grows; work for a caller that has left stops. What can go wrong only if a vendor
// is asked is a contract of its own.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AnsweringModel } from '../../src/domain/answering-model.ts';
import type { PartialDiagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { LANGUAGES } from '../../src/domain/language.ts';
import { chooseTemplate, parseCustomTemplate, TEMPLATE_NAMES } from '../../src/domain/note/template.ts';
import type { Transcript } from '../../src/domain/recording/transcript.ts';
import type { DiagnosisEvent, DiagnosisRequest, NoteRequest, Reasoner } from '../../src/ports/reasoner.ts';
import { until } from '../support/until.ts';

export type ReasonerTrouble = 'is-down' | 'refuses-us' | 'breaks-the-form' | 'cuts-its-answer';

export type ReasonerHarness = {
  readonly reasoner: Reasoner;
  /** Of the transcript that is asked about next; it is small talk anyway. */
  readonly findNothingMedical: () => void;
  readonly close: () => Promise<void>;
};

/** For reasoners that ask a vendor. */
export type VendorHarness = ReasonerHarness & {
  /** Whatever is asked from now on fails in this way. */
  readonly trouble: (trouble: ReasonerTrouble) => void;
  /** Whatever is asked from now on is never answered. */
  readonly hang: () => void;
  /** As `hang`, but streams show something of their answer before. */
  readonly hangMidway: () => void;
  /** Whatever is asked from now on is answered by a model of this name; undefined: the vendor does not name it. */
  readonly answerAs: (answeredBy: AnsweringModel | undefined) => void;
  /** Questions that are still being worked on. */
  readonly openCalls: () => number;
};

const TROUBLES: Readonly<Record<ReasonerTrouble, ErrorCode>> = {
  'is-down': 'vendorUnavailable',
  'refuses-us': 'vendorRejected',
  'breaks-the-form': 'vendorAnswer',
  'cuts-its-answer': 'vendorAnswer',
};

export const aHistory: DiagnosisRequest = {
  clinicalHistory: 'A made-up patient of 54 with fever and a productive cough for four days.',
  attachments: [],
  language: 'en',
};

export const aTranscript: Transcript = {
  utterances: [
    { speaker: 0, text: 'What brings you here?', startSeconds: 0, endSeconds: 2, confidence: 0.98 },
    { speaker: 1, text: 'A cough for three days, no fever.', startSeconds: 2, endSeconds: 5, confidence: 0.97 },
  ],
  durationSeconds: 5,
  language: 'en',
};

export const aNoteRequest: NoteRequest = {
  transcript: aTranscript,
  template: chooseTemplate({ language: 'en' }),
  language: 'en',
};

const smallTalk: Transcript = {
  utterances: [
    { speaker: 0, text: 'Did you see the match on Sunday?', startSeconds: 0, endSeconds: 2, confidence: 0.98 },
    { speaker: 1, text: 'Yes, what a goal.', startSeconds: 2, endSeconds: 4, confidence: 0.97 },
  ],
  durationSeconds: 4,
  language: 'en',
};

/** Whether `after` holds all of `before`: texts may have grown, lists and objects may have more. */
export function isExtension(before: unknown, after: unknown): boolean {
  if (typeof before === 'string') return typeof after === 'string' && after.startsWith(before);
  if (typeof before !== 'object' || before === null) return Object.is(before, after);
  if (typeof after !== 'object' || after === null || Array.isArray(before) !== Array.isArray(after)) return false;
  const members = new Map(Object.entries(after));
  return Object.entries(before).every(([key, value]) => members.has(key) && isExtension(value, members.get(key)));
}

async function drain(reasoner: Reasoner, request: DiagnosisRequest, signal: AbortSignal): Promise<void> {
  for await (const _ of reasoner.streamDiagnosis(request, signal)) {
    // Only the end matters.
  }
}

async function restOf(events: AsyncIterator<DiagnosisEvent>): Promise<void> {
  while ((await events.next()).done !== true);
}

const OPERATIONS: Readonly<Record<string, (reasoner: Reasoner, signal: AbortSignal) => Promise<unknown>>> = {
  'a diagnosis': (reasoner, signal) => reasoner.diagnose(aHistory, signal),
  'a streamed diagnosis': (reasoner, signal) => drain(reasoner, aHistory, signal),
  'a note': (reasoner, signal) => reasoner.writeNote(aNoteRequest, signal),
};

export function reasonerContract(name: string, open: () => Promise<ReasonerHarness>): void {
  describe(`The reasoner contract, kept by ${name}`, () => {
    let harness: ReasonerHarness;
    const signal = new AbortController().signal;

    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.close();
    });

    it('says who reasons', () => {
      expect(harness.reasoner.engine).toEqual(expect.stringMatching(/\S/));
    });

    describe('diagnoses', () => {
      it.each(LANGUAGES)('are whole when asked for in %s', async (language) => {
        const diagnosis = await harness.reasoner.diagnose({ ...aHistory, language }, signal);
        expect(diagnosis.diagnosis.diseases.length).toBeGreaterThan(0);
        expect(diagnosis.triage.triage_justification).not.toBe('');
        expect(JSON.stringify(diagnosis)).not.toContain('null');
      });

      it('are streamed as showings that only grow, then once the whole', async () => {
        const shown: PartialDiagnosis[] = [];
        const kinds: string[] = [];
        let final: unknown;
        for await (const event of harness.reasoner.streamDiagnosis(aHistory, signal)) {
          kinds.push(event.kind);
          if (event.kind === 'progress') shown.push(event.snapshot());
          else {
            const { kind: _, diagnosis, ...answered } = event;
            final = { ...diagnosis, ...answered };
          }
        }
        expect(kinds.indexOf('final')).toBe(kinds.length - 1);
        expect(shown.length).toBeGreaterThan(0);
        for (const [index, later] of [...shown.slice(1), final].entries()) {
          expect(isExtension(shown[index], later)).toBe(true);
        }
        expect(final).toEqual(await harness.reasoner.diagnose(aHistory, signal));
      });

      it('stop once the stream is left', async () => {
        const events = harness.reasoner.streamDiagnosis(aHistory, signal);
        for await (const event of events) {
          expect(event.kind).toBe('progress');
          break;
        }
        expect(await events[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
      });

      it('stop once the caller has gone', async () => {
        const caller = new AbortController();
        const events = harness.reasoner.streamDiagnosis(aHistory, caller.signal)[Symbol.asyncIterator]();
        expect(await events.next()).toMatchObject({ done: false, value: { kind: 'progress' } });
        caller.abort();
        await expect(restOf(events)).rejects.toMatchObject({ name: 'AppError', code: 'cancelled' });
      });
    });

    describe('notes', () => {
      it.each(TEMPLATE_NAMES)('have exactly the sections of %s, in order', async (template) => {
        const chosen = chooseTemplate({ template, language: 'es' });
        const answer = await harness.reasoner.writeNote({ ...aNoteRequest, template: chosen, language: 'es' }, signal);
        if (!answer.isMedical) throw new Error('the transcript is medical');
        expect(answer.note.sections.map(({ key, title }) => ({ key, title }))).toEqual(chosen.sections);
        expect(answer.note.sections.every(({ text }) => text.trim() !== '')).toBe(true);
        expect(answer.note.title).not.toBe('');
        expect(answer).not.toHaveProperty('dynamicFields');
      });

      it('have exactly the dynamic fields of a custom template, in order, as texts', async () => {
        const template = parseCustomTemplate(
          '# Summary\nAll\n## Dynamic Fields\n- zeta: last\n- toString: odd\n- alpha: first',
        );
        const answer = await harness.reasoner.writeNote({ ...aNoteRequest, template }, signal);
        if (!answer.isMedical) throw new Error('the transcript is medical');
        expect(Object.keys(answer.dynamicFields ?? {})).toEqual(['zeta', 'toString', 'alpha']);
        expect(Object.values(answer.dynamicFields ?? {}).every((value) => typeof value === 'string')).toBe(true);
      });

      it('are none where nothing medical was said', async () => {
        harness.findNothingMedical();
        const request = { ...aNoteRequest, transcript: smallTalk };
        expect(await harness.reasoner.writeNote(request, signal)).toEqual({ isMedical: false });
      });
    });

    describe.each(Object.entries(OPERATIONS))('%s', (_, ask) => {
      it('is nothing for a caller who has gone', async () => {
        const asked = ask(harness.reasoner, AbortSignal.abort());
        await expect(asked).rejects.toMatchObject({ name: 'AppError', code: 'cancelled' });
      });
    });
  });
}

/** Further rules for reasoners that ask a vendor. */
export function vendorReasonerContract(name: string, open: () => Promise<VendorHarness>): void {
  describe(`The contract of reasoners that ask a vendor, kept by ${name}`, () => {
    let harness: VendorHarness;
    const signal = new AbortController().signal;

    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.close();
    });

    it.each([
      ['with its fingerprint', { model: 'made-up-2026-03-05', fingerprint: 'fp_1' }],
      ['without a fingerprint', { model: 'made-up-2026-03-05' }],
      ['not at all, if the vendor does not', undefined],
    ])('each answer names the model that made it, %s', async (_, answeredBy) => {
      harness.answerAs(answeredBy);
      const { reasoner } = harness;
      expect((await reasoner.diagnose(aHistory, signal)).answeredBy).toEqual(answeredBy);
      expect(await reasoner.writeNote(aNoteRequest, signal)).toMatchObject({
        isMedical: true,
        ...(answeredBy && { answeredBy }),
      });
      const [final] = (await Array.fromAsync(reasoner.streamDiagnosis(aHistory, signal))).slice(-1);
      expect(final).toMatchObject({ kind: 'final', ...(answeredBy && { answeredBy }) });
      if (answeredBy === undefined) expect(final).not.toHaveProperty('answeredBy');
    });

    it('a diagnosis is not worked on once the stream is left', async () => {
      harness.hangMidway();
      for await (const event of harness.reasoner.streamDiagnosis(aHistory, signal)) {
        expect(event.kind).toBe('progress');
        break;
      }
      await until(() => harness.openCalls() === 0);
    });

    describe.each(Object.entries(OPERATIONS))('%s', (_, ask) => {
      it.each(Object.entries(TROUBLES))('is a clean error where the reasoner %s', async (trouble, code) => {
        harness.trouble(trouble as ReasonerTrouble);
        await expect(ask(harness.reasoner, signal)).rejects.toMatchObject({ name: 'AppError', code });
        await until(() => harness.openCalls() === 0);
      });

      it('is cancelled, and not worked on any more, when the caller goes', async () => {
        harness.hang();
        const caller = new AbortController();
        const asked = ask(harness.reasoner, caller.signal);
        asked.catch(() => undefined);
        await until(() => harness.openCalls() === 1);
        caller.abort();
        await expect(asked).rejects.toMatchObject({ name: 'AppError', code: 'cancelled' });
        await until(() => harness.openCalls() === 0);
      });

      it('is not even begun for a caller who has gone', async () => {
        await expect(ask(harness.reasoner, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
        expect(harness.openCalls()).toBe(0);
      });
    });
  });
}
