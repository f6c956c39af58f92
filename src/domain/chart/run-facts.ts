// The run whose results are written: when, by which engine and which models.

import type { AnsweringModel } from '../answering-model.ts';

export type RunFacts = {
  readonly id: string;
  /** The instant when the results were made: the only time in what is written. */
  readonly time: string;
  /** The status of the documents: only an approval makes them final. */
  readonly status: 'preliminary' | 'final' | 'amended';
  /** `chartwright` and `0.1.0`. */
  readonly engine: { readonly name: string; readonly version: string };
  readonly model: {
    /** The name that people know: `gpt-5.4`, `built-in rules`. */
    readonly name: string;
    readonly version?: string;
    readonly manufacturer?: string;
    readonly kind: 'model' | 'rules';
  };
  /** The models that answered, as their vendor names them: more than one if the note and the diagnosis are of two. */
  readonly answeredBy?: readonly AnsweringModel[];
  readonly speech?: { readonly name: string; readonly version?: string };
  /** The versions of prompt and mappings are hashes. */
  readonly prompt?: string;
  readonly mapping?: string;
};
