// An attack: histories of nearly a megabyte, several at once. Bounded; the texts are made up.
const SENTENCE = 'A 61-year-old man has had pressure in his chest for an hour. It goes into his left arm. He sweats. ';
const LENGTH = 990_000;

type Order = { readonly url: string; readonly key: string; readonly texts: number };

/** Resolves with the status of each answer. */
export async function sendLongTexts({ url, key, texts }: Order): Promise<readonly number[]> {
  const clinicalHistory = SENTENCE.repeat(Math.floor(LENGTH / SENTENCE.length));
  const body = JSON.stringify({ clinical_history: clinicalHistory, language: 'en' });
  return await Promise.all(
    Array.from({ length: texts }, async () => {
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const response = await fetch(`${url}/diagnose`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    }),
  );
}
