// A whole engine whose notes a model checks a second time: what only the model sees is marked, and without it the work goes on.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { postForm } from '../support/journey-client.ts';
import { untilRun, viewOf } from '../support/journey-runs.ts';
import { fieldParts, NOTE_PATH, recordingPart } from '../support/journey-upload.ts';
import { verdictsAnswer } from '../support/openai-answers.ts';
import type { Behaviour } from '../support/openai-behaviours.ts';
import { FAULTS, type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts';
import { startWorld, type World } from '../support/run-world.ts';
import { until } from '../support/until.ts';

const LIMIT_MS = 150_000;
const MARK = '[not found in the recording]';

let world: World;
let judge: OpenAiServer;
let engine: Engine;

const NOT_SAID = { verdict: 'not-mentioned', utterances: [], words: '' } as const;
/** The first check can read nothing in it. */
const INVENTED = 'Stairs are hard to climb.';
const WRITES_PLAN: Behaviour = {
  kind: 'answer',
  content: (usual, { schemaName }) => {
    if (schemaName !== 'clinical_note') return usual;
    const note = usual as { readonly sections: readonly { readonly key: string }[] };
    const textOf = (key: string) => (key === 'PLAN' ? INVENTED : 'Chest pain.');
    return { ...note, sections: note.sections.map(({ key }) => ({ key, text: textOf(key) })) };
  },
};
const REFUSES_PLAN: Behaviour = {
  kind: 'answer',
  content: (_usual, asked) => verdictsAnswer(asked, (text) => (text === INVENTED ? NOT_SAID : {})),
};

beforeAll(async () => {
  world = await startWorld();
  judge = await startOpenAiServer();
  engine = await world.start('a', { VERIFIER_MODEL: 'judge', VERIFIER_BASE_URL: judge.baseUrl, VERIFIER_SECONDS: '2' });
});
beforeEach(() => {
  judge.behave({ kind: 'answer' });
  world.model.behave(WRITES_PLAN);
});
afterAll(async () => {
  await judge?.close();
  await world?.close();
});

async function documentVisit() {
  const visit = world.admit();
  await world.tell(visit);
  const run = await untilRun(engine, visit.encounter);
  return await viewOf(engine, run.id);
}

async function metricOf(name: string): Promise<number> {
  const text = await (await fetch(`${engine.url}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')
      .at(-1) ?? 0,
  );
}

describe('an engine with a second check', () => {
  it(
    'what only the verifier sees is marked in the draft, and the run is written',
    async () => {
      judge.behave(REFUSES_PLAN);
      const asked = world.model.requests.length;
      const { note, check } = await documentVisit();
      const marked = (note?.sections ?? []).filter(({ text }) => text.endsWith(MARK)).map(({ key }) => key);
      expect(marked).toEqual(['PLAN']);
      expect(check?.verifier).toEqual({ model: 'openai:judge', outcome: 'checked' });
      expect(judge.requests).toHaveLength(1);
      // The reasoner's own model was asked for the note and the diagnosis alone.
      expect(world.model.requests.length - asked).toBe(2);
      expect(await metricOf('chartwright_second_checks_total{outcome="checked"}')).toBe(1);
      expect(await metricOf('chartwright_vendor_call_duration_seconds_count{vendor="openai",operation="verify"')).toBe(
        1,
      );
    },
    LIMIT_MS,
  );

  it.each([
    ['is silent', FAULTS.hang],
    ['answers nonsense', FAULTS.malformed],
    ['refuses the key', { kind: 'status', status: 401 }],
  ] satisfies [string, Behaviour][])(
    'a run whose verifier %s is written by the first check, which the run and the log say',
    async (_, behaviour) => {
      judge.behave(behaviour);
      const { id, check, note } = await documentVisit();
      expect(check?.verifier).toEqual({ model: 'openai:judge', outcome: 'failed' });
      expect(note?.sections.some(({ text }) => text.endsWith(MARK))).toBe(false);
      const lines = () => engine.output().stderr.split('\n');
      const told = () => lines().filter((line) => line.includes('without its second check') && line.includes(id));
      await until(() => told().length > 0);
      expect(told()).toHaveLength(1);
    },
    LIMIT_MS,
  );

  it(
    'POST /transcribe says what the verifier adds, and whether it could be asked',
    async () => {
      const key = await engine.makeKey();
      const transcribe = () =>
        postForm(engine, NOTE_PATH, key, [...fieldParts({ language: 'en', template: 'SOAP' }), recordingPart()], {
          prefer: 'include=check',
        });
      judge.behave(REFUSES_PLAN);
      const checked = await transcribe();
      expect(checked.headers.get('x-chartwright-check')).toMatch(/, verifier=checked$/);
      expect(checked.body).toMatchObject({
        check: {
          statements: expect.arrayContaining([
            expect.objectContaining({ section: 'PLAN', by: 'verifier', verdict: 'unsupported' }),
          ]),
          verifier: { model: 'openai:judge', outcome: 'checked' },
        },
      });
      judge.behave(FAULTS.serverError);
      const unchecked = await transcribe();
      expect(unchecked.status).toBe(200);
      expect(unchecked.headers.get('x-chartwright-check')).toMatch(/, verifier=failed$/);
      expect(unchecked.body).toMatchObject({ check: { verifier: { outcome: 'failed' } } });
      expect(JSON.stringify(unchecked.body)).not.toContain('"by"');
    },
    LIMIT_MS,
  );
});
