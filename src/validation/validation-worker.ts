// The code of the validator's thread: it answers one question at a time, with the number of the question.
import { parentPort } from 'node:worker_threads';
import type { ResourceProblem } from './resource-problem.ts';
import { type SetOptions, validateResources } from './validate-resource.ts';

export type Question = { readonly id: number; readonly resources: readonly unknown[]; readonly options: SetOptions };
export type Answer = { readonly id: number; readonly problems: readonly ResourceProblem[] };

parentPort?.on('message', ({ id, resources, options }: Question) => {
  const answer: Answer = { id, problems: validateResources(resources, options) };
  parentPort?.postMessage(answer);
});
