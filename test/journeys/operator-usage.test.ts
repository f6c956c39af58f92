// Usage over HTTP as JSON and as CSV: requests, failures, seconds of audio and processing times, by organization, key and operation.
import { beforeAll, describe, expect, it } from '@jest/globals';
import { usageResponse } from '../../src/wire/usage.ts';
import { listenAnswer } from '../support/deepgram-server.ts';
import { makePdf } from '../support/file-samples.ts';
import { postJson } from '../support/journey-client.ts';
import {
  CONVERSATION_PATH,
  expectError,
  NOTE_PATH,
  openClinic,
  recordingPart,
  sendRecording,
} from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';

type Row = {
  readonly organization: string;
  readonly key: string;
  readonly operation: string;
  readonly requests: number;
  readonly failures: number;
  readonly cancelled: number;
  readonly audioSeconds: number;
  readonly aiMs: number;
  readonly durationMs: number;
};
type Report = { readonly usage: readonly Row[]; readonly from: string; readonly to: string };

/** The recording is three and a half seconds of audio. */
const SHORT = listenAnswer([[0, 'my chest still hurts']]);
const COLUMNS = 'organization,key,operation,requests,failures,cancelled,audioSeconds,aiMs,durationMs';

const clinic = openedForFile(openClinic);

beforeAll(async () => {
  clinic.speech.behave({ kind: 'answer', body: SHORT });
});

async function report(query = ''): Promise<Report> {
  return (await clinic.engine.ops('GET', `/usage${query}`)) as Report;
}

const of = (organization: string): string => `?organization=${encodeURIComponent(organization)}`;

describe('usage of each request', () => {
  it('usage of /transcribe has requests, audio seconds, processing time and duration', async () => {
    const organization = 'one note';
    const key = await clinic.engine.makeKey({ organization });
    expect((await sendRecording({ ...clinic, key }, NOTE_PATH)).status).toBe(200);
    const { usage } = await report(of(organization));
    expect(usage).toEqual([
      {
        organization,
        key: key.split('_')[1],
        operation: 'transcribe',
        requests: 1,
        failures: 0,
        cancelled: 0,
        audioSeconds: 3.5,
        aiMs: expect.any(Number),
        durationMs: expect.any(Number),
      },
    ]);
    expect(usage[0]?.durationMs).toBeGreaterThanOrEqual(usage[0]?.aiMs ?? Number.NaN);
  });

  it('usage of /transcribe/conversation has a line of its own', async () => {
    const organization = 'both';
    const key = await clinic.engine.makeKey({ organization });
    for (const path of [NOTE_PATH, CONVERSATION_PATH, CONVERSATION_PATH]) await sendRecording({ ...clinic, key }, path);
    await postJson(clinic.engine, '/diagnose', key, { clinical_history: 'Cough for three days.' });
    const { usage } = await report(of(organization));
    expect(usage.map(({ operation, requests, audioSeconds }) => [operation, requests, audioSeconds])).toEqual([
      ['diagnose', 1, 0],
      ['transcribe', 1, 3.5],
      ['transcribe-conversation', 2, 7],
    ]);
  });

  it('usage counts a failed request as a failure', async () => {
    const organization = 'failures';
    const key = await clinic.engine.makeKey({ organization });
    expectError(await sendRecording({ ...clinic, key }, NOTE_PATH, {}, recordingPart(makePdf())), 415);
    expectError(await sendRecording({ ...clinic, key }, NOTE_PATH, { template: 'none' }), 400);
    expect((await sendRecording({ ...clinic, key }, NOTE_PATH)).status).toBe(200);
    const [row] = (await report(of(organization))).usage;
    expect(row).toMatchObject({ requests: 3, failures: 2, cancelled: 0, audioSeconds: 3.5 });
  });

  it('usage has a line for each key and each organization', async () => {
    const [one, two] = [
      await clinic.engine.makeKey({ organization: 'A' }),
      await clinic.engine.makeKey({ organization: 'A' }),
    ];
    const other = await clinic.engine.makeKey({ organization: 'B' });
    for (const key of [one, two, two, other]) await sendRecording({ ...clinic, key }, CONVERSATION_PATH);
    const byKey = Object.fromEntries((await report(of('A'))).usage.map(({ key, requests }) => [key, requests]));
    expect(byKey).toEqual({ [String(one.split('_')[1])]: 1, [String(two.split('_')[1])]: 2 });
    const { usage } = await report(`?key=Key/${two.split('_')[1]}`);
    expect(usage).toMatchObject([{ organization: 'A', requests: 2 }]);
  });
});

describe('GET /ops/usage', () => {
  it('GET /ops/usage covers this month by default', async () => {
    const answer = await report();
    expect(() => usageResponse.strict().parse(answer)).not.toThrow();
    expect(answer.from).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
    expect(new Date(answer.from).getTime()).toBeLessThanOrEqual(Date.now());
    expect(new Date(answer.to).getTime()).toBeGreaterThan(Date.now());
    expect(answer.usage.length).toBeGreaterThan(0);
  });

  it('GET /ops/usage of another period has nothing of this one', async () => {
    const answer = await report('?from=2020-01-01&to=2020-02-01');
    expect(answer).toEqual({ usage: [], from: '2020-01-01T00:00:00.000Z', to: '2020-02-01T00:00:00.000Z' });
  });

  it('GET /ops/usage of an unknown organization has no lines', async () => {
    expect((await report(of('nobody'))).usage).toEqual([]);
  });

  it.each([
    'from=yesterday',
    'from=2026-02-02&to=2026-02-01',
    'format=xml',
    'key=none',
    'organisation=a',
    'key=a&key=b',
  ])('GET /ops/usage?%s is 400', async (query) => {
    await expect(clinic.engine.ops('GET', `/usage?${query}`)).rejects.toThrow(/ 400 \{"statusCode":400,/);
  });

  it('GET /ops/usage as CSV has a header line and the same figures', async () => {
    const key = await clinic.engine.makeKey({ organization: 'in CSV' });
    await sendRecording({ ...clinic, key }, NOTE_PATH);
    const [row] = (await report(of('in CSV'))).usage;
    const csv = String(await clinic.engine.ops('GET', `/usage${of('in CSV')}&format=csv`));
    const values = Object.values(row ?? {}).join(',');
    expect(csv).toBe(`${COLUMNS}\r\n${values}\r\n`);
  });

  it('GET /ops/usage as CSV has no formula, whatever the name of an organization', async () => {
    const organization = '=HYPERLINK("http://example.org","a, b")';
    const key = await clinic.engine.makeKey({ organization });
    await sendRecording({ ...clinic, key }, CONVERSATION_PATH);
    const csv = String(await clinic.engine.ops('GET', `/usage${of(organization)}&format=csv`));
    const [, line = ''] = csv.split('\r\n');
    expect(line).toMatch(/^"'=HYPERLINK\(""http:\/\/example\.org"",""a, b""\)",/);
  });

  it('GET /ops/usage as CSV is a file for saving', async () => {
    const headers = { authorization: 'Bearer made-up-operator-key-for-tests-0123456789' };
    const response = await fetch(`${clinic.engine.url}/ops/usage?format=csv`, { headers });
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(response.headers.get('content-disposition')).toContain('usage.csv');
  });
});
