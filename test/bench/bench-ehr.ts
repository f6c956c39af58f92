// The EHR of a benchmark, started as a child process. It answers one question at a time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { EhrAnswer, EhrQuestion } from './ehr-process.ts';

export type BenchEhr = {
  readonly baseUrl: string;
  readonly ask: (question: EhrQuestion) => Promise<EhrAnswer>;
  readonly stop: () => Promise<void>;
};

export async function startBenchEhr(): Promise<BenchEhr> {
  const child = fork(path.join(import.meta.dirname, 'ehr-process.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const hear = async (): Promise<EhrAnswer> => {
    const heard = once(child, 'message').then(([answer]) => answer as EhrAnswer);
    const ended = exited.then(() => Promise.reject(new Error('the EHR of the bench has ended')));
    return Promise.race([heard, ended]);
  };
  const first = await hear();
  if (!('baseUrl' in first)) throw new Error('the EHR of the bench did not say where it is');
  return {
    baseUrl: first.baseUrl,
    ask: (question) => {
      const answer = hear();
      child.send(question);
      return answer;
    },
    stop: async () => {
      child.kill();
      await exited;
    },
  };
}
