import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PartialDiagnosis } from '../../../src/domain/diagnosis/diagnosis.ts';
import { makeOpenAiReasoner, type OpenAiReasonerParts } from '../../../src/outbound/openai/openai-reasoner.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import type { Reasoner, ReasonerCall } from '../../../src/ports/reasoner.ts';
import { aHistory } from '../../contracts/reasoner-contract.ts';
import { passDeadline } from '../../support/held-timers.ts';
import { diagnosisAnswer } from '../../support/openai-answers.ts';
import type { AnswerBehaviour, Behaviour } from '../../support/openai-behaviours.ts';
import { FAULTS, type OpenAiServer, startOpenAiServer } from '../../support/openai-server.ts';

const httpFetch = makeHttpFetch();
type AnyDisease = ReturnType<typeof diagnosisAnswer>['diagnosis']['diseases'][number];

function answerOf(change: (diseases: readonly AnyDisease[]) => readonly object[]): AnswerBehaviour {
  return {
    kind: 'answer',
    content: (_, { language }) => {
      const usual = diagnosisAnswer(language);
      return { ...usual, diagnosis: { diseases: change(usual.diagnosis.diseases) } };
    },
  };
}

const changeFirst = (change: object) => answerOf(([first, ...rest]) => [{ ...first, ...change }, ...rest]);
const WRONG_CODE = changeFirst({ name: 'Migraine', icd10_code: 'I21.9' });
const TWICE = answerOf(([first, ...rest]) => [{ ...first }, { ...first, probability: 0.2 }, ...rest]);
const TOO_SURE = answerOf((diseases) => diseases.map((disease) => ({ ...disease, probability: 1 })));
const WRONG_AND_SURE = answerOf((diseases) =>
  diseases.map((disease) => ({ ...disease, icd10_code: 'S72.0', probability: 1 })),
);

describe('The OpenAI adapter, when an answer has the right form but is doubtful', () => {
  const signal = new AbortController().signal;
  let server: OpenAiServer;
  let calls: ReasonerCall[];

  beforeEach(async () => {
    server = await startOpenAiServer();
    calls = [];
  });
  afterEach(async () => {
    await server.close();
  });

  function aReasoner(parts: Partial<OpenAiReasonerParts> = {}): Reasoner {
    return makeOpenAiReasoner({
      baseUrl: server.baseUrl,
      model: 'made-up-model',
      timeouts: { firstByteMs: 50_000, idleMs: 50_000, totalMs: 55_000 },
      fetch: httpFetch,
      onCall: (call) => calls.push(call),
      backoffMs: 1,
      ...parts,
    });
  }

  async function diseasesOf(reasoner = aReasoner(), language: 'en' | 'es' | 'pt' = 'en') {
    return (await reasoner.diagnose({ ...aHistory, language }, signal)).diagnosis.diseases;
  }

  function rulesOf(request: number): string {
    return String(server.requests[request]?.body?.messages[0]?.content).replaceAll(/[0-9a-f]{24}/g, '');
  }

  it.each([
    ['a name and a code of two diseases', WRONG_CODE, /A code belonged to another disease/],
    ['one disease twice', TWICE, /One disease was there twice/],
    ['several certain causes', TOO_SURE, /together they are at most 1/],
  ] as const)('asks once more after %s, and tells the model what was wrong', async (_, doubtful, hint) => {
    server.next(doubtful);
    const names = (await diseasesOf()).map(({ name }) => name);
    expect(names).toEqual(diagnosisAnswer('en').diagnosis.diseases.map(({ name }) => name));
    expect(server.requests.length).toBe(2);
    expect(rulesOf(0)).not.toMatch(hint);
    expect(rulesOf(1)).toMatch(hint);
    expect(rulesOf(1)).not.toContain('Migraine');
    expect(rulesOf(1).startsWith(rulesOf(0))).toBe(true);
    expect(calls.map(({ outcome }) => outcome)).toEqual(['success']);
  });

  it.each(['en', 'es', 'pt'] as const)(
    'does not ask a third time: the disease goes on without its code and says so (%s)',
    async (language) => {
      server.behave(WRONG_CODE);
      const [first, ...rest] = await diseasesOf(aReasoner(), language);
      const [usual] = diagnosisAnswer(language).diagnosis.diseases;
      expect(first).toMatchObject({ name: 'Migraine', icd10_code: '' });
      expect(first?.why.startsWith(`${usual?.why} `)).toBe(true);
      expect(rest.map(({ icd10_code }) => icd10_code)).toEqual(['J20.9', 'I26.9']);
      expect(server.requests.length).toBe(2);
    },
  );

  it('does not doubt a code whose official name is like that of the disease, in the language of the imported list', async () => {
    server.behave(WRONG_CODE);
    const asked: (readonly string[])[] = [];
    const findNames = async (codes: readonly string[]) => {
      asked.push(codes);
      return new Map([['I21.9', ['Acute myocardial infarction, unspecified', 'Migraña, no especificada']]]);
    };
    const [first] = await diseasesOf(aReasoner({ findNames }));
    expect(first).toMatchObject({ name: 'Migraine', icd10_code: 'I21.9' });
    expect(server.requests.length).toBe(1);
    expect(asked).toEqual([['I21.9', 'J20.9', 'I26.9']]);
  });

  it('goes on with each disease once after two answers that have one twice', async () => {
    server.behave(TWICE);
    expect((await diseasesOf()).map(({ probability }) => probability)).toEqual([0.62, 0.25, 0.07]);
  });

  it('passes probabilities on as they are after two answers that are too sure', async () => {
    server.behave(TOO_SURE);
    expect((await diseasesOf()).map(({ probability }) => probability)).toEqual([1, 1, 1]);
  });

  it.each([
    ['the second one', [WRONG_AND_SURE, WRONG_CODE]],
    ['the first one', [WRONG_CODE, WRONG_AND_SURE]],
  ] as const)('goes on with the less doubtful of two answers, here %s', async (_, answers) => {
    server.next(...answers);
    expect((await diseasesOf()).map(({ name }) => name)).toContain('Migraine');
    expect(server.requests.length).toBe(2);
  });

  it.each([
    ['is cut off', FAULTS.cutMidway],
    ['breaks the form', FAULTS.badCategory],
    ['is a refusal', FAULTS.refusal],
    ['does not come, because the vendor is busy', FAULTS.rateLimited],
    ['does not come, because the vendor is down', FAULTS.serverError],
  ] satisfies [string, Behaviour][])('goes on with the doubtful answer if the second one %s', async (_, fault) => {
    server.next(WRONG_CODE, fault);
    expect((await diseasesOf())[0]).toMatchObject({ name: 'Migraine', icd10_code: '' });
    expect(server.requests.length).toBe(2);
    expect(calls.map(({ outcome }) => outcome)).toEqual(['success']);
  });

  it('goes on with the doubtful answer if the connection is lost', async () => {
    server.next(WRONG_CODE);
    server.behave(FAULTS.drop);
    expect((await diseasesOf())[0]).toMatchObject({ name: 'Migraine', icd10_code: '' });
  });

  it('goes on with the doubtful answer if the second one is too slow', async () => {
    server.next(WRONG_CODE, FAULTS.hang);
    const hasArrived = () => server.requests[1]?.body !== undefined;
    const diseases = await passDeadline(() => diseasesOf(), { after: hasArrived, ms: 50_000 });
    expect(diseases[0]).toMatchObject({ icd10_code: '' });
  });

  it('ends when the caller goes while it asks again', async () => {
    const caller = new AbortController();
    server.next(WRONG_CODE);
    server.behave(() => {
      caller.abort();
      return FAULTS.hang;
    });
    const asked = aReasoner().diagnose(aHistory, caller.signal);
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('asks twice at most, also if a broken answer came before the doubtful one', async () => {
    server.next(FAULTS.malformed);
    server.behave(WRONG_CODE);
    expect((await diseasesOf())[0]).toMatchObject({ icd10_code: '' });
    expect(server.requests.length).toBe(2);
  });

  it('refuses an answer with more diseases than any list for a clinician has', async () => {
    const many = (count: number) =>
      answerOf(([first]) => Array.from({ length: count }, (_, index) => ({ ...first, name: `Made-up ${index}` })));
    server.behave(many(101));
    await expect(aReasoner().diagnose(aHistory, signal)).rejects.toMatchObject({ code: 'vendorAnswer' });
  });

  it.each([1, 40, 100_000])(
    'a stream never shows a code that contradicts a name, and ends with the repaired diagnosis (pieces of %i)',
    async (chunkChars) => {
      server.behave({ ...WRONG_CODE, chunkChars });
      const shown: PartialDiagnosis[] = [];
      let final: unknown;
      for await (const event of aReasoner().streamDiagnosis(aHistory, signal)) {
        if (event.kind === 'progress') shown.push(event.snapshot());
        else final = event.diagnosis;
      }
      const firsts = shown.map(({ diagnosis }) => diagnosis?.diseases?.[0]);
      expect(firsts.at(-1)?.name).toBe('Migraine');
      expect(firsts.every((disease) => disease?.icd10_code === undefined)).toBe(true);
      expect(shown.at(-1)?.diagnosis?.diseases?.[1]?.icd10_code).toBe('J20.9');
      expect(final).toMatchObject({ diagnosis: { diseases: [{ name: 'Migraine', icd10_code: '' }, {}, {}] } });
      // Another answer would contradict what was shown.
      expect(server.requests.length).toBe(1);
    },
  );
});
