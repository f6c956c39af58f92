// The rules in their thread, with the shipped knowledge.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseTemplate } from '../../../src/domain/note/template.ts';
import type { NoteRequest } from '../../../src/ports/reasoner.ts';
import { openRulesThread, type RulesThread } from '../../../src/rules/thread/open-rules-thread.ts';
import { aTranscript, BACK_PAIN } from '../note-writing/talks.ts';

const signal = new AbortController().signal;
const NOTHING_UNSEEN = { images: 0, documents: 0, parts: 0 };
const ABOUT_CHEST =
  'A 61-year-old man has had pressure in his chest for an hour. It goes into his left arm. He sweats.';

function aHistory(text: string, organization?: string) {
  return { text, unseen: NOTHING_UNSEEN, language: 'en' as const, organization };
}

function aTalk(): NoteRequest {
  return { transcript: aTranscript(BACK_PAIN), template: chooseTemplate({ language: 'en' }), language: 'en' };
}

describe('the rules in a thread', () => {
  let rules: RulesThread;
  beforeAll(async () => {
    rules = await openRulesThread();
  });
  afterAll(() => rules.close());

  it('answer a history and a transcript, and know the version of their knowledge', async () => {
    expect(rules.version).toMatch(/^[0-9a-f]{12}$/);
    const { diagnosis, triage } = await rules.work.diagnose(aHistory(ABOUT_CHEST), signal);
    expect(triage.triage_level).toBe('RED');
    expect(diagnosis.diseases.length).toBeGreaterThan(0);
    expect(await rules.work.writeNote(aTalk(), signal)).toMatchObject({ isMedical: true });
  });

  it('refuse a text that takes too long, while the main thread goes on, and answer the next one', async () => {
    const sentences = ABOUT_CHEST.repeat(100);
    const long = Array.from({ length: 400 }, (_, at) => `${at} ${sentences}`).join(' ');
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    await expect(rules.work.diagnose(aHistory(long), signal)).rejects.toMatchObject({ code: 'payloadTooLarge' });
    clearInterval(turning);
    expect(turns).toBeGreaterThan(100);
    expect(await rules.work.diagnose(aHistory(ABOUT_CHEST), signal)).toHaveProperty('triage');
  });

  it('refuse a text of one endless sentence, too', async () => {
    const endless = 'pain in the chest and the arm and no fever '.repeat(100_000);
    await expect(rules.work.diagnose(aHistory(endless), signal)).rejects.toMatchObject({ code: 'payloadTooLarge' });
  });

  it('refuse a transcript that takes too long in place of a note of its beginning, and write the next note', async () => {
    const endless = Array.from({ length: 4_000 }, () => BACK_PAIN).flat();
    const request = { ...aTalk(), transcript: aTranscript(endless) };
    await expect(rules.work.writeNote(request, signal)).rejects.toMatchObject({
      code: 'payloadTooLarge',
      message: expect.stringContaining('The transcript is too long for the rules'),
    });
    expect(await rules.work.writeNote(aTalk(), signal)).toMatchObject({ isMedical: true });
  });

  it('write a note of a talk of some hours to its end', async () => {
    const last = [0, 'Take ibuprofen 400 mg three times a day for two weeks.'] as const;
    const hours = [...Array.from({ length: 300 }, () => BACK_PAIN).flat(), last];
    const answer = await rules.work.writeNote({ ...aTalk(), transcript: aTranscript(hours) }, signal);
    expect(JSON.stringify(answer)).toContain('ibuprofen 400 mg three times a day for two weeks');
  });

  it('refuse an organization that asks too much at once, and answer the others', async () => {
    const asked = Array.from({ length: 36 }, () => rules.work.diagnose(aHistory(ABOUT_CHEST, 'greedy'), signal));
    const other = rules.work.diagnose(aHistory(ABOUT_CHEST, 'modest'), signal);
    const settled = await Promise.allSettled(asked);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused.map((one) => (one as PromiseRejectedResult).reason.code)).toEqual([
      'overloaded',
      'overloaded',
      'overloaded',
    ]);
    expect(await other).toHaveProperty('triage');
  });

  it('let go of who no longer waits', async () => {
    const gone = new AbortController();
    const asked = rules.work.diagnose(aHistory(ABOUT_CHEST), gone.signal);
    gone.abort(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
    expect(await rules.work.diagnose(aHistory(ABOUT_CHEST), signal)).toHaveProperty('triage');
  });
});
