// The model that answered, as its vendor names it in the answer. It may be another one than the model that was asked for: a version of it, or
// what a gateway has chosen.

export type AnsweringModel = {
  readonly model: string;
  /** Changes with the configuration in which the vendor runs the model. Few vendors send one. */
  readonly fingerprint?: string;
};

const LONGEST_MODEL = 100;
const LONGEST_FINGERPRINT = 64;
/** What names of models consist of. All else is removed: the text comes from outside, and goes to logs, charts and tables. */
const FOREIGN = /[^A-Za-z0-9._:/@+-]/g;

/** Undefined if the answer names no model. */
export function readAnsweringModel(answer: {
  readonly model?: unknown;
  readonly fingerprint?: unknown;
}): AnsweringModel | undefined {
  const model = cleanName(answer.model, LONGEST_MODEL);
  const fingerprint = cleanName(answer.fingerprint, LONGEST_FINGERPRINT);
  if (model === undefined) return undefined;
  return { model, ...(fingerprint !== undefined && { fingerprint }) };
}

function cleanName(value: unknown, longest: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value
    .slice(0, 4 * longest)
    .replace(FOREIGN, '')
    .slice(0, longest);
  return name === '' ? undefined : name;
}

/** `gpt-5.4-2026-03-05 fp_44709d6fcb`: the model is the part before the blank. */
export function describeAnsweringModel({ model, fingerprint }: AnsweringModel): string {
  return fingerprint === undefined ? model : `${model} ${fingerprint}`;
}
