// Lets a client of orval read a stream event by event: alone it reads an answer to its end. orval calls it for the two streams, because
// its configuration names it for them (as `inferred`, so that its own type of the answer counts).
import { dataOf } from './given.ts';

type Answer = { readonly status: number; readonly data: unknown };
type EventOf<Given extends Answer> = Extract<Given, { readonly status: 200 | 201 }>['data'];

export async function* readStream<Given extends Answer>(
  url: string,
  options: RequestInit,
): AsyncGenerator<EventOf<Given>> {
  const answer = await fetch(url, options);
  if (!answer.ok || answer.body === null) throw new Error(`${answer.status}: ${await answer.text()}`);
  let unread = '';
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (unread + text).split('\n\n');
    unread = blocks.pop() ?? '';
    for (const data of dataOf(blocks.join('\n'))) yield JSON.parse(data) as EventOf<Given>;
  }
}
