import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeTogether } from '../../../src/outbound/fhir/together.ts';
import type { EhrReads } from '../../../src/ports/ehr.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import {
  aCondition,
  type BatchAnswer,
  type BatchingEhr,
  OTHER,
  PATIENT,
  rightly,
  startBatchingEhr,
} from './batching-ehr.ts';
import { anOutcome } from './scripted-ehr.ts';

const never = new AbortController().signal;

let server: BatchingEhr | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const conditions = (patient: string) => (reads: EhrReads) =>
  reads.search({ type: 'Condition', parameters: { patient: `Patient/${patient}` }, maxResources: 10 }, never);
const patient = (id: string) => (reads: EhrReads) => reads.read(`Patient/${id}`, never);
const media = (reads: EhrReads) =>
  reads.search({ type: 'Media', parameters: { patient: 'Patient/1' }, maxResources: 5 }, never);

/** The chart of both patients, as single requests answer it. */
const WORKS = [patient('1'), conditions('2'), media, patient('2')] as const;
const ANSWERS = [
  { reference: 'Patient/1', version: '3', resource: PATIENT },
  { resources: [aCondition('c', '2')], isComplete: true },
  { resources: [], isComplete: true },
  { reference: 'Patient/2', version: '1', resource: OTHER },
];
const SINGLY = [
  'Patient/1',
  'Condition?_count=10&patient=Patient%2F2',
  'Media?_count=5&patient=Patient%2F1',
  'Patient/2',
];

/** A server whose batches are proven right. */
async function proven(options: Parameters<typeof startBatchingEhr>[0] = {}): Promise<BatchingEhr> {
  server = await startBatchingEhr(options);
  await server.ehr.together([conditions('2'), patient('1')], never);
  server.asked();
  return server;
}

describe('Reads that are asked together', () => {
  it('are asked alone the first time, and once more in a batch between requests that must fail', async () => {
    server = await startBatchingEhr();
    expect(await server.ehr.together(WORKS, never)).toEqual(ANSWERS);
    const asked = server.asked();
    expect(asked.toSorted()).toEqual(['metadata', ...SINGLY, 'batch of 6'].toSorted());
    expect(asked.at(-1)).toBe('batch of 6');
    expect(await server.knowledge.recall('mercy', 'Scripted 1')).toMatchObject([
      { name: 'search:batch', value: 'works' },
    ]);
  });

  it('go out as one batch once the EHR is proven to answer it as it answers each of them alone', async () => {
    const { ehr, asked } = await proven();
    expect(await ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(asked()).toEqual(['batch of 4']);
  });

  it('go out as one batch at once if it was proven by another engine or before a restart', async () => {
    const knowledge = makeFakeEhrKnowledge();
    await knowledge.learn('mercy', 'Scripted 1', { name: 'search:batch', value: 'works' });
    server = await startBatchingEhr({ knowledge });
    expect(await server.ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(server.asked()).toEqual(['metadata', 'batch of 4']);
  });

  it('are not tried in a batch before a search has found something, because two empty answers prove nothing', async () => {
    server = await startBatchingEhr();
    await server.ehr.together([media, patient('1')], never);
    expect(server.asked()).toEqual(['metadata', 'Media?_count=5&patient=Patient%2F1', 'Patient/1']);
  });

  it('go out as one request for each round, if one answer leads to the next question', async () => {
    const { ehr, asked } = await proven();
    const twice = async (reads: EhrReads) => [await patient('1')(reads), await patient('2')(reads)];
    const [both, found] = await ehr.together([twice, conditions('2')], never);
    expect(both).toEqual([ANSWERS[0], ANSWERS[3]]);
    expect(found).toEqual(ANSWERS[1]);
    expect(asked()).toEqual(['batch of 2', 'Patient/2']);
  });

  it('at most three go out at the same time where nothing is asked in batches', async () => {
    let [now, most] = [0, 0];
    const unused = () => Promise.reject(new Error('not needed'));
    const together = makeTogether({
      send: async () => {
        most = Math.max(most, ++now);
        await new Promise(setImmediate);
        now -= 1;
        return { status: 404, headers: new Headers(), body: { kind: 'empty' } };
      },
      readsOver: (send) => ({
        read: async (url, signal) => void (await send({ method: 'GET', url }, 'Patient', signal)),
        capabilities: unused,
        search: unused,
        find: unused,
      }),
      call: unused,
      capabilities: unused,
      recallFacts: unused,
      monotonicMs: () => 0,
      deadlineMs: 1,
    });
    const works = Array.from({ length: 9 }, () => patient('1'));
    expect(await together(works, never)).toHaveLength(9);
    expect(most).toBe(3);
  });

  it('one of them alone is no batch', async () => {
    const { ehr, asked } = await proven();
    await ehr.together([patient('1')], never);
    expect(asked()).toEqual(['Patient/1']);
  });

  it('the further pages of a search in a batch are read one by one', async () => {
    const { ehr, asked } = await proven();
    const [found] = await ehr.together([conditions('1'), patient('2')], never);
    expect(found).toEqual({ resources: [aCondition('a'), aCondition('b')], isComplete: true });
    expect(asked()).toEqual(['batch of 2', 'Condition?_count=10&patient=Patient%2F1&page=2']);
  });

  it('more of them than a server accepts in one batch go out in several', async () => {
    const { ehr, asked } = await proven();
    const answers = await ehr.together(
      Array.from({ length: 45 }, () => patient('1')),
      never,
    );
    expect(answers).toHaveLength(45);
    expect(asked()).toEqual(['batch of 20', 'batch of 20', 'batch of 5']);
  });

  it('one that fails is asked again alone, and throws as it would alone, after the others have ended', async () => {
    const { ehr, asked } = await proven({
      answerSingly: (url) =>
        url.startsWith('Media') ? { status: 403, body: anOutcome({ code: 'forbidden' }) } : undefined,
    });
    const ended: string[] = [];
    const noting = (name: string, work: (reads: EhrReads) => Promise<unknown>) => async (reads: EhrReads) => {
      await work(reads).finally(() => ended.push(name));
    };
    const failing = ehr.together([noting('media', media), noting('patient', patient('1'))], never);
    await expect(failing).rejects.toMatchObject({ code: 'ehrRefused', message: expect.stringContaining('(403)') });
    expect(ended.toSorted()).toEqual(['media', 'patient']);
    expect(asked()).toContain('Media?_count=5&patient=Patient%2F1');
  });

  it('one that does not exist is undefined, as it would be alone', async () => {
    const { ehr } = await proven();
    expect(await ehr.together([patient('nobody'), patient('1')], never)).toEqual([undefined, ANSWERS[0]]);
  });

  it('end with the reason of the caller’s signal, if it is aborted', async () => {
    const { ehr, answerBatches } = await proven();
    answerBatches(() => 'hang');
    const stop = new AbortController();
    const running = ehr.together(
      WORKS.map((work) => work),
      stop.signal,
    );
    stop.abort(new AppError('shuttingDown', 'stop'));
    await expect(running).rejects.toMatchObject({ code: 'shuttingDown' });
  });
});

const withEntries = (change: (entries: readonly object[]) => readonly unknown[]): BatchAnswer => {
  return (entries) => ({
    status: 200,
    body: { resourceType: 'Bundle', type: 'batch-response', entry: change(entries) },
  });
};
/** The answers to requests of that beginning have another resource. */
const instead = (beginning: string, resource: object): BatchAnswer => {
  return (entries, urls) =>
    withEntries(() =>
      entries.map((entry, at) => (urls[at]?.startsWith(beginning) ? { response: { status: '200' }, resource } : entry)),
    )(entries, urls);
};
const EMPTY = { resourceType: 'Bundle', type: 'searchset' };

const ODD: Readonly<Record<string, BatchAnswer>> = {
  'it is cut': (entries, urls) => ({ ...Object(rightly(entries, urls)), isCut: true }),
  'its entries are in another order': withEntries((entries) => entries.toReversed()),
  'an entry is missing': withEntries((entries) => entries.slice(1)),
  'there is an entry more': withEntries((entries) => [...entries, entries[0]]),
  'an entry is no object': withEntries(([, ...entries]) => [null, ...entries]),
  'an entry has no status': withEntries(([first, ...entries]) => [{ ...first, response: {} }, ...entries]),
  'an entry says 200 and has nothing': withEntries(([, ...entries]) => [{ response: { status: '200' } }, ...entries]),
  'a read is answered with another patient': instead('Patient/1', OTHER),
  'a search is answered with a resource': instead('Condition?', OTHER),
  'a search is answered with another type': instead('Condition?', { ...EMPTY, entry: [{ resource: OTHER }] }),
  'a search is answered with that of another type': instead('Condition?', {
    ...EMPTY,
    link: [{ relation: 'self', url: 'http://ehr.example.org/fhir/Media?patient=Patient/2' }],
  }),
  'it is no Bundle': () => ({ status: 200, body: PATIENT }),
  'it is the answer to a transaction': (entry) => ({
    status: 200,
    body: { resourceType: 'Bundle', type: 'transaction-response', entry },
  }),
  'it is a login page': () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' }),
  'it is refused with 400': () => ({ status: 400, body: anOutcome({ code: 'not-supported' }) }),
  'it is refused with 404': () => ({ status: 404 }),
  'it is refused with 405': () => ({ status: 405 }),
  'it is refused with 413': () => ({ status: 413 }),
  'the server fails at it': () => ({ status: 500 }),
  'the connection is broken': () => 'reset',
};

describe('A batch that goes wrong', () => {
  it.each(Object.keys(ODD))('is asked one by one at once, and so is the next, if %s', async (name) => {
    const { ehr, answerBatches, asked } = await proven();
    answerBatches(ODD[name] ?? rightly);
    expect(await ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(asked().toSorted()).toEqual([...SINGLY, 'batch of 4'].toSorted());
    expect(await ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(asked().toSorted()).toEqual(SINGLY.toSorted());
  });

  it.each(Object.keys(ODD))('is no proof: such an EHR is asked one by one, if %s', async (name) => {
    server = await startBatchingEhr();
    const { ehr, knowledge, answerBatches, asked } = server;
    answerBatches(ODD[name] ?? rightly);
    expect(await ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(await ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(asked().filter((one) => one.startsWith('batch'))).toHaveLength(1);
    expect(await knowledge.recall('mercy', 'Scripted 1')).toEqual([]);
  });

  it('is not followed by another one within the same reads', async () => {
    const { ehr, answerBatches, asked } = await proven();
    answerBatches(() => ({ status: 405 }));
    const twice = (one: string, other: string) => async (reads: EhrReads) => [
      await patient(one)(reads),
      await patient(other)(reads),
    ];
    const both = [ANSWERS[0], ANSWERS[3]];
    expect(await ehr.together([twice('1', '2'), twice('2', '1')], never)).toEqual([both, both.toReversed()]);
    expect(asked().filter((one) => one.startsWith('batch'))).toEqual(['batch of 2']);
  });

  it('is tried again after a while', async () => {
    const { ehr, runtime, answerBatches, asked } = await proven();
    answerBatches(() => ({ status: 405 }));
    await ehr.together(WORKS, never);
    answerBatches(rightly);
    runtime.advance(601_000);
    asked();
    expect(await ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(asked().filter((one) => one !== 'metadata')).toEqual(['batch of 4']);
  });

  it('an entry with a server error is asked alone, and the others count', async () => {
    const { ehr, answerBatches, asked } = await proven();
    answerBatches((entries, urls) =>
      rightly(
        entries.map((entry, at) => (at === 1 ? { response: { status: '500' } } : entry)),
        urls,
      ),
    );
    expect(await ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(asked()).toEqual(['batch of 4', SINGLY[1]]);
    expect(await ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(asked()).toEqual(['batch of 4', SINGLY[1]]);
  });

  it('a search that shows nothing in a batch and something alone proves the batch wrong', async () => {
    server = await startBatchingEhr();
    server.answerBatches(instead('Condition?', EMPTY));
    await server.ehr.together(WORKS, never);
    server.asked();
    expect(await server.ehr.together(WORKS, never)).toEqual(ANSWERS);
    expect(server.asked().toSorted()).toEqual(SINGLY.toSorted());
  });

  it('a request that must fail and does not proves the batch wrong', async () => {
    server = await startBatchingEhr();
    server.answerBatches(instead('Patient/chartwright-probe', { ...OTHER, id: 'chartwright-probe' }));
    await server.ehr.together(WORKS, never);
    expect(await server.knowledge.recall('mercy', 'Scripted 1')).toEqual([]);
  });
});
