// An engine without any key: the rules answer in three languages, with the same interface and limits as a model, and each answer says
// that rules made it and what they could not read.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import type { Engine } from '../support/engine.ts';
import { makePdf, makePng, pdfStream } from '../support/file-samples.ts';
import {
  type BareEngine,
  codesOf,
  diagnosisOf,
  openBareEngine,
  startBroken,
  startWithoutRules,
} from '../support/journey-builtin.ts';
import { get, postForm, postJson, readEvents, type StreamEvent, sendJson } from '../support/journey-client.ts';
import { expectError, filePart, sessionOf, usageOf } from '../support/journey-diagnosis.ts';
import { makeMigratedDatabase } from '../support/postgres.ts';

/** All patients are made up. */
const CHEST = 'Man of 54 years, crushing chest pain for 40 minutes, sweating, pain in the left arm.';
const CYSTITIS = {
  en: 'Woman of 23 years, burning when passing urine and passing urine often for two days, no fever.',
  es: 'Mujer de 23 años con ardor al orinar y ganas de orinar a cada rato desde hace dos días, sin fiebre.',
  pt: 'Mulher de 23 anos com ardência ao urinar e vontade de urinar a toda hora há dois dias, sem febre.',
} as const;
const BY_RULES = { en: /made by rules/, es: /la hicieron reglas/, pt: /feita por regras/ } as const;

let testbed: BareEngine | undefined;
let engine: Engine;
let key: string;

beforeAll(async () => {
  testbed = await openBareEngine();
  engine = testbed.engine;
  key = await engine.makeKey();
});
afterAll(() => testbed?.close());

const ask = async (clinical_history: string, language = 'en', by = key): Promise<Diagnosis> =>
  diagnosisOf(await postJson(engine, '/diagnose', by, { clinical_history, language }));

const namesOf = ({ diagnosis }: Diagnosis) => diagnosis.diseases.map(({ name }) => name).join('; ');

function aPdf(words: string) {
  const content = pdfStream('', Buffer.from(`BT /F1 12 Tf 50 700 Td (${words}) Tj ET`, 'latin1'));
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  return makePdf({
    page: '/Contents 1000 0 R /Resources << /Font << /F1 1001 0 R >> >>',
    objects: [content, font],
  });
}

/** Expects partial diagnoses that only grow, and then the complete one. */
function expectGrowing(events: readonly StreamEvent[], whole: Diagnosis): void {
  expect(events.length).toBeGreaterThan(1);
  expect(events.map(({ event }) => event)).toEqual([...events.slice(1).map(() => 'partial'), 'final']);
  expect(events.at(-1)?.data).toEqual({ type: 'final', ...whole });
  const shown = events.map(({ data }) => (data as Diagnosis).diagnosis.diseases.length);
  expect(shown).toEqual(shown.toSorted((one, other) => one - other));
}

describe('an engine without a model', () => {
  it('an engine without a model says in its startup message and in its log that rules answer', () => {
    const { stdout, stderr } = engine.output();
    expect(stdout).toMatch(/Reasoner\s+builtin:rules@\d+: rules .*no language model; not a medical device/);
    expect(stdout).toContain('for a model set OPENAI_API_KEY or OPENAI_BASE_URL');
    expect(stderr).toMatch(/"engine":"builtin:rules@\d+","msg":"no model is set/);
  });

  it('/readyz of an engine without a model says that rules answer, and is degraded only by the missing speech recognition', async () => {
    const { components } = (await (await fetch(`${engine.url}/readyz`)).json()) as {
      readonly components: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
    };
    expect(components.filter(({ status }) => status !== 'ok').map(({ name }) => name)).toEqual(['speech']);
    const reasoner = components.find(({ name }) => name === 'reasoner');
    expect(reasoner?.detail).toMatch(/^builtin:rules@\d+: .*not a medical device.*OPENAI_API_KEY/);
  });

  it.each(['en', 'es', 'pt'] as const)(
    'each answer of an engine without a model says that rules made it: %s',
    async (language) => {
      expect((await ask(CYSTITIS[language], language)).triage.triage_justification).toMatch(BY_RULES[language]);
    },
  );
});

describe('POST /diagnose with rules', () => {
  it.each([
    ['en', /Cystitis/],
    ['es', /Cistitis/],
    ['pt', /Cistite/],
  ] as const)(
    'has the expected disease first, with WHITE, and is in the language of the history: %s',
    async (language, name) => {
      const answer = await ask(CYSTITIS[language], language);
      expect(codesOf(answer)[0]).toBe('N30');
      expect(namesOf(answer)).toMatch(name);
      expect(answer.triage.triage_level).toBe('WHITE');
    },
  );

  it.each([
    ['en', /Acute coronary syndrome/],
    ['es', /Síndrome coronario agudo/],
    ['pt', /Síndrome coronariana aguda/],
  ])('the rules answer RED for a danger, in the requested language: %s', async (language, name) => {
    const answer = await ask(CHEST, language);
    expect(namesOf(answer)).toMatch(name);
    expect(answer.triage.triage_level).toBe('RED');
  });

  it('the rules answer a text without health content with WHITE and no diseases', async () => {
    const { diagnosis, triage } = await ask('The printer on the second floor is out of paper again.');
    expect([diagnosis.diseases, triage.triage_level]).toEqual([[], 'WHITE']);
    expect(triage.triage_justification).toContain('No health content');
  });

  it('the rules say that an image was not read', async () => {
    const history = { name: 'clinical_history', value: CYSTITIS.en };
    const answer = await postForm(engine, '/diagnose', key, [history, filePart('rash.png', makePng())]);
    expect(diagnosisOf(answer).triage.triage_justification).toContain('1 image');
    expect(codesOf(diagnosisOf(answer))).toContain('N30');
  });

  it('the rules read the text of a PDF', async () => {
    const answer = await postForm(engine, '/diagnose', key, [filePart('letter.pdf', aPdf(CHEST))]);
    expect(diagnosisOf(answer)).toEqual(await ask(CHEST));
  });

  it('the rules answer ten concurrent requests as they answer each alone', async () => {
    const histories = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? CHEST : CYSTITIS.en));
    const alone = [await ask(CHEST), await ask(CYSTITIS.en)];
    const answers = await Promise.all(histories.map((history) => ask(history)));
    expect(answers).toEqual(histories.map((_, index) => alone[index % 2]));
  });

  it('the limits of the interface hold without a model', async () => {
    expectError(await postJson(engine, '/diagnose', key, {}), 400);
    expectError(await postJson(engine, '/diagnose', key, { clinical_history: CHEST, language: 'de' }), 400);
    expectError(await postForm(engine, '/diagnose', key, [filePart('a.txt', Buffer.from(CHEST))]), 400);
    expect((await postJson(engine, '/diagnose', undefined, { clinical_history: CHEST })).status).toBe(401);
  });

  it('the rules answer a history of nearly a megabyte, the largest that is accepted', async () => {
    const longest = `${CHEST} ${'She sleeps well and walks each day. '.repeat(30_000)}`.slice(0, 1_000_000);
    expect((await ask(longest)).triage.triage_level).toBe('RED');
  });
});

describe('the diagnosis streams of the rules', () => {
  it('POST /diagnose/stream of the rules only grows, and ends with the answer of POST /diagnose', async () => {
    const response = await sendJson(engine, '/diagnose/stream', key, { clinical_history: CHEST, language: 'pt' });
    expect(response.status).toBe(201);
    expectGrowing(await readEvents(response), await ask(CHEST, 'pt'));
  });

  it('GET /diagnose/stream/{sessionId} of the rules only grows, and ends with the answer to the same files', async () => {
    const form = [filePart('letter.pdf', aPdf(CHEST)), filePart('ecg.png', makePng())];
    const { streamUrl } = sessionOf(await postForm(engine, '/diagnose/stream/files', key, form));
    const events = await readEvents(await get(engine, streamUrl, key));
    const whole = diagnosisOf(await postForm(engine, '/diagnose', key, form));
    expectGrowing(events, whole);
    expect(whole.triage.triage_justification).toContain('1 image');
  });
});

describe('usage and metrics of the rules', () => {
  it('usage of the rules has a line for each operation, as with a model', async () => {
    const counted = await engine.makeKey({ organization: 'counted-clinic' });
    await ask(CHEST, 'en', counted);
    await readEvents(await sendJson(engine, '/diagnose/stream', counted, { clinical_history: CHEST }));
    const lines = await usageOf(engine, 'counted-clinic');
    expect(lines.map(({ operation, requests, failures }) => [operation, requests, failures]).toSorted()).toEqual([
      ['diagnose', 1, 0],
      ['diagnose-stream', 1, 0],
    ]);
  });

  it('/metrics counts the calls of the rules under the vendor "builtin"', async () => {
    const metrics = await (await fetch(`${engine.url}/metrics`)).text();
    for (const operation of ['diagnose', 'stream']) {
      const labels = `vendor="builtin",operation="${operation}",outcome="success"`;
      expect(metrics).toContain(`chartwright_vendor_call_duration_seconds_count{${labels}}`);
    }
  });

  it('the log of an engine without a model contains no clinical text', () => {
    const { stdout, stderr } = engine.output();
    expect(stdout + stderr).not.toMatch(/crushing|printer|orinar/);
  });
});

describe('a start with a broken file in knowledge/', () => {
  it('a start with a broken file in knowledge/ ends with exit code 1 before a database is opened, and names the file, the line and what to do', async () => {
    const { code, stdout, stderr } = await startBroken(
      'conditions/chest.yaml',
      (text) => `${text}\n  not-a-condition: [\n`,
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Chartwright cannot start: The knowledge of the rules has \d+ problems/);
    expect(stderr).toMatch(/^conditions\/chest\.yaml:\d+: /m);
    expect(stderr).toMatch(/\/knowledge\.\n.*FORMAT\.md.*OPENAI_API_KEY or OPENAI_BASE_URL/);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('a start with a broken file of the note writer is reported, too', async () => {
    const { code, stderr } = await startBroken('notes/medical.yaml', () => 'clinic: 7\n');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Chartwright cannot start: .*\nnotes\/medical\.yaml:\d+: clinic/);
    expect(stderr).toContain('set OPENAI_API_KEY or OPENAI_BASE_URL');
  });
});

describe('a start with a model', () => {
  it('a start with a model succeeds although the code of the rules and knowledge/ are missing, because neither is loaded', async () => {
    const { connectionString, drop } = await makeMigratedDatabase();
    try {
      const model = { OPENAI_BASE_URL: 'http://127.0.0.1:9', OPENAI_MODEL: 'x' };
      const output = await startWithoutRules({ DATABASE_URL: connectionString, ...model });
      expect(output).toMatch(/Reasoner\s+openai:x/);
      expect(output).not.toContain('cannot start');
    } finally {
      await drop();
    }
  });
});
