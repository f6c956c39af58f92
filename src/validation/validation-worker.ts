// The code of the validator's thread.
import { answerQuestions } from '../platform/thread-answers.ts';
import type { ResourceProblem } from './resource-problem.ts';
import { type SetOptions, validateResources } from './validate-resource.ts';

export type Question = { readonly resources: readonly unknown[]; readonly options: SetOptions };
export type Answer = readonly ResourceProblem[];

answerQuestions<Question, Answer>(({ resources, options }) => validateResources(resources, options));
