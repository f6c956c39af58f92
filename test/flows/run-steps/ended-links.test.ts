// Links to recordings that end while a run waits: the resource of the recording is read again, and its new link is opened by the same rules.
// The EHR is the sandbox's, over HTTP.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DocumentReference, Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { AppError } from '../../../src/domain/errors.ts';
import type { RecordingSource } from '../../../src/domain/recording/recording-source.ts';
import type { StepResults } from '../../../src/domain/run/step-results.ts';
import { makeFetchRecording } from '../../../src/flows/run-steps/fetch-recording.ts';
import { makeFindRecordings } from '../../../src/flows/run-steps/find-recordings.ts';
import { openRecording } from '../../../src/flows/run-steps/open-recording.ts';
import { makeRereadRecording } from '../../../src/flows/run-steps/reread-recording.ts';
import { type FhirEhrs, makeFhirEhrs } from '../../../src/outbound/fhir/fhir-ehrs.ts';
import { checkAudioHead } from '../../../src/platform/file-check/audio-head.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { makeFakeRecordings } from '../../fakes/recordings.ts';
import { type FakeRuntime, makeFakeRuntime } from '../../fakes/runtime.ts';
import { makeAudio } from '../../support/audio-samples.ts';
import { startSandboxEhr, TEST_ENCOUNTER, TEST_PATIENT, type TestEhr } from '../../support/sandbox-ehr.ts';

const WAV = makeAudio('wav', 50_000);
const HOUR_MS = 3_600_000;
const REFERENCE = 'DocumentReference/rec-1';
let nowMs: number;
let ehr: TestEhr;
let ehrs: FhirEhrs;
let runtime: FakeRuntime;
let knowledge: ReturnType<typeof makeFakeEhrKnowledge>;

beforeEach(async () => {
  nowMs = Date.parse('2026-11-02T09:00:00Z');
  ehr = await startSandboxEhr({ linkSeconds: 3_600, now: () => new Date(nowMs) });
  knowledge = makeFakeEhrKnowledge();
  runtime = makeFakeRuntime();
  ehrs = makeFhirEhrs({ knowledge, runtime });
  putBinary('b-1', WAV);
  ehr.store.put(aRecording());
});
afterEach(async () => {
  ehrs.close();
  await ehr.close();
});

function letTimePass(ms: number): void {
  nowMs += ms;
}

function putBinary(id: string, bytes: Uint8Array): void {
  const open = async function* () {
    yield bytes;
  };
  ehr.store.putBinary(id, 'audio/wav', open, bytes.length);
}

function aRecording(changes: Partial<DocumentReference> = {}, url = 'Binary/b-1'): DocumentReference {
  return {
    resourceType: 'DocumentReference',
    id: 'rec-1',
    status: 'current',
    subject: { reference: 'Patient/p-1' },
    content: [{ attachment: { contentType: 'audio/wav', url } }],
    context: { encounter: [{ reference: 'Encounter/e-1' }] },
    ...changes,
  };
}

/** The run has read the chart: the recordings are stored with their links. */
async function aRun() {
  const chart = { encounter: TEST_ENCOUNTER as Encounter, patient: TEST_PATIENT as Patient };
  const findRecordings = makeFindRecordings({ ehrs });
  const signal = AbortSignal.timeout(20_000);
  const { sources } = await findRecordings({ site: ehr.site, ...chart }, signal);
  const parts = {
    findRecordings,
    fetchRecording: makeFetchRecording({ ehrs, checkAudioHead }),
    rereadRecording: makeRereadRecording({ ehrs }),
    recordings: makeFakeRecordings(),
    ehrs,
    knowledge,
  };
  const stored = { ...chart, sources } as unknown as StepResults['read-chart'];
  return {
    sources,
    open: () => openRecording(parts, { site: ehr.site, results: { 'read-chart': stored } }, REFERENCE, signal),
  };
}

const linkOf = ([source]: readonly RecordingSource[]) => (source?.bytes.kind === 'link' ? source.bytes.url : '');

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function failureOf(opening: Promise<unknown>): Promise<AppError> {
  const thrown = await opening.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof AppError) return thrown;
  throw new Error('the recording was opened, or another error came', { cause: thrown });
}

const requestsTo = (type: string) => ehr.faults.seen.filter(({ types }) => types.includes(type)).length;

describe('a link that has ended while the run waited', () => {
  it.each([
    ['after its time', () => letTimePass(2 * HOUR_MS)],
    ['by a new key of its signature', () => ehr.changeLinkKey()],
  ])('is read again from the chart, and the recording is opened: %s', async (_, end) => {
    const { open } = await aRun();
    end();
    expect((await readAll((await open()).open())).equals(WAV)).toBe(true);
  });

  it.each([400, 401, 403, 404, 410] as const)('is read again if it is answered with %i', async (status) => {
    const { open } = await aRun();
    ehr.faults.set([{ mode: 'ended-links', status }]);
    expect((await readAll((await open()).open())).equals(WAV)).toBe(true);
    expect(requestsTo('DocumentReference')).toBe(2);
  });

  it('is read again when the recording is opened once more, much later', async () => {
    const recording = await (await aRun()).open();
    await readAll(recording.open());
    letTimePass(2 * HOUR_MS);
    expect((await readAll(recording.open())).equals(WAV)).toBe(true);
    letTimePass(2 * HOUR_MS);
    ehr.changeLinkKey();
    expect((await readAll(recording.open())).equals(WAV)).toBe(true);
  });

  it('is not read again while it opens', async () => {
    const { open } = await aRun();
    const before = requestsTo('DocumentReference');
    await readAll((await open()).open());
    expect(requestsTo('DocumentReference')).toBe(before);
  });

  it('is not read again if the server is only busy', async () => {
    const { open } = await aRun();
    ehr.faults.set([{ mode: 'server-errors', status: 503, on: { type: 'Binary' } }]);
    const before = requestsTo('DocumentReference');
    expect(await failureOf(open())).toMatchObject({ code: 'ehrUnavailable' });
    expect(requestsTo('DocumentReference')).toBe(before);
  });
});

describe('a link that is refused after the chart was read again', () => {
  it.each([
    [403, 'ehrRefused'],
    [410, 'notFound'],
  ] as const)(
    'is judged by the answer %i to the new one, once, and the message says that both were tried',
    async (status, code) => {
      const { open, sources } = await aRun();
      ehr.faults.set([{ mode: 'ended-links', status, isLasting: true }]);
      const before = { links: requestsTo('Binary'), documents: requestsTo('DocumentReference') };
      const failure = await failureOf(open());
      expect(failure).toMatchObject({ code, message: expect.stringMatching(new RegExp(`${status}.*its new link`)) });
      expect(requestsTo('Binary') - before.links).toBe(2);
      expect(requestsTo('DocumentReference') - before.documents).toBe(1);
      const signature = new URL(linkOf(sources)).searchParams.get('Signature') ?? 'none';
      expect(failure.message).not.toContain(signature);
      expect(failure.message).not.toMatch(/Signature|Binary\/|rec-1/);
    },
  );

  it('is not opened a second time if the chart still has the same link', async () => {
    ehr.store.put(aRecording({}, `${ehr.baseUrl}/Binary/missing`));
    const { open } = await aRun();
    const failure = await failureOf(open());
    expect(failure).toMatchObject({ code: 'notFound', message: expect.stringContaining('still has the same link') });
    expect(requestsTo('Binary')).toBe(1);
  });

  it('is judged alone if this client may not read the resource', async () => {
    const { open } = await aRun();
    ehr.changeLinkKey();
    ehr.faults.set([{ mode: 'unauthorized', on: { type: 'DocumentReference' } }]);
    expect(await failureOf(open())).toMatchObject({ code: 'ehrUnavailable' });
    runtime.advance(330_000);
    const failure = await failureOf(open());
    expect(failure).toMatchObject({
      code: 'ehrRefused',
      message: expect.stringMatching(/403.*could not be read again/),
    });
  });
});

describe('a new link', () => {
  const opened = async (now: Resource) => {
    const { open } = await aRun();
    ehr.changeLinkKey();
    ehr.store.put(now);
    const before = requestsTo('Binary');
    const failure = await failureOf(open());
    return { failure, newLinks: requestsTo('Binary') - before - 1 };
  };

  it.each([
    ['another patient', aRecording({ subject: { reference: 'Patient/p-2' } }), 'another patient'],
    [
      'another encounter',
      aRecording({ context: { encounter: [{ reference: 'Encounter/e-2' }] } }),
      'another encounter',
    ],
  ])('is not opened if the recording now belongs to %s, and the message says so', async (_, resource, words) => {
    const { failure, newLinks } = await opened(resource);
    expect(failure).toMatchObject({ code: 'forbidden', message: expect.stringContaining(words) });
    expect(newLinks).toBe(0);
  });

  it.each([
    ['replaces', { id: 'p-2', link: [{ other: { reference: 'Patient/p-1' }, type: 'replaces' }] }],
    ['was replaced by', { id: 'p-1', link: [{ other: { reference: 'Patient/p-2' }, type: 'replaced-by' }] }],
  ] as const)('is opened if the patient was merged meanwhile: one %s the other', async (_, merged) => {
    const { open } = await aRun();
    ehr.changeLinkKey();
    ehr.store.put({ resourceType: 'Patient', id: 'p-2' });
    ehr.store.put({ resourceType: 'Patient', id: merged.id, link: [...merged.link] });
    ehr.store.put(aRecording({ subject: { reference: 'Patient/p-2' } }));
    expect((await readAll((await open()).open())).equals(WAV)).toBe(true);
  });

  it('is not opened if the recording is restricted now', async () => {
    const system = 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality';
    const { failure, newLinks } = await opened(aRecording({ meta: { security: [{ system, code: 'R' }] } }));
    expect(failure).toMatchObject({ code: 'forbidden', message: expect.stringContaining('confidentiality') });
    expect(newLinks).toBe(0);
  });

  it('is not opened if the recording was entered in error', async () => {
    const { failure, newLinks } = await opened(aRecording({ status: 'entered-in-error' }));
    expect(failure).toMatchObject({ code: 'notFound', message: expect.stringContaining('no longer has') });
    expect(newLinks).toBe(0);
  });

  it('is not called if it leads to a server that the site does not list', async () => {
    const { failure, newLinks } = await opened(aRecording({}, 'http://127.0.0.1:9/media/visit.wav?Signature=secret'));
    expect(failure).toMatchObject({ code: 'ehrRefused', message: expect.stringContaining('http://127.0.0.1:9') });
    expect(failure.message).toContain('recording.origins');
    expect(failure.message).not.toMatch(/secret|visit/);
    expect(newLinks).toBe(0);
    const { software } = await ehrs.of(ehr.site).capabilities(AbortSignal.timeout(20_000));
    expect(await knowledge.recall(ehr.site.name, software)).toMatchObject([
      { name: 'recording-origin', value: 'http://127.0.0.1:9' },
    ]);
  });

  it('may be bytes in the chart itself', async () => {
    const { open } = await aRun();
    ehr.changeLinkKey();
    const data = Buffer.from(WAV).toString('base64');
    ehr.store.put(aRecording({ content: [{ attachment: { contentType: 'audio/wav', data } }] }));
    expect((await readAll((await open()).open())).equals(WAV)).toBe(true);
  });
});
