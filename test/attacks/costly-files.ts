// An attack: forms whose small PDFs cost many seconds each, several at once. Bounded; the files are made up.
import { type Sample, slowPdf } from '../support/file-samples.ts';

const PDFS_OF_A_FORM = 3;

type Order = { readonly url: string; readonly key: string; readonly forms: number };

/** Resolves with the status of each answer. */
export function sendCostlyFiles({ url, key, forms }: Order): Promise<readonly number[]> {
  const files = Array.from({ length: PDFS_OF_A_FORM }, () => slowPdf());
  return Promise.all(Array.from({ length: forms }, () => sendFiles({ url, key, files })));
}

/** Sends one history with these PDFs, and resolves with the status of the answer. */
export async function sendFiles(order: {
  readonly url: string;
  readonly key: string;
  readonly files: readonly Sample[];
}): Promise<number> {
  const body = new FormData();
  body.set('clinical_history', 'A 40-year-old man has had a cough for three days.');
  for (const [index, bytes] of order.files.entries()) body.append('files', new Blob([bytes]), `letter-${index}.pdf`);
  const response = await fetch(`${order.url}/diagnose`, { method: 'POST', headers: { 'x-api-key': order.key }, body });
  await response.arrayBuffer();
  return response.status;
}
