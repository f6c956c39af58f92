// What each client is given, and what it prints: the answers of all six endpoints.
import { readFile } from 'node:fs/promises';

const { CHARTWRIGHT_URL: url = '', CHARTWRIGHT_KEY: key = '', RECORDING = '', PICTURE = '' } = process.env;

export const baseUrl = url;
export const apiKey = key;
export const history = 'Woman of 54 years, fever and productive cough for four days.';
export const recording = new File([await readFile(RECORDING)], 'visit.wav', { type: 'audio/wav' });
export const picture = new File([await readFile(PICTURE)], 'x-ray.png', { type: 'image/png' });

/** The events of a stream, in a line each. A client names them by narrowing the type of the event. */
export type Answers = {
  readonly diagnosis: readonly string[];
  readonly streamed: readonly string[];
  readonly prepared: readonly string[];
  readonly note: readonly string[];
  readonly conversation: readonly string[];
  readonly refused: { readonly statusCode: number; readonly message: string | readonly string[] };
};

export function print(answers: Answers): void {
  process.stdout.write(JSON.stringify(answers));
}

/** Splits the text of a stream into the data of its events. */
export function dataOf(text: string): readonly string[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
}
