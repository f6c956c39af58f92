import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const QUESTION_THREAD = path.join(import.meta.dirname, '../../src/platform/question-thread.ts');

/** Its code answers with its folder of compiled code and the names in its environment. */
const WORKER = `
  import { getCompileCacheDir } from 'node:module';
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ id }) => {
    parentPort.postMessage({ id, answer: { folder: getCompileCacheDir(), names: Object.keys(process.env) } });
  });
`;
const PROCESS = `
  import { getCompileCacheDir } from 'node:module';
  import { QuestionThread } from ${JSON.stringify(QUESTION_THREAD)};
  const file = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(WORKER)}));
  const errors = { tooLong: () => new Error('too long'), brokeDown: () => new Error('broke down') };
  const thread = new QuestionThread({ file, deadlineMs: 50_000, maxHeapMb: 100 }, errors);
  console.log(JSON.stringify({ own: getCompileCacheDir(), ofThread: await thread.ask('') }));
  await thread.end(new Error('ended'));
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chartwright-thread-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function answerIn(env: Readonly<Record<string, string>>): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', PROCESS], { env });
  return JSON.parse(stdout);
}

describe('A question thread', () => {
  it('uses the compiled code of its process, and has nothing else of its environment', async () => {
    const { own, ofThread } = (await answerIn({ NODE_COMPILE_CACHE: folder, SECRET: 'made-up' })) as {
      readonly own: string;
      readonly ofThread: unknown;
    };
    expect(path.dirname(own)).toBe(folder);
    expect(ofThread).toEqual({ folder: own, names: ['NODE_COMPILE_CACHE'] });
  });

  it('has an empty environment if its process keeps no compiled code', async () => {
    expect(await answerIn({ SECRET: 'made-up' })).toEqual({ ofThread: { names: [] } });
  });
});
