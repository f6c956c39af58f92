// Parses Server-Sent Events from a stream of bytes: https://html.spec.whatwg.org/multipage/server-sent-events.html
import { present } from '../../domain/present.ts';

export type ServerEvent = {
  /** The newest id so far: where to continue after a lost connection. */
  readonly id?: string;
  readonly event: string;
  readonly data: string;
  /** How long the engine wants the client to wait before it reconnects. */
  readonly retryMs?: number;
};

/** An engine sends lines of a few hundred characters; a longer one comes from something else. */
const MAX_LINE_LENGTH = 1_048_576;

/** Calls `onBytes` for each chunk, comments included. */
export async function* readEvents(bytes: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const block = makeBlock();
  let rest = '';
  for await (const chunk of bytes) {
    onBytes();
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) throw new Error('A line of the stream has no end');
    for (const line of lines) {
      const event = block.take(line);
      if (event !== undefined) yield event;
    }
  }
}

function makeBlock() {
  let data: string[] = [];
  let event = '';
  let id: string | undefined;
  let retryMs: number | undefined;

  /** An id holds until the next one. */
  function finish(): ServerEvent | undefined {
    const isEmpty = data.length === 0;
    const finished = present({ event: event || 'message', data: data.join('\n'), id, retryMs });
    data = [];
    event = '';
    return isEmpty ? undefined : finished;
  }

  return {
    take(line: string): ServerEvent | undefined {
      if (line === '') return finish();
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === 'data') data.push(value);
      else if (field === 'event') event = value;
      else if (field === 'id' && !value.includes('\0')) id = value;
      else if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value);
      return undefined;
    },
  };
}
